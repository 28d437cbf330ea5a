import { parseLargeMessage } from '../../../core/mail/large-message.ts';
import { type ParsedMessage, parseMessage } from '../../../core/mail/parse.ts';
import type {
  Mail,
  MailCall,
  MessagePlace,
  MessageRow,
  MessageSource,
  RawMessage,
  SearchQuery,
} from '../../../core/ports/mail.ts';
import type { AttachmentReading } from '../../../core/reading/attachment-job.ts';
import { JOBS } from '../../../core/reading/jobs.ts';

/** What core reads out of what a mailbox hands over. */

export interface ReadMessage extends ParsedMessage {
  readonly row: MessageRow;
}

export async function readRaw({ row, source }: RawMessage): Promise<ReadMessage> {
  return { row, ...(await parsed(source)) };
}

export async function readAt(mail: Mail, call: MailCall, place: MessagePlace): Promise<ReadMessage> {
  return readRaw(await mail.read(call, place));
}

export async function attachmentAt(
  mail: Mail,
  call: MailCall,
  place: MessagePlace,
  index: number,
  maxBytes: number,
): Promise<AttachmentReading> {
  const source = await mail.attachment(call, place, index, maxBytes);
  return source === undefined ? null : JOBS.attachment.read({ source, index, maxBytes });
}

export const contains: SearchQuery['contains'] = ({ source }, word) => JOBS.search.read({ source, word });

function parsed(source: MessageSource): Promise<ParsedMessage> {
  return source.kind === 'whole' ? parseMessage(source.bytes) : parseLargeMessage(source);
}
