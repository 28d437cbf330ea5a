import { unicodeDomain } from '../safety/punycode.ts';

/**
 * Finds links in plain text that show one host and lead to another. Pure. Splits each link syntax at the mark between its
 * text and its target, so no character is read more than a few times.
 */
export function* misleadingLinksIn(text: string): Generator<MisleadingLink> {
  // Chinese and Japanese full stops also separate domain labels.
  const written = text.replace(/[\u3002\uff61]/g, '.');
  for (const links of [bracketLinks, besideLinks, anchors]) {
    for (const link of links(written)) {
      const [shown, actual] = [hostIn(link.text), hostIn(link.target)];
      if (actual === undefined || shown === undefined || isWithin(actual, shown)) continue;
      yield { shown, actual, target: link.target };
    }
  }
}

export interface MisleadingLink {
  /** The host that the text of the link names, and the host that it leads to. */
  readonly shown: string;
  readonly actual: string;
  readonly target: string;
}

interface Link {
  readonly text: string;
  readonly target: string;
}

/** `[text](target)`, and `[text][name]` with `[name]: target` on a line of its own. */
function* bracketLinks(text: string): Generator<Link> {
  for (const [before, behind] of neighbours(text.split(/\]\s*\(/u))) {
    yield { text: textIn(before), target: firstWord(behind) };
  }
  const targets = new Map<string, string>();
  for (const [, name = '', target = ''] of text.matchAll(/(?<=^|\n)\[([^\][\n]*)\]:[ \n]?<?([^\s<>]+)/gu)) {
    targets.set(name.toLowerCase(), target);
    yield { text: name, target };
  }
  for (const [before, behind] of neighbours(text.split(']['))) {
    const shown = textIn(before);
    const name = behind.slice(0, Math.max(0, behind.indexOf(']'))).toLowerCase();
    yield { text: shown, target: targets.get(name === '' ? shown.toLowerCase() : name) ?? '' };
  }
}

/** `text <target>`, `text (target)` and `text [target]`. */
function* besideLinks(text: string): Generator<Link> {
  let from = 0;
  for (const link of text.matchAll(/[<([]\s*((?:https?:\/\/|mailto:|www\.)[^\s<>()[\]]+)/giu)) {
    const before = text.slice(from, link.index).trimEnd().replace(/["']$/, '');
    yield { text: lastWord(before), target: link[1] ?? '' };
    from = link.index;
  }
}

/** `<a href="target">text</a>` */
function* anchors(source: string): Generator<Link> {
  let target: string | undefined;
  let text = '';
  for (const tag of source.split('<')) {
    const end = tag.indexOf('>');
    if (/^a\s/iu.test(tag)) {
      if (target !== undefined) yield { text, target };
      const attributes = end === -1 ? tag : tag.slice(0, end);
      target = /\shref\s*=\s*["']?([^\s"']+)/iu.exec(attributes)?.[1];
      text = '';
    }
    if (target === undefined) continue;
    if (/^\/a\b/iu.test(tag)) {
      yield { text, target };
      target = undefined;
    } else if (end !== -1) {
      text += tag.slice(end + 1);
    }
  }
  if (target !== undefined) yield { text, target };
}

function* neighbours(parts: readonly string[]): Generator<[string, string]> {
  for (let at = 1; at < parts.length; at++) yield [parts[at - 1] ?? '', parts[at] ?? ''];
}

/** The text inside the bracket that is open at the end. */
function textIn(before: string): string {
  return before.slice(Math.max(before.lastIndexOf('['), before.lastIndexOf(']')) + 1);
}

function firstWord(text: string): string {
  return /^\s*<?([^\s()<>]*)/u.exec(text)?.[1] ?? '';
}

function lastWord(text: string): string {
  let from = text.length;
  while (from > 0 && !/[\s<>()[\]"']/u.test(text[from - 1] ?? '')) from--;
  return text.slice(from);
}

/** Whether a host is the shown host or one of its subdomains. */
function isWithin(host: string, shown: string): boolean {
  return host === shown || host.endsWith(`.${shown}`);
}

const HOST = new RegExp(
  [
    '^\\W{0,3}(?:mailto:)?[^\\s@/:]{1,64}@(?<mailHost>[^\\s@/:?]{1,253})',
    '(?:^|\\s)[^\\p{L}\\p{N}\\s]{0,3}https?:[\\\\/]{2}(?:[^\\s/@?#]{0,200}@)?(?<urlHost>[^\\s/?#:\\\\]{1,253})',
    '(?:^|\\s)[^\\p{L}\\p{N}\\s]{0,3}(?<bareHost>(?:[\\p{L}\\p{N}-]{1,63}\\.){1,10}(?<top>\\p{L}{2,63}|xn--[\\w-]{1,59}))(?=[\\s/:?#.,;!]|$)',
  ].join('|'),
  'iu',
);

/** Last labels that mean a file name, not a host. */
const FILE_ENDINGS = new Set(
  'pdf doc docx xls xlsx ppt pptx odt ods odp rtf txt csv md html htm xml json yaml yml js ts jsx tsx css py rb go rs java c h cpp sh zip gz tar png jpg jpeg gif svg webp mp3 mp4 mov eml ics exe dmg'.split(
    ' ',
  ),
);

/** Whether a bare name is likelier that of a file. */
export function isFileName(name: string): boolean {
  return FILE_ENDINGS.has(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) && !/^www\./i.test(name);
}

/** The host in a URL, a bare host name or an email address; undefined if the text names none. */
function hostIn(text: string): string | undefined {
  const { mailHost, urlHost, bareHost, top = '' } = HOST.exec(text.trim())?.groups ?? {};
  const explicit = mailHost ?? urlHost;
  if (explicit !== undefined) return hostName(explicit);
  if (bareHost === undefined) return undefined;
  const isFile = FILE_ENDINGS.has(top.toLowerCase()) && !/^www\./i.test(bareHost);
  return isFile ? undefined : hostName(bareHost);
}

function hostName(host: string): string {
  return unicodeDomain(host.replace(/^www\./i, '').replace(/(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/u, ''));
}
