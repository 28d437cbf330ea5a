import { headerText } from '../mime/header-text.ts';
import { parseMessage } from '../mime/parse.ts';
import { displayAddresses } from '../mime/row-text.ts';
import type { BoundedText } from './bounded-text.ts';

/** A message within a message: its header as one is shown, its text, and what is attached to it. */
export async function messageText(bytes: Uint8Array, out: BoundedText): Promise<void> {
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
  for (const { name, mime } of attachments) out.write(`\n[Attachment: ${name}, ${mime}]`);
}
