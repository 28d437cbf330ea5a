import type { z } from 'zod';

/**
 * A pure function over what a stranger wrote, as a Reader runs it: in a process of its own, so input and output are
 * data that can be cloned. It may throw, hang or fill its memory: whoever runs it bounds that.
 */
export interface Job<I, O> {
  readonly input: z.ZodType<I>;
  /** Every answer is checked against this: it was made among the bytes of a stranger. */
  readonly output: z.ZodType<O>;
  read(input: I): Promise<O>;
  /** How long it may take, if that is less than any job may. */
  readonly maxMs?: number;
  /** The same for an input whose reading is bounded by its construction; undefined for any other. */
  readShort?(input: I): O | undefined;
}
