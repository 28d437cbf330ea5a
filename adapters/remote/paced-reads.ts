import type { Socket } from 'node:net';
// Those of Node, whatever an app puts in place of the global ones: a turn that never ends would hold up every socket.
import { setImmediate, setTimeout } from 'node:timers';

/** The most that is passed on at once. Lines count too: a parser that rejects each of them takes longest. */
const PIECE_BYTES = 16 * 1024;
const PIECE_LINES = 200;
/** After so much work all sockets rest as long as it took, up to a limit: other work may have held the last turn. */
const WORK_MS = 20;
const REST_MS = 50;
const LF = 0x0a;
const NOTHING = Buffer.alloc(0);

/**
 * Passes on in small pieces what a server sends. All sockets together pass on one piece in each turn of the event loop.
 * Otherwise a server that sends without end gets a whole turn: libuv reads a socket up to 32 times in a row, 64 KB
 * each, and parsers of lines take that much at once. Whatever servers send, half of the time is left to other work, and
 * a server that sends little does not wait behind those that send much. Holds at most one such read of a socket.
 */
export function paceReads(socket: Socket): void {
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  let held: Buffer = NOTHING;
  let hasEnded = false;
  let isWaiting = false;
  const turns: Turns = { work: deliver, period: 0, used: 0 };

  function deliver(): boolean {
    isWaiting = false;
    if (socket.destroyed) return false;
    if (held.length === 0) return push(null);
    const { bytes, share } = nextPiece(held);
    const piece = held.subarray(0, bytes);
    held = held.subarray(bytes);
    turns.used = usedBy(turns) + share;
    turns.period = period;
    return push(piece) && held.length === 0;
  }

  function deliverInTurn(): boolean {
    if (isWaiting) return false;
    isWaiting = true;
    return inTurn(turns);
  }

  // Node stops reading from the system when `push` returns false, and goes on with `_read`.
  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) hasEnded = true;
    else held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    return deliverInTurn();
  };
  socket._read = (size) => {
    if (held.length > 0 || hasEnded) deliverInTurn();
    else read(size);
  };
  // Its turn may be far away, and nobody wants what it holds.
  socket.once('close', () => {
    held = NOTHING;
    const place = waiting.indexOf(turns);
    if (place !== -1) waiting.splice(place, 1);
  });
}

/** @returns the length of the next piece, and its share of the largest piece */
function nextPiece(held: Buffer): { readonly bytes: number; readonly share: number } {
  const most = Math.min(held.length, PIECE_BYTES);
  let end = 0;
  for (let lines = 0; lines < PIECE_LINES; lines += 1) {
    const next = held.indexOf(LF, end) + 1;
    if (next === 0 || next > most) {
      return { bytes: most, share: Math.max(most / PIECE_BYTES, lines / PIECE_LINES) };
    }
    end = next;
  }
  return { bytes: end, share: 1 };
}

/** The turns of one socket. */
interface Turns {
  readonly work: () => boolean;
  /** When it last had a turn. */
  period: number;
  /** The sum of its pieces in that period. The largest piece counts as 1. */
  used: number;
}

let isTaken = false;
/** At most one for each socket. */
const waiting: Turns[] = [];

/** Runs the work now if this turn is free, otherwise in one of the next. @returns what the work returned; false if it waits */
function inTurn(turns: Turns): boolean {
  if (isTaken) {
    waiting.push(turns);
    return false;
  }
  isTaken = true;
  return runTurn(turns);
}

/** Turns that follow each other are one period. */
let period = 0;
/** How long they have taken since the last rest. */
let workedMs = 0;

function runTurn(turns: Turns): boolean {
  const beganMs = performance.now();
  setImmediate(() => {
    workedMs += performance.now() - beganMs;
    if (workedMs < WORK_MS) return nextTurn();
    setTimeout(nextTurn, Math.min(workedMs, REST_MS));
    workedMs = 0;
  });
  return turns.work();
}

function usedBy(turns: Turns): number {
  return turns.period === period ? turns.used : 0;
}

/** The socket that has used the least is next. */
function nextTurn(): void {
  let least = 0;
  for (const [index, one] of waiting.entries()) {
    if (usedBy(one) < usedBy(waiting[least] ?? one)) least = index;
  }
  const [turns] = waiting.splice(least, 1);
  isTaken = turns !== undefined;
  if (turns === undefined) {
    period += 1;
    workedMs = 0;
  } else runTurn(turns);
}
