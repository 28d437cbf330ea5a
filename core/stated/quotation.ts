import { MAIL_WORDS } from '../text/mail-words.ts';
import { normalForm } from '../text/normal-form.ts';

/**
 * Splits the text of a message into what its author wrote and what it quotes or forwards. Pure. An estimate: people write
 * quotations in many ways, and a sender can imitate all of them. So a quotation never vouches for anything, and no line is
 * left out: headers and introductions belong to the quotation. What a quotation quotes in turn belongs to both persons.
 */
export interface Passage {
  readonly text: string;
  /** Null: the author's own words. Otherwise the address of the person quoted; empty if none is named for certain. */
  readonly quoting: string | null;
  /** The author's own, below the line that starts a signature. */
  readonly isSignature?: true;
}

/** The first header of a forwarded message. */
const FROM = new RegExp(`^\\*?${MAIL_WORDS.from}\\*?\\s?[:：]`, 'iu');
const HEADER = /^\*?\p{L}[\p{L}\p{M} -]{0,20}\*?\s?[:：]/u;
const RULE_SIGNS = '-_*=';
/** Of the words between the signs of a separator. */
const SEPARATOR_CHARS = 200;
const ADDRESS = /[\p{L}\p{M}\p{N}._+-]{1,64}@(?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,10}[\p{L}\p{M}\p{N}-]{2,63}/gu;
const DATE = /(?<!\d)(?:(?:19|20)\d\d|\d{1,2}[./-]\d{1,2}[./-]\d\d)(?!\d)/u;
const TIME = /(?<!\d)\d{1,2}[:.h]\d\d(?!\d)/u;
/** The lines of a header block. */
const HEADERS_MAX = 8;
/**
 * A block in a language that is not listed has a line with an address, one with a date, and a third. Lists of ordinary facts
 * look the same, so it names nobody.
 */
const UNLISTED_HEADERS = 3;
const WROTE = new RegExp(`(?<!\\p{L})${MAIL_WORDS.wrote}`, 'iu');
/** The introduction of a quotation may be broken into several lines. */
const INTRODUCTION_LINES = 3;
/** Deeper quotations belong to those around them alone. */
const DEPTH_MAX = 6;
/** Fewer than a record keeps of a read. What follows is nobody's for certain. */
const PASSAGES_MAX = 140;
const QUOTED = /^\s{0,3}>/u;

/** Text that somebody else wrote. */
interface Block {
  readonly person: string;
  /** With its introduction or its headers. */
  readonly lines: readonly string[];
  /** Its lines as its own author saw them. */
  readonly inner: readonly string[];
}

export function passagesOf(text: string): Passage[] {
  return passagesAt(text.split('\n'), 0, PASSAGES_MAX);
}

function passagesAt(lines: readonly string[], depth: number, most: number): Passage[] {
  const passages: Passage[] = [];
  let own: string[] = [];
  let isSignature = false;
  const endOwn = () => {
    if (own.length > 0)
      passages.push({ quoting: null, text: own.join('\n'), ...(isSignature && { isSignature }) });
    own = [];
    isSignature = false;
  };
  for (let at = 0; at < lines.length; ) {
    if (passages.length >= most) {
      passages.push({ quoting: '', text: [...own, ...lines.slice(at)].join('\n') });
      return passages;
    }
    const quoted = quotedFrom(lines, at);
    const block = quoted > 0 ? quotationOf(lines.slice(at, at + quoted), own) : forwardedAt(lines, at);
    if (block === undefined) {
      const line = lines[at] ?? '';
      // RFC 3676, 4.3.
      if (!isSignature && /^-- \r?$/.test(line)) {
        endOwn();
        isSignature = true;
      }
      own.push(line);
      at += 1;
      continue;
    }
    endOwn();
    const { person } = block;
    passages.push({ quoting: person, text: block.lines.join('\n') });
    if (depth < DEPTH_MAX) {
      for (const one of passagesAt(block.inner, depth + 1, most - passages.length)) {
        const isOthers = one.quoting !== null && one.quoting !== '' && one.quoting !== person;
        if (isOthers) passages.push(one);
      }
    }
    if (quoted === 0) break;
    at += quoted;
  }
  endOwn();
  return passages;
}

/** How many lines of a quotation start here. An empty line between two quoted ones belongs to them. */
function quotedFrom(lines: readonly string[], from: number): number {
  let count = 0;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (QUOTED.test(line)) count = at + 1 - from;
    else if (count === 0 || line.trim() !== '') break;
  }
  return count;
}

