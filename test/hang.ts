/** What a test waits for comes. The bound only ends a run that hangs, so it leaves room for a very busy machine. */
export const HANG_MS = 5 * 60_000;
