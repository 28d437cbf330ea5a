import { type MailReader, mailReader } from '../../../core/accounts/mail-reader.ts';
import { pickMethods } from '../../../core/accounts/pick-methods.ts';
import type { MessagePlace } from '../../../core/mail/listed-message.ts';
import type { MessageSource } from '../../../core/mail/message-source.ts';
import { parseLargeMessage } from '../../../core/mime/large-message.ts';
import { type ParsedMessage, parseMessage } from '../../../core/mime/parse.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { MailChanging } from '../../../core/ports/mail-changing.ts';
import type { MailConnections } from '../../../core/ports/mail-connections.ts';
import type { MailReading, RawMessage, SearchQuery } from '../../../core/ports/mail-reading.ts';
import type { MailSending } from '../../../core/ports/mail-sending.ts';
import type { MailWatching } from '../../../core/ports/mail-watching.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { doJob } from '../../../core/readers/do-job.ts';
import type { AttachmentReading } from '../../../core/reading/attachment-job.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';

/** What core reads from a mailbox's answers. */

/** A mailbox as core uses it: core reads its answers. */
export type ReadMail = Omit<MailReader, 'readOnlyTexts'> &
  Pick<MailReading, 'readTexts' | 'rows' | 'states' | 'uids'> &
  MailChanging &
  MailSending &
  MailWatching &
  MailConnections;

/** @param methods  of the port; the adapter may lack the others */
export function readMail(mail: Mail, methods: readonly (keyof Mail)[] = MAIL_METHODS): ReadMail {
  const given = pickMethods(mail, methods);
  return pickMethods({ ...given, ...mailReader(given, systemClock) }, methods);
}

const MAIL_METHODS: readonly (keyof Mail)[] = [
  'verify',
  'folders',
  'createFolder',
  'list',
  'row',
  'setFlag',
  'counts',
  'read',
  'readAll',
  'attachment',
  'find',
  'search',
  'thread',
  'move',
  'label',
  'readTexts',
  'rows',
  'states',
  'uids',
  'transmit',
  'saveSent',
  'messageWithId',
  'sentCopies',
  'visitInbox',
  'watchInbox',
  'forget',
  'close',
];

export interface ReadMessage<Row> extends ParsedMessage {
  readonly row: Row;
}

export async function readRaw<Row>({ row, source }: RawMessage<Row>): Promise<ReadMessage<Row>> {
  return { row, ...(await parsed(source)) };
}

export async function readAt<Row>(
  mail: { read(call: MailCall, place: MessagePlace): Promise<RawMessage<Row>> },
  call: MailCall,
  place: MessagePlace,
): Promise<ReadMessage<Row>> {
  return readRaw(await mail.read(call, place));
}

export async function attachmentAt(
  mail: Pick<Mail, 'attachment'>,
  call: MailCall,
  place: MessagePlace,
  index: number,
  maxBytes: number,
): Promise<AttachmentReading> {
  const source = await mail.attachment(call, place, index, maxBytes);
  return source === undefined ? null : doJob('attachment', { source, index, maxBytes });
}

export const contains: SearchQuery['contains'] = (source, word) => doJob('search', { source, word });

function parsed(source: MessageSource): Promise<ParsedMessage> {
  return source.kind === 'whole' ? parseMessage(source.bytes) : parseLargeMessage(source);
}
