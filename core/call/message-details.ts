import type { ReadMessage } from '../accounts/read-message.ts';
import { shownPeople } from '../mail/carried-words.ts';
import type { MessageRow } from '../mail/message-row.ts';
import { seenText } from '../text/seen-text.ts';
import { shortened } from '../text/shortened.ts';

/** What an answer says of a message that was read, besides its row and its text. What there is none of is left out. */

/** The most attachments, and the most labels, that an answer names. */
export const NAMES_SHOWN = 20;
const NAME_CHARS = 100;

export function detailsOf(
  { flags, labels = [] }: Pick<MessageRow, 'flags' | 'labels'>,
  { headers, attachments, protection }: Pick<ReadMessage, 'headers' | 'attachments' | 'protection'>,
) {
  const { to, cc, replyTo } = shownPeople(headers);
  return {
    ...(to.length > 0 && { to }),
    ...(to.length < headers.to.length && { to_count: headers.to.length }),
    ...(cc.length > 0 && { cc }),
    ...(cc.length < headers.cc.length && { cc_count: headers.cc.length }),
    ...(replyTo.length > 0 && { reply_to: replyTo }),
    ...flagsOf(flags),
    ...(labels.length > 0 && { labels: firstNames(labels) }),
    ...(attachments.length > 0 && {
      attachment_names: firstNames(attachments.map(({ name }) => name)),
    }),
    ...(protection.isEncrypted && { encrypted: true }),
    ...(protection.isSigned && { signed: true }),
  };
}

/** The flags that a list shows. */
export function flagsOf(flags: MessageRow['flags']) {
  const shown = [
    ...(flags.has('seen') ? [] : ['unread' as const]),
    ...(['flagged', 'answered', 'draft'] as const).filter((flag) => flags.has(flag)),
  ];
  return shown.length > 0 && { flags: shown };
}

function firstNames(names: readonly string[]): string[] {
  // Hidden characters become visible, and longer.
  return names.slice(0, NAMES_SHOWN).map((name) => shortened(seenText(name), NAME_CHARS));
}
