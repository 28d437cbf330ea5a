import { Buffer } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { NoText } from './no-text.ts';

/**
 * Reads XML as a sequence of events, piece by piece, in constant memory and without a stack. It does not
 * check that elements match. It replaces only numeric references and the entities that XML itself defines. A
 * DTD is not read, so nothing expands and nothing is loaded.
 */
export type XmlEvent =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: string }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

/** One tag, comment or CDATA section; drawings contain pictures in attributes. */
const MAX_MARKUP_CHARS = 1_000_000;
/** The attributes that readers need are short and come first. */
const MAX_ATTRIBUTES_CHARS = 4096;
/** No replaced reference is longer. */
const MAX_REFERENCE_CHARS = 12;

/**
 * Yields names of elements without their prefix.
 * @throws NoText `broken` if markup does not end
 */
export function* xmlEvents(pieces: Iterable<Uint8Array>): Generator<XmlEvent> {
  let rest = '';
  /** Incomplete markup is scanned again once it has doubled, so the cost is linear in its length. */
  let enoughChars = 0;
  for (const text of decoded(pieces)) {
    rest += text ?? '';
    if (rest.length < enoughChars && text !== undefined) continue;
    let at = 0;
    for (;;) {
      const open = rest.indexOf('<', at);
      if (open === -1) break;
      if (open > at) yield { kind: 'text', text: withReferences(rest.slice(at, open)) };
      at = open;
      const end = markupEnd(rest, at);
      if (end === undefined) break;
      yield* markup(rest.slice(at, end));
      at = end;
    }
    if (rest[at] !== '<') {
      // Text need not be complete, but a reference must stay in one piece.
      const reference = rest.lastIndexOf('&');
      const safe = reference >= at && reference > rest.length - MAX_REFERENCE_CHARS ? reference : rest.length;
      if (safe > at) yield { kind: 'text', text: withReferences(rest.slice(at, safe)) };
      at = safe;
    }
    rest = rest.slice(at);
    enoughChars = rest.startsWith('<') ? 2 * rest.length : 0;
    if (rest.length > MAX_MARKUP_CHARS) throw new NoText('broken');
  }
  if (rest.startsWith('<')) throw new NoText('broken');
}

function* markup(text: string): Generator<XmlEvent> {
  if (text.startsWith('<![CDATA[')) {
    yield { kind: 'text', text: text.slice('<![CDATA['.length, -']]>'.length) };
    return;
  }
  const [, slash, name, attributesAt] = /^<(\/?)(?:[^\s/<>:]{1,100}:)?([^\s/<>:]{1,100})()/.exec(text) ?? [];
  if (name === undefined || attributesAt === undefined || name.startsWith('!') || name.startsWith('?'))
    return;
  if (slash === '/') {
    yield { kind: 'close', name };
    return;
  }
  yield { kind: 'open', name, attributes: text.slice(0, MAX_ATTRIBUTES_CHARS) };
  if (text.endsWith('/>')) yield { kind: 'close', name };
}

/** Returns where the markup that starts here ends; undefined if its end has not arrived. */
function markupEnd(text: string, at: number): number | undefined {
  if (text.startsWith('<!--', at)) return behind(text, '-->', at + 4);
  if (text.startsWith('<![CDATA[', at)) return behind(text, ']]>', at);
  if (text.startsWith('<?', at)) return behind(text, '?>', at);
  // The first characters of what may still become a comment or a CDATA section.
  if (text.length - at < '<![CDATA['.length && text.startsWith('<!', at)) return undefined;
  if (text.startsWith('<!', at)) {
    const subset = text.indexOf('[', at);
    const end = behind(text, '>', at);
    return subset === -1 || (end !== undefined && subset > end) ? end : behind(text, ']>', subset);
  }
  return tagEnd(text, at);
}

function behind(text: string, end: string, from: number): number | undefined {
  const at = text.indexOf(end, from);
  return at === -1 ? undefined : at + end.length;
}

/** A value in quotation marks may contain `>`. */
function tagEnd(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '>') return at + 1;
    if (character !== '"' && character !== "'") continue;
    at = text.indexOf(character, at + 1);
    if (at === -1) return undefined;
  }
  return undefined;
}

/** @param name  of the attribute, without its prefix */
export function attribute(event: { readonly attributes: string }, name: string): string | undefined {
  let pattern = PATTERNS.get(name);
  if (pattern === undefined) {
    pattern = new RegExp(`[\\s:]${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`);
    PATTERNS.set(name, pattern);
  }
  const match = pattern.exec(event.attributes);
  const value = match?.[1] ?? match?.[2];
  return value === undefined ? undefined : withReferences(value);
}

/** The names come from this package's own code only. */
const PATTERNS = new Map<string, RegExp>();

const REFERENCES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function withReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot|apos));/gi,
    (all, decimal, hex, name) => {
      if (typeof name === 'string') return REFERENCES[name.toLowerCase()] ?? all;
      const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}

/** @returns undefined at the end */
function* decoded(pieces: Iterable<Uint8Array>): Generator<string | undefined> {
  let decoder: ReturnType<typeof decoderFor> | undefined;
  for (const piece of pieces) {
    decoder ??= decoderFor(piece);
    yield decoder.write(piece);
  }
  yield decoder?.end();
  yield undefined;
}

/** TextDecoder takes five times as long for UTF-8 that comes in pieces. */
function decoderFor(head: Uint8Array): { write(piece: Uint8Array): string; end(): string } {
  if (head[0] === 0xfe && head[1] === 0xff) {
    const decoder = new TextDecoder('utf-16be');
    return { write: (piece) => decoder.decode(piece, { stream: true }), end: () => decoder.decode() };
  }
  const decoder = new StringDecoder(head[0] === 0xff && head[1] === 0xfe ? 'utf16le' : 'utf8');
  return {
    write: (piece) => decoder.write(Buffer.from(piece.buffer, piece.byteOffset, piece.length)),
    end: () => decoder.end(),
  };
}
