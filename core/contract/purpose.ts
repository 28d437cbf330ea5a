import * as z from 'zod';
import { isRecord } from './result.ts';
import { type Arguments, checkedArguments, line } from './schema.ts';

/**
 * Why the agent asks, in its own words: an optional argument of every write tool. It is sealed with the plan for the
 * owner. Two requests can be the same with different purposes, and the fingerprint of an Idempotency-Key does not
 * include it.
 */

const purpose = line({
  min: 1,
  max: 200,
  description: 'Why you ask: a line for the owner.',
}).optional();

/** What every write tool takes besides its own arguments. */
export type PurposeArgument = { readonly purpose?: z.input<typeof purpose> };

export interface WriteArguments<A> {
  /** The tool's own arguments. */
  readonly own: A;
  /** Null: none was given. */
  readonly purpose: string | null;
}

/** The published schema of a write tool, which is its own with `purpose`, and the check against it. */
export function writeArgumentsOf<S extends z.ZodObject>(input: S): Arguments<WriteArguments<z.output<S>>> {
  return checkedArguments(z.strictObject({ ...input.shape, purpose }), (args) => {
    const own = input.safeParse(withoutPurpose(args));
    const why = purpose.safeParse(isRecord(args) ? args.purpose : undefined);
    if (own.success && why.success) {
      return { success: true, data: { own: own.data, purpose: why.data ?? null } };
    }
    const inOwn = own.error?.issues ?? [];
    const inPurpose = (why.error?.issues ?? []).map((issue) => ({ ...issue, path: ['purpose'] }));
    return { success: false, error: { issues: [...inOwn, ...inPurpose] } };
  });
}

/** The arguments of a write that say what it does. */
export function withoutPurpose(args: unknown): unknown {
  if (!isRecord(args)) return args;
  const { purpose: _purpose, ...own } = args;
  return own;
}
