import * as z from 'zod';

/** The messages to and from the process that reads documents. */

export const Job = z.object({ bytes: z.instanceof(Uint8Array), name: z.string(), mime: z.string() });

export const Answer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string(), cut: z.boolean() }),
  z.object({
    kind: z.literal('empty'),
    reason: z.enum(['unsupported_type', 'encrypted', 'broken', 'image', 'no_text', 'too_large', 'too_slow']),
    picture: z
      .object({
        format: z.string().exactOptional(),
        width: z.int().min(1).exactOptional(),
        height: z.int().min(1).exactOptional(),
      })
      .exactOptional(),
    pages: z.int().min(0).exactOptional(),
  }),
]);
