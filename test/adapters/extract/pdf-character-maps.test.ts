import { describe, expect, it } from 'vitest';
import { documentText } from '../../../adapters/extract/document-text.ts';

/** One page that shows these codes in a font that the file only names. */
function pdfWith(encoding: string, collection: string, codes: Buffer): Uint8Array {
  const content = `BT /F1 12 Tf 20 380 Td <${codes.toString('hex')}> Tj ET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    `<</Type/Font/Subtype/Type0/BaseFont/Somebodys/Encoding/${encoding}/DescendantFonts[6 0 R]>>`,
    `<</Type/Font/Subtype/CIDFontType0/BaseFont/Somebodys/CIDSystemInfo<</Registry(Adobe)/Ordering(${collection})/Supplement 2>>/FontDescriptor 7 0 R>>`,
    '<</Type/FontDescriptor/FontName/Somebodys/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800/Descent 0/StemV 80>>',
  ];
  const body = objects.map((object, i) => `${i + 1} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.7\n${body}trailer <</Root 1 0 R/Size 8>>\n%%EOF`, 'latin1');
}

async function answerOf(bytes: Uint8Array) {
  return documentText(bytes, { name: 'a.pdf', mime: 'application/pdf' });
}

const bytes = (hex: string) => Buffer.from(hex, 'hex');

describe('a PDF whose font is named but not embedded', () => {
  it.each([
    ['UniGB-UCS2-H', 'GB1', bytes('4f1a8bae'), '会议'],
    ['UniJIS-UTF16-H', 'Japan1', bytes('6771d842dfb7'), '東𠮷'],
    ['UniKS-UCS2-V', 'Korea1', bytes('d68cc758'), '회의'],
    ['UniCNS-UTF16-H', 'CNS1', bytes('67038b70'), '會議'],
    ['90ms-RKSJ-H', 'Japan1', bytes('41938c8b9eb1'), 'A東京ｱ'],
    ['EUC-H', 'Japan1', bytes('41c5ecb5fe'), 'A東京'],
    ['GBK-EUC-H', 'GB1', bytes('41bbe1d2e9'), 'A会议'],
    ['ETen-B5-H', 'CNS1', bytes('41b77cc4b3'), 'A會議'],
    ['KSCms-UHC-H', 'Korea1', bytes('41c8b8c0c7'), 'A회의'],
    ['KSCms-UHC-H', 'Korea1', bytes('418c63'), 'A똠'],
  ])('is read by the charset of its codes: %s', async (encoding, collection, codes, text) => {
    expect(await answerOf(pdfWith(encoding, collection, codes))).toEqual({ kind: 'text', text, cut: false });
  });

  it.each([
    ['Identity-H', 'Japan1'],
    ['CNS-EUC-H', 'CNS1'],
  ])('is not reported as having no text if the codes are glyphs only: %s', async (encoding, collection) => {
    expect(await answerOf(pdfWith(encoding, collection, bytes('08a108a2')))).toEqual({
      kind: 'empty',
      reason: 'unsupported_type',
    });
  });
});
