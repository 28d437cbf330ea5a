import { headerText } from '../../core/mail/header-text.ts';
import { attachmentOf, parseMessage } from '../../core/mail/parse.ts';
import { displayAddresses } from '../../core/mail/row-text.ts';
import type { BoundedText } from './bounded-text.ts';

/** The limits of messages in messages: how deep, and how many in all. Others are only named. */
const MAX_DEPTH = 5;
const MAX_MESSAGES = 50;

/**
 * Extracts a message within a message: its header as shown, its text, its attachments, and the messages in
 * it.
 */
export async function messageText(bytes: Uint8Array, out: BoundedText): Promise<void> {
  await writeMessage(bytes, out, 1, { left: MAX_MESSAGES });
}

async function writeMessage(
  bytes: Uint8Array,
  out: BoundedText,
  depth: number,
  messages: { left: number },
): Promise<void> {
  messages.left -= 1;
  const { headers, text, attachments } = await parseMessage(bytes);
  const shown = {
    From: displayAddresses(headers.from),
    To: displayAddresses(headers.to),
    Cc: displayAddresses(headers.cc),
    Date: headerText(headers.date ?? ''),
    Subject: headers.subject,
  };
  for (const [name, value] of Object.entries(shown)) if (value !== '') out.write(`${name}: ${value}\n`);
  out.write(`\n${text}\n`);
  for (const { index, name, mime } of attachments) {
    out.write(`\n[Attachment: ${name}, ${mime}]`);
    if (mime !== 'message/rfc822' || depth === MAX_DEPTH || messages.left === 0 || out.full) continue;
    const inner = attachmentOf(bytes, index);
    if (inner === undefined) continue;
    out.write('\n');
    await writeMessage(inner.bytes, out, depth + 1, messages);
  }
}
