import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { documentText } from '../../../adapters/extract/document-text.ts';
import {
  officeFile,
  openDocumentFile,
  paragraph,
  run,
  sheetFile,
  slidesFile,
  wordFile,
  wordFileOf,
} from './office-files.ts';

const HIDDEN = '\n\n[Hidden text of this document is left out.]';

async function textOf(bytes: Uint8Array): Promise<string> {
  // The declared type is wrong: the bytes decide.
  const answer = await documentText(bytes, { name: 'page.html', mime: 'text/html' });
  return answer.kind === 'text' ? answer.text : `(${answer.reason})`;
}

describe('packages', () => {
  const VENDOR = 'application/vnd.openxmlformats-officedocument';
  const word = (type: string, text = 'written') => ({
    name: '/word/document.xml',
    type,
    xml: `<w:document>${paragraph(run(text))}</w:document>`,
  });

  it.each([
    `${VENDOR}.wordprocessingml.document.main+xml`,
    `${VENDOR}.wordprocessingml.template.main+xml`,
    'application/vnd.ms-word.document.macroEnabled.main+xml',
    'application/vnd.ms-word.template.macroEnabledTemplate.main+xml',
    'APPLICATION/VND.MS-WORD.DOCUMENT.MACROENABLED.MAIN+XML',
  ])('are read as a word document for %s, by part and by extension', async (type) => {
    expect(await textOf(officeFile([word(type)]))).toBe('written');
    expect(await textOf(officeFile([word(type)], 'extension'))).toBe('written');
  });

  it.each([
    'application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml',
    'application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml',
    `${VENDOR}.presentationml.slideshow.main+xml`,
  ])('are read as slides for %s', async (type) => {
    const slide = {
      name: '/ppt/slides/slide1.xml',
      type: `${VENDOR}.presentationml.slide+xml`,
      xml: '<p:sld xmlns:a="a"><a:p><a:r><a:t>shown</a:t></a:r></a:p></p:sld>',
    };
    const main = {
      name: '/ppt/presentation.xml',
      type,
      xml: '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>',
      related: { rId1: ['slide', 'slides/slide1.xml'] },
    } as const;
    expect(await textOf(officeFile([main, slide]))).toBe('shown');
    expect(await textOf(officeFile([main, slide], 'extension'))).toBe('shown');
  });

  it.each([
    'application/vnd.ms-excel.sheet.macroEnabled.main+xml',
    'application/vnd.ms-excel.addin.macroEnabled.main+xml',
    `${VENDOR}.spreadsheetml.template.main+xml`,
  ])('are read as sheets for %s', async (type) => {
    const sheet = {
      name: '/xl/worksheets/sheet1.xml',
      type: `${VENDOR}.spreadsheetml.worksheet+xml`,
      xml: '<worksheet><sheetData><row><c r="A1"><v>7</v></c></row></sheetData></worksheet>',
    };
    const main = {
      name: '/xl/workbook.xml',
      type,
      xml: '<workbook><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>',
      related: { rId1: ['worksheet', 'worksheets/sheet1.xml'] },
    } as const;
    expect(await textOf(officeFile([main, sheet]))).toBe('One\n7');
    expect(await textOf(officeFile([main, sheet], 'extension'))).toBe('One\n7');
  });

  it.each(['application/vnd.ms-visio.drawing.main+xml', 'application/octet-stream'])(
    'of %s are not read, and nothing is reported of their text',
    async (type) => {
      expect(await textOf(officeFile([word(type)]))).toBe('(unsupported_type)');
      expect(await textOf(officeFile([word(type)], 'extension'))).toBe('(unsupported_type)');
    },
  );

  it('show headers and footnotes that only a relationship leads to', async () => {
    const part = (name: string, text: string) => ({
      name,
      type: 'application/xml',
      xml: `<w:x>${paragraph(run(text))}</w:x>`,
    });
    const main = {
      ...word(`${VENDOR}.wordprocessingml.document.main+xml`, 'body'),
      related: { a: ['footnotes', 'notes.xml'], b: ['header', 'head.xml'], c: ['header', 'head.xml'] },
    } as const;
    const file = officeFile([main, part('/word/head.xml', 'head'), part('/word/notes.xml', 'note')]);
    expect(await textOf(file)).toBe('head\nbody\nnote');
  });

  it('with a target that cannot be decoded are read without it', async () => {
    const main = {
      ...word(`${VENDOR}.wordprocessingml.document.main+xml`, 'body'),
      related: { a: ['image', '100%.png'] },
    } as const;
    expect(await textOf(officeFile([main]))).toBe('body');
  });
});

