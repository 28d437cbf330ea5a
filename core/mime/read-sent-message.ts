import PostalMime, { type Attachment } from 'postal-mime';
import type { Invitation } from '../mail/compose.ts';
import type { SentMessage } from '../mail/sent-message.ts';
import type { SentReading } from '../reading/sent-job.ts';

/** The header names of an outgoing message. Any other name makes it unreadable. */
const HEADERS = new Set([
  'from',
  'to',
  'subject',
  'message-id',
  'in-reply-to',
  'references',
  'thread-index',
  'x-countersign-request',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
]);

/** Parses the raw bytes of a plan. */
export async function sentReading(raw: Uint8Array): Promise<SentReading> {
  try {
    return { message: await readSentMessage(raw) };
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * @throws Error if they contain anything beyond one plain text, one invitation and the headers above: what cannot be
 * shown is not sent
 */
export async function readSentMessage(raw: Uint8Array): Promise<SentMessage> {
  const mail = await PostalMime.parse(raw);
  const extra = mail.headers.find((header) => !HEADERS.has(header.key));
  if (extra !== undefined) throw new Error('the message has a header that the owner would not see');
  if (new Set(mail.headers.map((header) => header.key)).size !== mail.headers.length) {
    throw new Error('the message has a header twice');
  }
  const [attachment, ...others] = mail.attachments;
  if (mail.html !== undefined || others.length > 0) throw new Error('the message is not one plain text');
  if (mail.from?.address === undefined || mail.messageId === undefined) {
    throw new Error('the message has no From or no Message-ID');
  }
  const to = (mail.to ?? []).map((recipient) => {
    if (recipient.address === undefined) throw new Error('the message has a group or an empty address in To');
    return recipient.address;
  });
  return {
    from: { name: mail.from.name, address: mail.from.address },
    to,
    subject: mail.subject ?? '',
    messageId: mail.messageId,
    inReplyTo: mail.inReplyTo ?? null,
    text: (mail.text ?? '').replace(/\r\n?/g, '\n').replace(/\n$/, ''),
    invitation: attachment === undefined ? null : invitationIn(attachment),
  };
}

function invitationIn({ mimeType, method, filename, description, content }: Attachment): Invitation {
  const known = method === 'REQUEST' || method === 'CANCEL';
  if (mimeType !== 'text/calendar' || !known || typeof content === 'string') {
    throw new Error('the message has an attachment');
  }
  if ((filename ?? description) != null)
    throw new Error('the invitation has a name that the owner would not see');
  return { method, ics: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content) };
}
