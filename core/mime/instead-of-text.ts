import { calendarText } from '../ical/calendar-text.ts';
import type { AttachmentInfo } from '../mail/attachment-info.ts';
import { isCalendarType, isMessageType, isReportType } from '../mail/text-types.ts';
import { shortened } from '../text/shortened.ts';
import type { MimePart } from './mime-tree.ts';
import { isShownText, leavesOf, partText } from './part-text.ts';

/** What a person reads of a message that has no text/plain and no text/html to show. */

/** Whether a text shows nothing. */
export function isBlank(text: string): boolean {
  return !/[^\s\u00ad\u200b-\u200f\u2060-\u2064]/.test(text);
}

/**
 * Texts of other kinds: what calendars and reports say, and any other text as it is; otherwise the texts that are marked as
 * attachments, if there is nothing else; otherwise the messages that it carries.
 * @returns undefined if there is none of these
 */
export function textInstead(
  root: MimePart,
  { readHtml, messageText }: { readHtml(html: string): string; messageText(part: MimePart): string },
): string | undefined {
  const others = leavesOf(root).filter((leaf) => !isShownText(leaf));
  const isAlone = others.every(({ type }) => type === 'text/plain' || type === 'text/html');
  const written = (part: MimePart) =>
    part.type === 'text/html' ? readHtml(partText(part)) : partText(part).trimEnd();
  return (
    joined(others.map((part) => otherText(part) ?? '')) ??
    (isAlone ? joined(others.map(written)) : undefined) ??
    joined(others.filter(({ type }) => isMessageType(type)).map(messageText))
  );
}

function joined(texts: readonly string[]): string | undefined {
  const shown = texts.filter((text) => !isBlank(text));
  return shown.length === 0 ? undefined : shown.join('\n\n');
}

function otherText(part: MimePart): string | undefined {
  const { type, disposition } = part;
  if (isCalendarType(type)) {
    const lines = partText(part);
    return calendarText(lines) ?? (disposition === 'attachment' ? undefined : lines);
  }
  if (isReportType(type)) return partText(part).trim();
  return type.startsWith('text/') && disposition !== 'attachment' ? partText(part).trimEnd() : undefined;
}

const NAMED_MAX = 20;
const NAME_CHARS = 100;

/** Names what a message without text holds. Undefined if it holds nothing. */
export function heldInstead(
  attachments: readonly Pick<AttachmentInfo, 'name' | 'mime'>[],
): string | undefined {
  if (attachments.length === 0) return undefined;
  const named = attachments
    .slice(0, NAMED_MAX)
    .map(({ name, mime }) => `${shortened(name, NAME_CHARS)}, ${mime}`);
  const more = attachments.length - named.length;
  const all = [...named, ...(more === 0 ? [] : [`and ${more} more`])].join('; ');
  return `[This message has no text. It holds: ${all}]`;
}

export const NOTHING_SEEN = '[This message has no text that a person would see.]';
