import type { z } from 'zod';

/**
 * A pure function on untrusted input, run by a Reader in a separate process. Input and output are therefore data that
 * can be cloned. It may throw, hang or fill its memory: the Reader limits that.
 */
export interface Job<I, O> {
  readonly input: z.ZodType<I>;
  /** Every result is checked against this: it was computed next to untrusted bytes. */
  readonly output: z.ZodType<O>;
  read(input: I): Promise<O>;
  /** The part of the input that decides how long it takes; if absent, all of it does. */
  work?(input: I): unknown;
  /** Its limit of CPU time, if shorter than that of all jobs. */
  readonly maxCpuMs?: number;
  /** The same, for input that is short enough to read within small limits. Undefined for any other. */
  readShort?(input: I): O | undefined;
}
