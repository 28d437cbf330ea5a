import { normalForm } from '../text/normal-form.ts';

/**
 * Splits the text of a message into what its author wrote and what it quotes or forwards. Pure. An estimate: people write
 * quotations in many ways, and a sender can imitate all of them. So a quotation never vouches for anything, and no line is
 * left out: headers and introductions belong to the quotation.
 */
export interface Passage {
  readonly text: string;
  /** Null: the author's own words. Otherwise the address of the person quoted; empty if none is named. */
  readonly quoting: string | null;
}

/** The first header of a forwarded message, in the languages of common mail programs. */
const FROM =
  /^\*?(?:from|von|de|da|van|från|fra|fr[åa]|od|lähettäjä|mittente|expéditeur|remitente|от|差出人|发件人|寄件者|보낸 ?사람|من)\*?\s?[:：]/iu;
const HEADER = /^\*?[\p{L}][\p{L} -]{0,20}\*?\s?[:：]/u;
const RULE_SIGNS = '-_*=';
/** Of the words between the signs of a separator. */
const SEPARATOR_CHARS = 80;
const ADDRESS = /[\p{L}\p{M}\p{N}._+-]{1,64}@(?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,10}[\p{L}\p{M}\p{N}-]{2,63}/gu;
/** The lines of a header block. */
const HEADERS_MAX = 8;
/** The introduction of a quotation may be broken into several lines. */
const INTRODUCTION_LINES = 3;

export function passagesOf(text: string): Passage[] {
  const passages: { quoting: string | null; lines: string[] }[] = [];
  const add = (quoting: string | null, line: string) => {
    const last = passages.at(-1);
    if (last?.quoting === quoting) last.lines.push(line);
    else passages.push({ quoting, lines: [line] });
  };
  const lines = text.split('\n');
  /** The person of a forwarded message, which goes on to the end of the text. */
  let forwarded: string | undefined;
  let quoted: string | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (forwarded !== undefined) {
      add(forwarded, line);
      continue;
    }
    if (/^\s{0,3}>/u.test(line)) {
      if (quoted === undefined) {
        const { person, lines: introduction } = introduced(passages.at(-1));
        quoted = person;
        for (const one of introduction) add(quoted, one);
      }
      add(quoted, line.replace(/^[\s>]+/u, ''));
      continue;
    }
    // An empty line between two quoted ones belongs to them.
    if (line.trim() !== '') quoted = undefined;
    const block = forwardedAt(lines, at);
    if (block !== undefined) {
      forwarded = block.person;
      for (const one of lines.slice(at, at + block.lines)) add(forwarded, one);
      at += block.lines - 1;
      continue;
    }
    add(null, line);
  }
  return passages.map(({ quoting, lines: own }) => ({ quoting, text: own.join('\n') }));
}

/**
 * The person whom the lines before a quotation name. Takes these lines away from the author's words: the author only
 * answers that person.
 */
function introduced(before: { quoting: string | null; lines: string[] } | undefined): {
  readonly person: string;
  readonly lines: readonly string[];
} {
  if (before?.quoting !== null) return { person: before?.quoting ?? '', lines: [] };
  const { lines } = before;
  while (lines.at(-1)?.trim() === '') lines.pop();
  for (let count = 1; count <= Math.min(INTRODUCTION_LINES, lines.length); count += 1) {
    const introduction = lines.slice(-count).join(' ');
    if (!/[:：]\s*$/u.test(introduction)) break;
    const person = lastAddress(introduction);
    if (person === undefined) continue;
    return { person, lines: lines.splice(-count) };
  }
  return { person: '', lines: [] };
}

/** A forwarded message, or one quoted below its headers, that starts at this line. */
function forwardedAt(
  lines: readonly string[],
  at: number,
): { readonly person: string; readonly lines: number } | undefined {
  const isSeparated = isSeparator(lines[at] ?? '');
  let first = isSeparated ? at + 1 : at;
  if (isSeparated && lines[first]?.trim() === '') first += 1;
  const headers: string[] = [];
  for (let next = first; headers.length < HEADERS_MAX; next += 1) {
    const line = (lines[next] ?? '').trim();
    if (!HEADER.test(line)) break;
    headers.push(line);
  }
  const from = headers.find((line) => FROM.test(line));
  const isBlock = isSeparated ? headers.length > 0 : headers.length > 1 && from === headers[0];
  if (!isBlock) return undefined;
  return { person: lastAddress(from ?? headers.join(' ')) ?? '', lines: first + headers.length - at };
}

/** `---------- Forwarded message ----------`, or a rule. A pattern would try each sign of a long rule as the end. */
function isSeparator(line: string): boolean {
  const text = line.trim();
  let start = 0;
  while (RULE_SIGNS.includes(text.charAt(start)) && start < text.length) start += 1;
  if (start === text.length) return start >= 6;
  let end = text.length;
  while (RULE_SIGNS.includes(text.charAt(end - 1))) end -= 1;
  if (start < 3 || text.length - end < 3 || end - start > SEPARATOR_CHARS) return false;
  return ![...text.slice(start, end)].some((one) => RULE_SIGNS.includes(one));
}

function lastAddress(text: string): string | undefined {
  return [...normalForm(text, 'NFC').slice(-1000).matchAll(ADDRESS)].at(-1)?.[0].toLowerCase();
}
