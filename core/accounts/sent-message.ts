import type { SentMessage } from '../mail/sent-message.ts';
import type { Ports } from '../ports/ports.ts';
import type { ReadingFor } from '../ports/reader.ts';
import { readWithin } from './read-message.ts';

/**
 * Reads the bytes of an outgoing message again.
 * @throws Error if they contain anything that the owner could not see; ServiceError as `readWithin` does
 */
export async function sentMessage(
  ports: Pick<Ports, 'reader'>,
  reading: ReadingFor,
  raw: Uint8Array,
): Promise<SentMessage> {
  const read = await readWithin(ports, reading, 'sent', { raw });
  if (read.kind === 'unreadable') throw new Error(`an outgoing message cannot be read: ${read.reason}`);
  if ('message' in read.value) return read.value.message;
  throw new Error(read.value.refused);
}
