import { seenText } from '../text/seen-text.ts';
import { shortened } from '../text/shortened.ts';
import type { MailAddress } from './address.ts';
import type { AttachmentInfo } from './attachment-info.ts';
import type { MessageHeaders } from './message-headers.ts';
import { displayAddress } from './row-text.ts';

/** What a message carries besides its sender, subject and text, as answers show it: further people, and attachments. */

/** The most people of one field that an answer names, and the room for them. */
const PEOPLE_SHOWN = 25;
const FIELD_CHARS = 1000;
const PERSON_CHARS = 320;

/** The people of a message besides its sender, in the form in which a row shows one. */
export function shownPeople({
  from,
  to,
  cc,
  replyTo,
}: Pick<MessageHeaders, 'from' | 'to' | 'cc' | 'replyTo'>) {
  const isOther = addressesOf(replyTo) !== addressesOf(from);
  return { to: firstOf(to), cc: firstOf(cc), replyTo: isOther ? firstOf(replyTo) : [] };
}

function firstOf(people: readonly MailAddress[]): string[] {
  const first: string[] = [];
  let left = FIELD_CHARS;
  for (const person of people.slice(0, PEOPLE_SHOWN)) {
    // Hidden characters become visible, and longer.
    const text = shortened(seenText(displayAddress(person)), PERSON_CHARS);
    left -= text.length;
    if (left < 0) break;
    first.push(text);
  }
  return first;
}

function addressesOf(people: readonly MailAddress[]): string {
  return JSON.stringify(people.map(({ address }) => address.toLowerCase()).sort());
}

/** What strangers wrote in the rows of attachments. */
export function attachmentWords(attachments: readonly Pick<AttachmentInfo, 'name' | 'mime'>[]): string {
  return attachments.map(({ name, mime }) => `${name}\n${mime}`).join('\n');
}

/** What strangers wrote in all of it. */
export function carriedWords(message: {
  readonly headers: MessageHeaders;
  readonly attachments: readonly AttachmentInfo[];
}): string {
  const { to, cc, replyTo } = shownPeople(message.headers);
  return [...to, ...cc, ...replyTo, attachmentWords(message.attachments)].join('\n').trim();
}
