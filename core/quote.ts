import { codePoints } from './schema.ts';

/** The parts of a reply that are made from the message it answers: all of them a stranger's text. */

const QUOTE_CHARS = 50_000;
const SUBJECT_CHARS = 300;

// What text of ours may not hold: control characters but TAB and LF, and lone surrogates.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are replaced
const UNFIT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Surrogate}/gu;

/** `Re: ` once, on one line, at most 300 characters. */
export function replySubject(subject: string): string {
  const bare = oneLine(subject).replace(/^(?:re\s*:\s*)+/iu, '');
  return Array.from(`Re: ${bare}`).slice(0, SUBJECT_CHARS).join('').trimEnd();
}

/** The message as a quote below the answer, at most 50,000 characters of it; a cut is said. */
export function quoted(message: { from: string; date: string; text: string }): string {
  const clean = message.text.replace(/\r\n?/g, '\n').replace(UNFIT, '\uFFFD').replace(/\n+$/, '');
  const chars = Array.from(clean);
  const kept = chars.slice(0, QUOTE_CHARS).join('');
  const lines = kept
    .split('\n')
    .map((quotedLine) => (quotedLine.startsWith('>') ? `>${quotedLine}` : `> ${quotedLine}`));
  const left = chars.length - codePoints(kept);
  if (left > 0) lines.push(`[The quote ends here; ${left} more characters were left out.]`);
  return [`On ${oneLine(message.date)}, ${oneLine(message.from)} wrote:`, ...lines].join('\n');
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

function oneLine(value: string): string {
  return value
    .replace(UNFIT, ' ')
    .replace(/[\s\u2028\u2029]+/gu, ' ')
    .trim();
}
