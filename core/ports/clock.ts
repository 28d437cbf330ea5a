/** Time, handed in: core has no clock of its own. */
export interface Clock {
  /** The instant that everything in the contract is dated by. */
  now(): Date;
  /** Runs `task` every `ms` milliseconds until the returned function is called. Does not keep the process alive. */
  every(ms: number, task: () => void): () => void;
  /** Runs `task` once after `ms` milliseconds, unless the returned function is called first. */
  after(ms: number, task: () => void): () => void;
}
