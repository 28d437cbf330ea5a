import type { z } from 'zod';

/**
 * The input and the output of a job of the Reader. Both can be cloned, because a pure function (see `core/readers`)
 * computes the output in a different process. On untrusted input it may throw, hang or fill its memory. The Reader
 * limits that.
 */
export interface Job<I, O> {
  readonly input: z.ZodType<I>;
  /** Every result is checked against this: it was computed next to untrusted bytes. */
  readonly output: z.ZodType<O>;
  /** The part of the input that decides how long it takes; if absent, all of it does. */
  work?(input: I): unknown;
  /** Its limit of CPU time, if shorter than that of all jobs. */
  readonly maxCpuMs?: number;
}
