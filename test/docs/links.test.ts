import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentText, filesOfRepository } from './documents.ts';
import { anchorsOf, leadsTo, linksOf } from './page-links.ts';

const FILES = filesOfRepository();
const PAGES = FILES.filter((file) => file.endsWith('.md'));

/** Files and folders. The root is `.`. */
const PATHS = new Set(FILES.flatMap((file) => [file, ...foldersOf(file)]));

function foldersOf(file: string): string[] {
  const folder = posix.dirname(file);
  return folder === '.' ? [folder] : [folder, ...foldersOf(folder)];
}

/** What is wrong with a link of a page. Undefined: nothing, or it leads out of the repository. */
function fault(page: string, target: string): string | undefined {
  const to = leadsTo(page, target);
  if (to === undefined) return undefined;
  const { path, anchor } = to;
  if (target.startsWith('/')) return `${page}: ${target}: there is no root to start from`;
  if (!PATHS.has(path)) return `${page}: ${target}: there is no ${path}`;
  if (anchor === undefined || !path.endsWith('.md')) return undefined;
  return anchorsOf(documentText(path)).has(decodeURIComponent(anchor))
    ? undefined
    : `${page}: ${target}: no such heading`;
}

describe('every page of the repository', () => {
  it('is found', () => {
    expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/decisions/tsdav.md']));
  });

  it.each(PAGES)('%s: its relative links and anchors resolve', (page) => {
    const targets = linksOf(documentText(page));
    expect(targets.flatMap((target) => fault(page, target) ?? [])).toEqual([]);
  });
});

describe('the links of a page', () => {
  it('are those that GitHub shows', () => {
    const page = [
      '[a](a.md) and [`b`](b.md#c "title"), ![picture](p.png), [![badge](x.svg)](y.md)',
      '`[code](no.md)` and ``[`more`](no.md)``',
      '```md\n[fenced](no.md)\n```',
      '  ~~~\n[fenced](no.md)\n```\n[fenced](no.md)\n  ~~~',
      '[r]: ref.md',
      '<picture><source srcset="dark.png"><img src="light.png"></picture>',
      '[parentheses](https://example.org/a_(b)) [<in brackets>](<c.md>)',
    ].join('\n\n');
    expect(linksOf(page)).toEqual([
      ...['a.md', 'b.md#c', 'p.png', 'x.svg', 'y.md', 'ref.md', 'dark.png', 'light.png'],
      ...['https://example.org/a_(b)', 'c.md'],
    ]);
  });

  it.each([
    ['missing file', 'README.md', 'docs/missing.md', 'there is no docs/missing.md'],
    ['missing heading', 'docs/decisions/tsdav.md', '../../README.md#no-such', 'no such heading'],
    ['other case', 'README.md', 'readme.md', 'there is no readme.md'],
    ['outside', 'README.md', '../other.md', 'there is no ../other.md'],
    ['from the root of a host', 'docs/decisions/tsdav.md', '/README.md', 'there is no'],
  ])('are faulty: %s', (_, page, target, problem) => {
    expect(fault(page, target)).toContain(problem);
  });

  it.each([
    ['README.md', 'CONTRIBUTING.md#run-the-tests'],
    ['README.md', '#countersign'],
    ['docs/decisions/tsdav.md', '..'],
    ['README.md', 'examples/'],
    ['README.md', 'core/adapter.ts#L10'],
    ['README.md', 'https://example.org/missing'],
  ])('%s: %s leads somewhere', (page, target) => {
    expect(fault(page, target)).toBeUndefined();
  });
});

describe('the anchor of a heading', () => {
  it.each([
    ['## Run the tests', 'run-the-tests'],
    ['### send_email', 'send_email'],
    ['### `mail:send` and **more**', 'mailsend-and-more'],
    ['# 409 Conflict: what now?', '409-conflict-what-now'],
    ['## A – B & C', 'a--b--c'],
    ['## [Linked](x.md) heading ##', 'linked-heading'],
    ['## send\\_email', 'send_email'],
    ['## Größe', 'größe'],
  ])('%s', (heading, anchor) => {
    expect([...anchorsOf(heading)]).toEqual([anchor]);
  });

  it('is numbered if there are several, also beside a heading that has the number', () => {
    const anchors = anchorsOf(
      '# Same\n\n# Same-1\n\n# Same\n\n# Same\n\n```\n# Code\n```\n\n<a id="own"></a>',
    );
    expect([...anchors]).toEqual(['same', 'same-1', 'same-2', 'same-3', 'own']);
  });
});
