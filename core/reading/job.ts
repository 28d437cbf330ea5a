import type { z } from 'zod';

/**
 * What a job of the Reader takes and gives. Both are data that can be cloned: a pure function on untrusted input (see
 * `core/readers`) makes the one from the other in a different process. It may throw, hang or fill its memory: the Reader
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
