import { type NotSent, notSentText } from '../actions/not-sent.ts';
import { oneLine } from '../text/one-line.ts';
import type { SeenBody, TextWindow } from '../text/seen-body.ts';
import { seenText, wordEnd } from '../text/seen-text.ts';

/**
 * The parts of a reply or forward that come from the original message. All of it is untrusted text. Only what a person
 * would see is passed on, as the agent read it, so hidden instructions do not travel in the owner's name. If there was
 * hidden text, the owner and the recipient see a note about it.
 */

const QUOTE_CHARS = 50_000;
/** The part of a message that is quoted. */
export const QUOTE_WINDOW: TextWindow = { from: 0, most: QUOTE_CHARS };
const SUBJECT_CHARS = 300;
const HEAD_CHARS = 1000;

/** Adds `Re: ` once, on one line, at most 300 characters. */
export function replySubject(subject: string): string {
  const bare = seenLine(subject).replace(/^(?:re\s*:\s*)+/iu, '');
  return Array.from(`Re: ${bare}`).slice(0, SUBJECT_CHARS).join('').trimEnd();
}

/** Adds `Fwd: ` once, on one line, at most 300 characters. */
export function forwardSubject(subject: string): string {
  const bare = seenLine(subject).replace(/^(?:fwd?\s*:\s*)+/iu, '');
  return Array.from(`Fwd: ${bare}`).slice(0, SUBJECT_CHARS).join('').trimEnd();
}

interface Quoted {
  readonly from: string;
  readonly date: string;
  /** As cut to QUOTE_WINDOW. */
  readonly body: SeenBody;
}

/**
 * Quotes the message below the reply, at most 50,000 characters of it. A note marks a cut.
 * @param message `isClaimed`: nothing shows that `from` wrote it, and the recipient must not think so
 */
export function quoted(message: Quoted & { readonly isClaimed?: boolean }): string {
  const { lines, left } = quotable(message.body);
  const marked = lines.map((line) => (line.startsWith('>') ? `>${line}` : `> ${line}`));
  const from = headLine(message.from);
  const wrote = message.isClaimed ? `somebody wrote in the name of ${from}:` : `${from} wrote:`;
  return [`On ${seenLine(message.date)}, ${wrote}`, ...marked, ...left].join('\n');
}

/** The forwarded message below a note: four header lines, its text, and what is not sent with it. */
export function forwarded(
  message: Quoted & { subject: string; to: string; notSent: NotSent | undefined },
): string {
  const { lines, left } = quotable(message.body);
  const head = [
    '---------- Forwarded message ----------',
    `From: ${headLine(message.from)}`,
    `Date: ${seenLine(message.date)}`,
    `Subject: ${headLine(message.subject)}`,
    `To: ${headLine(message.to)}`,
  ];
  const behind = message.notSent === undefined ? [] : ['', `[${notSentText(message.notSent)}]`];
  return [...head, '', ...lines, ...left, ...behind].join('\n');
}

/** Untrusted text as lines that are safe in an outgoing message, and a line that reports what was left out. */
function quotable({ text, chars }: SeenBody): { lines: string[]; left: string[] } {
  const shown = Array.from(text);
  if (shown.length === chars) return { lines: text.replace(/(?<!\n)\n+$/, '').split('\n'), left: [] };
  const end = wordEnd(shown, shown.length);
  return {
    lines: shown
      .slice(0, end)
      .join('')
      .replace(/(?<!\n)\n+$/, '')
      .split('\n'),
    left: [`[The quote ends here; ${chars - end} more characters were left out.]`],
  };
}

/** The References of a reply: the parent's, then the parent's own id. Beyond 20, the oldest are left out. */
export function replyReferences(parent: {
  messageId: string | null;
  references: readonly string[];
}): string[] {
  const ids = [...parent.references, ...(parent.messageId === null ? [] : [parent.messageId])];
  return [...new Set(ids.filter(isMessageId))].slice(-20);
}

/** Whether a Message-ID is safe in an outgoing header and cannot be read as an encoded word. */
export function isMessageId(id: string): boolean {
  return /^<[\x21-\x3b\x3d\x3f-\x7e]{1,900}>$/.test(id) && !id.includes('=?');
}

/** A header as shown above a quote. Untrusted headers can be as long as a book. */
function headLine(value: string): string {
  const chars = Array.from(seenLine(value).slice(0, 2 * HEAD_CHARS + 2));
  return chars.length <= HEAD_CHARS ? chars.join('') : `${chars.slice(0, HEAD_CHARS).join('')}…`;
}

function seenLine(value: string): string {
  return seenText(oneLine(value));
}
