import * as z from 'zod';
import { ServiceError } from '../../../core/contract/errors.ts';

/** The details of an `invalid_arguments` error: which fields are wrong, and how. */
export const fieldErrors = z.object({
  errors: z.array(z.object({ field: z.string(), message: z.string() })),
});

/**
 * Runs a change, and returns the problems that the service finds in the form.
 * @param names  the fields of the form whose messages the service writes
 */
export async function orProblems<T>(
  change: () => Promise<T>,
  names: ReadonlyMap<string, string>,
): Promise<{ readonly value: T } | { readonly problems: readonly string[] }> {
  try {
    return { value: await change() };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_arguments') throw error;
    const { errors } = fieldErrors.parse(error.details);
    return { problems: errors.map(({ field, message }) => `${names.get(field) ?? field}: ${message}.`) };
  }
}