/** @param own  the lines before it. Those that introduce it are taken away */
function quotationOf(quoted: readonly string[], own: string[]): Block {
  const { person, lines } = introduced(own);
  return {
    person,
    lines: [...lines, ...quoted.map((line) => line.replace(/^[\s>]+/u, ''))],
    inner: quoted.map((line) => line.replace(/^\s{0,3}>[^\S\n]?/u, '')),
  };
}

/**
 * The person whom the lines before a quotation name. Takes these lines away from the author's words: the author only
 * answers that person.
 */
function introduced(lines: string[]): Pick<Block, 'person' | 'lines'> {
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

/** A message that is forwarded, or quoted below its headers or its introduction, from this line to the end. */
function forwardedAt(lines: readonly string[], at: number): Block | undefined {
  const head = headersAt(lines, at) ?? introductionAt(lines, at);
  if (head === undefined) return undefined;
  const rest = lines.slice(at);
  return { person: head.person, lines: rest, inner: rest.slice(head.count) };
}

interface Head {
  readonly person: string;
  /** Of its lines. */
  readonly count: number;
}

function headersAt(lines: readonly string[], at: number): Head | undefined {
  const separator = separatorOf(lines[at] ?? '');
  let first = separator === undefined ? at : at + 1;
  if (separator !== undefined && lines[first]?.trim() === '') first += 1;
  const headers: string[] = [];
  for (let next = first; headers.length < HEADERS_MAX; next += 1) {
    const line = (lines[next] ?? '').trim();
    if (!HEADER.test(line)) break;
    headers.push(line);
  }
  const from = headers.find((line) => FROM.test(line));
  const count = first + headers.length - at;
  const named = separator !== undefined && WROTE.test(separator) ? lastAddress(separator) : undefined;
  const isBlock =
    separator === undefined
      ? headers.length > 1 && from !== undefined && from === headers[0]
      : headers.length > 0;
  if (isBlock) return { person: lastAddress(from ?? headers.join(' ')) ?? named ?? '', count };
  if (named !== undefined) return { person: named, count };
  return separator === undefined && isUnlistedBlock(headers) ? { person: '', count } : undefined;
}

function isUnlistedBlock(headers: readonly string[]): boolean {
  const [first = '', ...others] = headers;
  return (
    headers.length >= UNLISTED_HEADERS &&
    lastAddress(first) !== undefined &&
    others.some((line) => DATE.test(line))
  );
}

/** `On 23 November 2026 at 10:12, Ada <ada@example.org> wrote:`, and no `>` below it. */
function introductionAt(lines: readonly string[], at: number): Head | undefined {
  const first = lines[at] ?? '';
  if (!DATE.test(first) && !TIME.test(first)) return undefined;
  for (let count = 1; count <= INTRODUCTION_LINES; count += 1) {
    const introduction = lines
      .slice(at, at + count)
      .join(' ')
      .trim();
    if (introduction.length > INTRODUCTION_CHARS) break;
    if (!/[:：]$/u.test(introduction) || !/[<([][^\s<>()[\]]{3,320}[>)\]]/u.test(introduction)) continue;
    const named = lastAddress(introduction);
    if (named === undefined) continue;
    const person = WROTE.test(introduction) ? named : '';
    return QUOTED.test(lineBelow(lines, at + count)) ? undefined : { person, count };
  }
  return undefined;
}

const INTRODUCTION_CHARS = 500;

/** The next line that is not empty. */
function lineBelow(lines: readonly string[], from: number): string {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() !== '') return line;
  }
  return '';
}

/**
 * The words of `---------- Forwarded message ----------`; empty if the line is a rule. A pattern would try each sign of a long
 * rule as the end.
 */
function separatorOf(line: string): string | undefined {
  const text = line.trim();
  let start = 0;
  while (RULE_SIGNS.includes(text.charAt(start)) && start < text.length) start += 1;
  if (start === text.length) return start >= 6 ? '' : undefined;
  let end = text.length;
  while (RULE_SIGNS.includes(text.charAt(end - 1))) end -= 1;
  if (start < 3 || text.length - end < 3 || end - start > SEPARATOR_CHARS) return undefined;
  const words = text.slice(start, end);
  return /[-_*=]{3}/.test(words) ? undefined : words;
}

function lastAddress(text: string): string | undefined {
  return [...normalForm(text, 'NFC').slice(-1000).matchAll(ADDRESS)].at(-1)?.[0].toLowerCase();
}
