import { shortened } from '../text/shortened.ts';
import type { MailAddress } from './address.ts';
import type { AttachmentInfo } from './attachment-info.ts';
import type { MessageHeaders } from './message-headers.ts';
import { displayAddress } from './row-text.ts';

/** What a message carries besides its sender, subject and text, as answers show it: further people, and attachments. */

/** The most people of one field that an answer names. */
const PEOPLE_SHOWN = 25;
const PERSON_CHARS = 320;

/** The people of a message besides its sender, in the form in which a row shows one. */
export function shownPeople({
  from,
  to,
  cc,
  replyTo,
}: Pick<MessageHeaders, 'from' | 'to' | 'cc' | 'replyTo'>) {
  const shown = (people: readonly MailAddress[]) =>
    people.slice(0, PEOPLE_SHOWN).map((person) => shortened(displayAddress(person), PERSON_CHARS));
  const isOther = addressesOf(replyTo) !== addressesOf(from);
  return { to: shown(to), cc: shown(cc), replyTo: isOther ? shown(replyTo) : [] };
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
