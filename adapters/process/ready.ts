/** A child process sends this when it is ready for its first job. */
export const READY = 'ready';
