/** The time, passed in: core has no clock of its own. */
export interface Clock {
  /** The current time. Every date in the contract comes from it. */
  now(): Date;
  /** Runs `task` every `ms` milliseconds until the returned function is called. Does not keep the process alive. */
  every(ms: number, task: () => void): () => void;
  /** Runs `task` once after `ms` milliseconds, unless the returned function is called first. */
  after(ms: number, task: () => void): () => void;
}
