import * as z from 'zod';
import { oneLine } from '../text/one-line.ts';
import { seenText } from '../text/seen-text.ts';
import { shortened } from '../text/shortened.ts';
import { sizeText } from '../text/size-text.ts';

/** The attachments of a forwarded message: they stay behind, and everybody is told. */

const NAMED_MAX = 20;
const NAME_CHARS = 100;

export const storedNotSent = z.strictObject({
  /** The first ones. The names are a stranger's. */
  files: z
    .array(z.strictObject({ name: z.string(), sizeBytes: z.int().min(0) }))
    .min(1)
    .max(NAMED_MAX),
  /** How many there are. */
  total: z.int().min(1),
});
export type NotSent = z.infer<typeof storedNotSent>;

/** Undefined if the message has no attachments. */
export function notSentOf(
  attachments: readonly { readonly name: string; readonly sizeBytes: number }[],
): NotSent | undefined {
  if (attachments.length === 0) return undefined;
  const files = attachments.slice(0, NAMED_MAX).map(({ name, sizeBytes }) => ({
    name: shortened(seenText(oneLine(name)), NAME_CHARS),
    sizeBytes,
  }));
  return { files, total: attachments.length };
}

/** One line: `Not sent: contract.pdf, 84 KB; photo.jpg, 1.2 MB; and 3 more`. */
export function notSentText({ files, total }: NotSent): string {
  const named = files.map(({ name, sizeBytes }) => `${name}, ${sizeText(sizeBytes)}`);
  const more = total - files.length;
  return `Not sent: ${[...named, ...(more === 0 ? [] : [`and ${more} more`])].join('; ')}`;
}
