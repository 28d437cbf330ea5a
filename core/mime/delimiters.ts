import { Buffer } from 'node:buffer';

/** The lines between the parts of multiparts inside multiparts (RFC 2046 5.1.1), found in one pass over a body. */

export interface Delimiter {
  /** Of the multipart that it belongs to. */
  readonly level: Level;
  /** The start of its line. */
  readonly at: number;
  /** Behind its line. */
  readonly end: number;
  /** Whether it ends its multipart. */
  readonly isLast: boolean;
}

/** A multipart that is being read. */
export interface Level {
  readonly marker: Buffer;
  found?: Delimiter;
  /** Before it there is no delimiter that was not passed. */
  clearTo: number;
}

export interface Delimiters {
  /** Begins a multipart inside the one that began last. */
  open(boundary: string): Level;
  /** Ends the one that began last. */
  close(): void;
  /**
   * The next delimiter of any open multipart. One whose boundary is used again belongs to the innermost. None if
   * `budget` is used up, which is below zero from then on.
   */
  next(from: number): Delimiter | undefined;
}

const LF = 0x0a;

/** @param budget the most possible delimiters to examine, in all bodies that share it */
export function delimitersOf(body: Buffer, budget: { candidates: number }): Delimiters {
  const levels: Level[] = [];

  function search(level: Level, from: number, until: number): Delimiter | undefined {
    const { marker } = level;
    const within = body.subarray(0, until + marker.length);
    for (let at = within.indexOf(marker, from); at !== -1; at = within.indexOf(marker, at + marker.length)) {
      if (budget.candidates < 0 || budget.candidates-- === 0) return undefined;
      if (at > 0 && body[at - 1] !== LF) continue;
      const behind = at + marker.length;
      const rest = /^(--)?[ \t]*(?:\r?\n|$)/.exec(body.toString('latin1', behind, behind + 100));
      if (rest !== null) return { level, at, end: behind + rest[0].length, isLast: rest[1] !== undefined };
    }
    return undefined;
  }

  function nextOf(level: Level, from: number, until: number): Delimiter | undefined {
    if (level.found !== undefined && level.found.at >= from) return level.found;
    const found = search(level, Math.max(from, level.clearTo), until);
    if (found === undefined) level.clearTo = until + 1;
    else level.found = found;
    return found;
  }

  return {
    open(boundary) {
      const level = { marker: Buffer.from(`--${boundary}`, 'utf8'), clearTo: 0 };
      levels.push(level);
      return level;
    },
    close() {
      levels.pop();
    },
    next(from) {
      let nearest: Delimiter | undefined;
      for (const level of levels) {
        const until = nearest?.at ?? body.length;
        const found = nextOf(level, from, until);
        if (found !== undefined && found.at <= until) nearest = found;
      }
      return nearest;
    },
  };
}
