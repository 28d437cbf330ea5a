import { z } from 'zod';

/** What goes to the process that reads documents and what comes back. Before the first job it says READY. */

export const READY = 'ready';

export const Job = z.object({ bytes: z.instanceof(Uint8Array), name: z.string(), mime: z.string() });

export interface Job {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly mime: string;
}

export const Answer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string(), cut: z.boolean() }),
  z.object({
    kind: z.literal('empty'),
    reason: z.enum(['unsupported_type', 'encrypted', 'broken', 'no_text', 'too_large', 'too_slow']),
  }),
]);
