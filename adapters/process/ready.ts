/** What a process says once it is ready for its first job. */
export const READY = 'ready';
