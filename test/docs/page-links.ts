import { posix } from 'node:path';

/** Links and anchors of Markdown pages, as GitHub renders them. */

/** Where a link of a page leads, as a path from the root of the repository, and its anchor. Undefined: out of the repository. */
export function leadsTo(
  page: string,
  target: string,
): { path: string; anchor: string | undefined } | undefined {
  if (/^[a-z][a-z\d+.-]*:/i.test(target)) return undefined;
  const [path = '', anchor] = target.split('#');
  const to = path === '' ? page : posix.join(posix.dirname(page), decodeURI(path)).replace(/\/$/, '');
  return { path: to, anchor };
}

/**
 * Returns the targets of the links and pictures of a page, in their order. Leaves out what stands in code.
 * @param markdown  the source of the page
 */
export function linksOf(markdown: string): string[] {
  const text = withoutCode(markdown);
  const found = [
    ...text.matchAll(/\]\(<?([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s+"[^"]*")?\)/g),
    ...text.matchAll(/^ {0,3}\[[^\]\n]+\]:[ \t]*<?([^\s<>]+)/gm),
    ...text.matchAll(/\b(?:href|src|srcset)="([^"\s]+)/g),
  ];
  return found.sort((a, b) => a.index - b.index).map(([, target = '']) => target);
}

/** Returns the anchors of a page: those of its headings, and those that it sets itself. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, title = ''] of withoutFences(markdown).matchAll(
    /^ {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$/gm,
  )) {
    const anchor = anchorOf(shownText(title));
    let unique = anchor;
    for (let again = 1; anchors.has(unique); again += 1) unique = `${anchor}-${again}`;
    anchors.add(unique);
  }
  for (const [, own = ''] of withoutCode(markdown).matchAll(/<a\s[^>]*(?:id|name)="([^"]+)"/g))
    anchors.add(own);
  return anchors;
}

/** Returns the anchor of a heading with this text, if it is the first one of the page with it. */
export function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** What a reader sees of a heading. */
function shownText(title: string): string {
  return title
    .split(/(`+[^`]+`+)/)
    .map((part) => (part.startsWith('`') ? part.replaceAll('`', '') : withoutMarks(part)))
    .join('');
}

function withoutMarks(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\\([!-/:-@[-`{-~])|\*+/g, '$1')
    .replace(/<[^>]*>/g, '');
}

/** The page with an empty line in place of each line of its blocks of code. */
export function withoutFences(markdown: string): string {
  let fence: string | undefined;
  const lines = markdown.split(/\r?\n/).map((line) => {
    const [, marks] = /^\s*(?:> ?)*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === undefined && marks === undefined) return line;
    if (fence === undefined) fence = marks;
    else if (marks?.startsWith(fence) === true) fence = undefined;
    return '';
  });
  return lines.join('\n');
}

function withoutCode(markdown: string): string {
  return withoutFences(markdown).replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, (span) =>
    span.includes('\n\n') ? span : '',
  );
}
