import type { SeenBody, TextWindow } from '../reading/message-job.ts';
import { oneLine } from '../text/one-line.ts';
import { seenText, wordEnd } from '../text/seen-text.ts';

/**
 * The parts of an answer that are made from the message it answers: all of them a stranger's text. What is passed on is
 * what a person sees of it, as the agent read it: hidden instructions do not travel in the owner's name, and where there
 * were some, the owner and the recipient are shown so.
 */

const QUOTE_CHARS = 50_000;
/** What is quoted of a message. */
export const QUOTE_WINDOW: TextWindow = { from: 0, most: QUOTE_CHARS };
const SUBJECT_CHARS = 300;
const HEAD_CHARS = 1000;

/** `Re: ` once, on one line, at most 300 characters. */
export function replySubject(subject: string): string {
  const bare = seenLine(subject).replace(/^(?:re\s*:\s*)+/iu, '');
  return Array.from(`Re: ${bare}`).slice(0, SUBJECT_CHARS).join('').trimEnd();
}

/** `Fwd: ` once, on one line, at most 300 characters. */
export function forwardSubject(subject: string): string {
  const bare = seenLine(subject).replace(/^(?:fwd?\s*:\s*)+/iu, '');
  return Array.from(`Fwd: ${bare}`).slice(0, SUBJECT_CHARS).join('').trimEnd();
}

interface Quoted {
  readonly from: string;
  readonly date: string;
  /** As QUOTE_WINDOW shows it. */
  readonly body: SeenBody;
}

/** The message as a quote below the answer, at most 50,000 characters of it; a cut is said. */
export function quoted(message: Quoted): string {
  const { lines, left } = quotable(message.body);
  const marked = lines.map((line) => (line.startsWith('>') ? `>${line}` : `> ${line}`));
  return [`On ${seenLine(message.date)}, ${headLine(message.from)} wrote:`, ...marked, ...left].join('\n');
}

/** The message below a note, as it is passed on: its head in four lines, then its text. Attachments are not. */
export function forwarded(message: Quoted & { subject: string; to: string }): string {
  const { lines, left } = quotable(message.body);
  const head = [
    '---------- Forwarded message ----------',
    `From: ${headLine(message.from)}`,
    `Date: ${seenLine(message.date)}`,
    `Subject: ${headLine(message.subject)}`,
    `To: ${headLine(message.to)}`,
  ];
  return [...head, '', ...lines, ...left].join('\n');
}

/** A stranger's text as lines that can stand in ours, and a line that says what was left out, if anything was. */
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

/** The References of an answer: those of the parent and the parent's own id, the oldest left out beyond 20. */
export function replyReferences(parent: {
  messageId: string | null;
  references: readonly string[];
}): string[] {
  const ids = [...parent.references, ...(parent.messageId === null ? [] : [parent.messageId])];
  return [...new Set(ids.filter(isMessageId))].slice(-20);
}

/** A Message-ID that can stand in a header of ours, and that no reader takes for an encoded word. */
export function isMessageId(id: string): boolean {
  return /^<[\x21-\x3b\x3d\x3f-\x7e]{1,250}>$/.test(id) && !id.includes('=?');
}

/** A header as it stands above a quote: a stranger's may be as long as a book. */
function headLine(value: string): string {
  const chars = Array.from(seenLine(value).slice(0, 2 * HEAD_CHARS + 2));
  return chars.length <= HEAD_CHARS ? chars.join('') : `${chars.slice(0, HEAD_CHARS).join('')}…`;
}

function seenLine(value: string): string {
  return seenText(oneLine(value));
}
