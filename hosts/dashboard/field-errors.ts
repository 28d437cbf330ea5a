import * as z from 'zod';

/** The details of an `invalid_arguments` error: which fields are wrong, and how. */
export const fieldErrors = z.object({
  errors: z.array(z.object({ field: z.string(), message: z.string() })),
});