describe('word documents', () => {
  it('are recognised by their content type, whatever the name of the part', async () => {
    expect(await textOf(wordFile(paragraph(run('here'))))).toBe('here');
  });

  it('show the text of runs, without hidden or deleted ones', async () => {
    const body = paragraph(
      run('shown '),
      run('hidden', '<w:vanish/>'),
      run('dots', '<w:sz w:val="2"/>'),
      run('not hidden', '<w:vanish w:val="0"/><w:sz w:val="12"/>'),
      '<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>',
      '<w:r><w:instrText>PAGEREF</w:instrText></w:r>',
    );
    expect(await textOf(wordFile(body))).toBe(`shown not hidden${HIDDEN}`);
  });

  it('show a text box once, without its fallback for older programs', async () => {
    const box = (tag: string) => `<${tag}><w:p>${run('boxed')}</w:p></${tag}>`;
    const body = paragraph(`<w:r>${box('mc:Choice')}${box('mc:Fallback')}</w:r>`, run('after'));
    expect(await textOf(wordFile(body))).toBe('boxed\nafter');
  });

  it('resolve references and CDATA, and leave out comments and tags in attributes', async () => {
    const body = `<w:p w:x="a > b <w:t>no</w:t>"><!-- <w:t>no</w:t> --><w:r><w:t>&lt;&#65;&#x1F600;&amp;amp;<![CDATA[<b>]]>&unknown;&#x110000;</w:t></w:r></w:p>`;
    expect(await textOf(wordFile(body))).toBe('<A😀&amp;<b>&unknown;&#x110000;');
  });

  it('may be UTF-16', async () => {
    const xml = `\ufeff<?xml version="1.0" encoding="UTF-16"?><w:document>${paragraph(run('wide'))}</w:document>`;
    expect(await textOf(wordFileOf(Buffer.from(xml, 'utf16le')))).toBe('wide');
  });
});

describe('sheets', () => {
  const cell = (at: string, value: string, attributes = '') =>
    `<x:c r="${at}" ${attributes}><x:v>${value}</x:v></x:c>`;

  it.each<[string, string, string, string, boolean]>([
    ['shared strings that no cell needs', 'sharedStrings', '<x:c><x:v>7</x:v></x:c>', 'One\n7', false],
    ['styles that no number needs', 'styles', '<x:c t="str"><x:v>text</x:v></x:c>', 'One\ntext', false],
    [
      'shared strings that a cell needs',
      'sharedStrings',
      '<x:c t="s"><x:v>0</x:v></x:c><x:c><x:v>7</x:v></x:c>',
      'One\n\t7',
      true,
    ],
  ])('are read without %s', async (_name, missing, cells, text, cut) => {
    const whole = sheetFile(`<x:sheetData><x:row>${cells}</x:row></x:sheetData>`, {
      strings: '<si><t>a</t></si>',
    });
    const files = unzipSync(whole);
    delete files[`xl/${missing}.xml`];
    const relations = 'xl/_rels/workbook.xml.rels';
    const named = `<Relationship Id="rId9" Type="x/${missing}" Target="${missing}.xml"/></Relationships>`;
    files[relations] = strToU8(strFromU8(files[relations] ?? strToU8('')).replace('</Relationships>', named));
    expect(await documentText(zipSync(files), { name: '', mime: '' })).toEqual({ kind: 'text', text, cut });
  });

  it('are read without a header that a document names', async () => {
    const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
    const xml = `<w:document><w:body>${paragraph(run('kept'))}</w:body></w:document>`;
    const related = { rId1: ['header', 'header1.xml'] } as const;
    const file = officeFile([{ name: '/word/document.xml', type, xml, related }]);
    expect(await documentText(file, { name: '', mime: '' })).toEqual({
      kind: 'text',
      text: 'kept',
      cut: true,
    });
  });

  it('show dates, times, shared strings and numbers as a person sees them', async () => {
    const styles =
      '<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm&quot;d&quot;"/><numFmt numFmtId="165" formatCode="&quot;days&quot; 0.0[Red]"/></numFmts>' +
      '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>';
    const strings =
      '<si><t>plain</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>spoken</t></rPh></si>';
    const row = [
      cell('A1', '46082', 's="1"'),
      cell('B1', '46082.75', 's="2"'),
      cell('C1', '0.5', 's="1"'),
      cell('D1', '59', 's="1"'),
      cell('E1', '61', 's="1"'),
      cell('F1', '3.5', 's="3"'),
      cell('G1', '0', 't="s"'),
      cell('H1', '1', 't="s"'),
      cell('I1', '0.1000000000000000055'),
      cell('J1', '#DIV/0!', 't="e"'),
      '<x:c r="K1" t="inlineStr"><x:is><x:t>in&#10;line</x:t></x:is></x:c>',
    ];
    const sheet = `<x:sheetData><x:row r="1">${row.join('')}</x:row></x:sheetData>`;
    expect(await textOf(sheetFile(sheet, { strings, styles }))).toBe(
      'One\n2026-03-01\t2026-03-01 18:00\t12:00\t1900-02-28\t1900-03-01\t3.5\tplain\trich text\t0.1\t#DIV/0!\tin line',
    );
  });

  it('count days from 1904 if the workbook says so', async () => {
    const sheet = `<x:sheetData><x:row>${cell('A1', '1', 's="0"')}</x:row></x:sheetData>`;
    const styles = '<cellXfs><xf numFmtId="14"/></cellXfs>';
    expect(await textOf(sheetFile(sheet, { styles, workbook: '<x:workbookPr date1904="1"/>' }))).toBe(
      'One\n1904-01-02',
    );
  });

  it('leave out hidden columns, and keep the position of the others', async () => {
    const sheet = `<x:cols><x:col min="2" max="2" hidden="1"/></x:cols><x:sheetData><x:row>${cell('A1', '1')}${cell('B1', '2')}${cell('D1', '4')}</x:row></x:sheetData>`;
    expect(await textOf(sheetFile(sheet))).toBe(`One\n1\t\t\t4${HIDDEN}`);
  });
});

