import { batchesOf } from '../../core/memory/batches.ts';
import { MailError, timedOut } from '../../core/ports/mail.ts';
import type { ResponseReading } from './http.ts';

/** The objects are read in batches of this many characters: a calendar may have tens of millions. */
const BATCH_CHARS = 1024 * 1024;

/** Finds those of the objects in which a component has this UID. @throws MailError */
export async function withUid<T extends { readonly ics: string }>(
  { reader, ownerId }: ResponseReading,
  objects: readonly T[],
  uid: string,
  limit: AbortSignal,
): Promise<T[]> {
  const found: T[] = [];
  for (const batch of batchesOf(objects, ({ ics }) => ics.length, { size: BATCH_CHARS })) {
    const input = { objects: batch.map(({ ics }) => ics), uid };
    const reading = await reader.read('uid', input, { ownerId, signal: limit }).catch((cause: unknown) => {
      if (limit.aborted) throw timedOut();
      throw new MailError('unavailable', 'the objects of the calendar cannot be read now', { cause });
    });
    if (reading.kind === 'unreadable')
      throw new MailError('refused', 'the objects of the calendar cannot be read');
    for (const index of reading.value) {
      const one = batch[index];
      if (one !== undefined) found.push(one);
    }
  }
  return found;
}
