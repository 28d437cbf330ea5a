/** What a child process and its parent agree on, besides the jobs. */

/** The child sends this when it is ready for its first job. */
export const READY = 'ready';

/** The child kills itself with this signal when its job has used its CPU time. Unlike SIGXCPU it leaves no core dump. */
export const CPU_SIGNAL = 'SIGVTALRM';