describe('slides', () => {
  it('come in the order of the presentation, without the hidden ones', async () => {
    const file = slidesFile([{ text: 'first' }, { text: 'secret', hidden: true }, { text: 'last' }]);
    expect(await textOf(file)).toBe(`first\n\nlast${HIDDEN}`);
  });
});

describe('open documents', () => {
  it('leave out deletions and text hidden by a style', async () => {
    const file = openDocumentFile(
      '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>' +
        '<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>' +
        '<text:p>a<text:span text:style-name="T1">b<text:span>c</text:span></text:span>d<text:tab/>e<text:line-break/>f</text:p>' +
        '<text:p>g<office:annotation><dc:creator>Ada</dc:creator><text:p>a note</text:p></office:annotation></text:p>',
    );
    expect(await textOf(file)).toBe(`ad\te\nf\ng [Ada a note]${HIDDEN}`);
  });

  it('show the headers and footers of text documents, not those of sheets', async () => {
    const styles =
      '<style:style><text:p>x</text:p></style:style><style:header><text:p>head <text:page-number>1</text:page-number></text:p></style:header>' +
      '<style:footer-left><text:p>foot</text:p></style:footer-left>';
    expect(await textOf(openDocumentFile('<text:p>a</text:p>', '', { styles }))).toBe('a\nhead\nfoot');
    expect(await textOf(openDocumentFile('<text:p>a</text:p>', '', { styles, kind: 'spreadsheet' }))).toBe(
      'a',
    );
  });

  it('with a password are encrypted', async () => {
    const file = openDocumentFile(
      '\u0001\u0002',
      '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>',
    );
    expect(await textOf(file)).toBe('(encrypted)');
  });

  it('repeat cells and rows as declared, within limits', async () => {
    const cells = (n: number, text: string) =>
      `<table:table-cell table:number-columns-repeated="${n}">${text && `<text:p>${text}</text:p>`}</table:table-cell>`;
    const rows = (n: number, content: string) =>
      `<table:table-row table:number-rows-repeated="${n}">${content}</table:table-row>`;
    const file = openDocumentFile(
      `<table:table table:name="T">${rows(2, cells(2, 'x') + cells(3, '') + cells(1, 'y') + cells(9999, ''))}${rows(1_000_000, cells(16_384, ''))}</table:table>`,
    );
    expect(await textOf(file)).toBe('T\nx\tx\t\t\t\ty\nx\tx\t\t\t\ty');
  });
});
