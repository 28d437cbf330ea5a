import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { documentText } from '../../../adapters/extract/document-text.ts';

const CONTAINER = '<container><rootfiles><rootfile full-path="EPUB/book.opf"/></rootfiles></container>';
const item = (id: string, href: string) =>
  `<item id="${id}" href="${href}" media-type="application/xhtml+xml"/>`;
const page = (body: string, head = '<title/>') =>
  `<?xml version="1.0"?><html><head>${head}</head><body>${body}</body></html>`;

function book(files: Readonly<Record<string, string>>, list: string): Uint8Array {
  const all = {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': CONTAINER,
    'EPUB/book.opf': list,
    ...files,
  };
  return zipSync(Object.fromEntries(Object.entries(all).map(([name, text]) => [name, strToU8(text)])));
}

async function answerOf(bytes: Uint8Array) {
  return documentText(bytes, { name: 'a.epub', mime: 'application/epub+zip' });
}

describe('an .epub', () => {
  const list = `<package><manifest>${item('b', 'second.xhtml')}${item('a', 'text/the%20first.xhtml')}${item('x', 'unlisted.xhtml')}</manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>`;
  const files = {
    'EPUB/text/the first.xhtml': page(
      '<h1>One</h1><p>Two <a id="x"/>three</p><div style="display:none"/>four',
    ),
    'EPUB/second.xhtml': page('<p>Five</p><p style="display:none">hidden</p>'),
    'EPUB/unlisted.xhtml': page('<p>of no chapter</p>'),
  };

  it('shows its chapters in reading order', async () => {
    expect(await answerOf(book(files, list))).toEqual({
      kind: 'text',
      text: 'One\n\nTwo three\n\nfour\n\nFive',
      cut: false,
    });
  });

  describe('with style sheets in files of their own', () => {
    const one = `<package><manifest>${item('a', 'text/a.xhtml')}</manifest><spine><itemref idref="a"/></spine></package>`;
    const shown = async (
      head: string,
      sheets: Readonly<Record<string, string>>,
      body = '<p>Shown <i class="x">hidden</i> text</p>',
    ) => {
      const answer = await answerOf(book({ 'EPUB/text/a.xhtml': page(body, head), ...sheets }, one));
      return answer.kind === 'text' ? answer.text : answer.reason;
    };
    const link = '<link rel="stylesheet" type="text/css" href="../styles/a%20b.css"/>';

    it.each([
      ['by a link', link, { 'EPUB/styles/a b.css': '<!-- .x { display: none } -->' }],
      ['by an instruction', '<?xml-stylesheet href="../a.css"?>', { 'EPUB/a.css': '.x { font-size: 0 }' }],
      [
        'by an import',
        link,
        { 'EPUB/styles/a b.css': '@import "b.css";', 'EPUB/styles/b.css': '.x{display:none}' },
      ],
      [
        'by an import of the page',
        '<style>@import url(../b.css);</style>',
        { 'EPUB/b.css': '.x{visibility:hidden}' },
      ],
      [
        'for screens',
        link.replace('href', 'media="screen" href'),
        { 'EPUB/styles/a b.css': '.x{display:none}' },
      ],
    ])('leaves out what they hide: %s', async (_, head, sheets) => {
      expect(await shown(head, sheets)).toBe('Shown text');
    });

    it.each([
      ['an alternate sheet', link.replace('stylesheet', 'alternate stylesheet'), '.x{display:none}'],
      ['a sheet for printers', link.replace('href', 'media="print" href'), '.x{display:none}'],
      ['a sheet that only colours', link, '.x{color:#222}'],
    ])('shows what %s styles', async (_, head, css) => {
      expect(await shown(head, { 'EPUB/styles/a b.css': css })).toBe('Shown hidden text');
    });

    it('shows the text beside a sheet that is missing', async () => {
      expect(await shown(link, {})).toBe('Shown hidden text');
    });

    it('marks all text if a sheet is too large, imports itself, or all sheets together are too much', async () => {
      const large = `.x{color:red}${' '.repeat(300_000)}`;
      expect(await shown(link, { 'EPUB/styles/a b.css': large })).toMatch(/possibly hidden: Shown/);
      const circle = '@import "a b.css"; .y{color:red}';
      expect(await shown(link, { 'EPUB/styles/a b.css': circle })).toMatch(/possibly hidden: Shown/);
      const half = `.y{color:red}${' '.repeat(200_000)}`;
      expect(await shown(link.repeat(20), { 'EPUB/styles/a b.css': half })).toMatch(/possibly hidden: Shown/);
    });

    it('takes nothing of a sheet for text', async () => {
      const css = '.x{display:none}</style>--><p>not of the book</p>';
      expect(await shown(link, { 'EPUB/styles/a b.css': css })).toBe('Shown text');
      expect(await shown(`<!-- ${link} -->`, { 'EPUB/styles/a b.css': css })).toBe('Shown hidden text');
    });
  });

  it('is encrypted if its chapters are, but not if only its fonts are', async () => {
    const lock = (name: string) => ({
      ...files,
      'META-INF/encryption.xml': `<encryption><CipherReference URI="${name}"/></encryption>`,
    });
    expect(await answerOf(book(lock('EPUB/second.xhtml'), list))).toMatchObject({ cut: true });
    expect(await answerOf(book(lock('EPUB/text/the first.xhtml'), list))).toEqual({
      kind: 'empty',
      reason: 'encrypted',
    });
    expect(await answerOf(book(lock('EPUB/font.otf'), list))).toMatchObject({ kind: 'text', cut: false });
  });

  it('is cut if a chapter is missing, and broken without a list of chapters', async () => {
    const { 'EPUB/second.xhtml': _, ...rest } = files;
    expect(await answerOf(book(rest, list))).toMatchObject({ kind: 'text', cut: true });
    expect(await answerOf(zipSync({ 'META-INF/container.xml': strToU8('<container/>') }))).toEqual({
      kind: 'empty',
      reason: 'broken',
    });
  });
});

describe('an Apple document', () => {
  it('is read by its preview, and says so', async () => {
    const preview = await readFile(join(import.meta.dirname, 'documents/pages.pdf'));
    expect(
      await answerOf(zipSync({ 'QuickLook/Preview.pdf': preview, 'Index/Document.iwa': new Uint8Array(9) })),
    ).toEqual({
      kind: 'text',
      text: 'Invoice 4711\nTotal: 99 EUR\n\nSecond page\n\n[This is the preview that the file holds of itself. It may show the first page only.]',
      cut: false,
    });
  });

  it('is not read without a preview', async () => {
    expect(
      await answerOf(zipSync({ 'preview.jpg': new Uint8Array(9), 'Index/Document.iwa': new Uint8Array(9) })),
    ).toEqual({
      kind: 'empty',
      reason: 'unsupported_type',
    });
  });
});
