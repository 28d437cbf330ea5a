/** Fills a cache through the widest door that others have to it. */
export interface Filler {
  /** What it may hold. */
  readonly mostBytes: number;
  /**
   * Opens the cache, empty.
   * @returns puts things into it that it has not met. All calls with numbers below `rounds` fill it completely.
   */
  open(): ((round: number) => void | Promise<void>) | Promise<(round: number) => void | Promise<void>>;
  readonly rounds: number;
}

/** A part of a text that is much longer, as it is cut out of a request or a response. */
export function cutOut(text: string, wholeChars = 20_000): string {
  const whole = text.padEnd(wholeChars);
  return whole.slice(0, text.length);
}

export const MB = 1024 * 1024;
