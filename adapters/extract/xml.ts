import { SaxesParser } from 'saxes';
import { xmlDecoder } from '../../core/xml/xml-decoder.ts';
import { NoText } from './no-text.ts';

/** Names of elements have no prefix. */
export type XmlEvent =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: XmlAttributes }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

/** Each attribute is under its full name and under its name without prefix: `id` is `id`, or `r:id` if there is no `id`. */
type XmlAttributes = Readonly<Record<string, string>>;

/** Bounds the events that wait for their reader. */
const SLICE_CHARS = 16 * 1024;
/** One text, tag, comment or CDATA section. Longer than the text of any document that is returned. */
const MAX_HELD_CHARS = 4_000_000;
/** saxes keeps every open element in memory. */
const MAX_DEPTH = 1_500_000;

/**
 * Reads XML piece by piece. An error does not end the reading: the markup at fault is skipped or becomes text. A DTD is
 * skipped, so nothing expands and nothing is loaded.
 * @throws NoText `broken` if markup does not end within its bound, `too_large` if elements are nested too deep, or
 * after the beginning of a text that is too long
 */
export function* xmlEvents(pieces: Iterable<Uint8Array>): Generator<XmlEvent> {
  const events: XmlEvent[] = [];
  // A fragment may be empty or have several roots.
  const parser = new SaxesParser({ fragment: true });
  let lastFault = '';
  // The original creates an Error, which is too slow if every character is at fault.
  parser.fail = (message) => {
    lastFault = message;
    return parser;
  };
  parser.ENTITIES['&'] = '&';
  let attributes: Record<string, string> = {};
  let depth = 0;
  parser.on('attribute', ({ name, value }) => {
    attributes[withoutPrefix(name)] ??= value;
    attributes[name] = value;
  });
  parser.on('opentag', (tag) => {
    events.push({ kind: 'open', name: withoutPrefix(tag.name), attributes });
    attributes = {};
    tag.attributes = NO_ATTRIBUTES;
    depth += 1;
    if (depth > MAX_DEPTH) throw new NoText('too_large');
  });
  parser.on('closetag', ({ name }) => {
    events.push({ kind: 'close', name: withoutPrefix(name) });
    depth -= 1;
  });
  parser.on('text', (text) => events.push({ kind: 'text', text }));
  parser.on('cdata', (text) => events.push({ kind: 'text', text: text.replaceAll(AMPERSAND, '&') }));

  let heldChars = 0;
  for (const slice of slices(pieces)) {
    parser.write(slice);
    heldChars = events.length > 0 ? 0 : heldChars + slice.length;
    yield* events.splice(0);
    if (heldChars > MAX_HELD_CHARS) break;
  }
  // Reports the text since the last tag.
  parser.close();
  if (lastFault === 'unexpected end.') throw new NoText('broken');
  yield* events;
  if (heldChars > MAX_HELD_CHARS) throw new NoText('too_large');
}

/** Takes the place of the attributes of open elements, which saxes would keep. */
const NO_ATTRIBUTES = {};

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Yields text that saxes can read. Never splits a reference or a surrogate pair. */
function* slices(pieces: Iterable<Uint8Array>): Generator<string> {
  let rest = '';
  for (const piece of decoded(pieces)) {
    for (let at = 0; at < piece.length; at += SLICE_CHARS) {
      const text = rest + piece.slice(at, at + SLICE_CHARS);
      rest = /(?:&[#\w]{0,8}|[\ud800-\udbff])$/.exec(text.slice(-9))?.[0] ?? '';
      yield repaired(text.slice(0, text.length - rest.length));
    }
  }
  yield repaired(rest);
}

/** A reference to the entity `&`. It replaces a bare `&`, which saxes would read as a reference up to the next `;`. */
const AMPERSAND = '&&;';

/** Replaces bare ampersands, and halves of surrogate pairs: some of those make saxes throw. */
function repaired(text: string): string {
  return text
    .replace(/&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|lt|gt|amp|quot|apos);)/gi, AMPERSAND)
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])/g, '\ufffd');
}

function* decoded(pieces: Iterable<Uint8Array>): Generator<string> {
  const decoder = xmlDecoder();
  for (const piece of pieces) yield decoder.write(piece);
  yield decoder.end();
}
