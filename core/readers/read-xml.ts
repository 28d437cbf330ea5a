import type { XmlInput, XmlReading } from '../reading/xml-job.ts';
import { xmlDecoder } from '../xml/xml-decoder.ts';
import { BadXml, xmlParts } from '../xml/xml-parts.ts';

/** A piece ends with the part that makes it this long. Opening it takes about a millisecond. */
const PIECE_CHARS = 64 * 1024;

export function readXml({ document, contentType, root, prefixes }: XmlInput): XmlReading {
  const pieces: string[] = [];
  let texts: string[] = [];
  let chars = 0;
  const endPiece = () => {
    if (texts.length > 0) pieces.push(`[${texts.join()}]`);
    texts = [];
    chars = 0;
  };
  const decoder = xmlDecoder(contentType);
  const xml = xmlParts(root, prefixes, (part) => {
    const text = JSON.stringify(part);
    texts.push(text);
    chars += text.length;
    if (chars >= PIECE_CHARS) endPiece();
  });
  try {
    for (const bytes of document) xml.write(decoder.write(bytes));
    xml.write(decoder.end());
    xml.end();
  } catch (error) {
    if (!(error instanceof BadXml)) throw error;
    return { kind: 'refused', fault: error.fault };
  }
  endPiece();
  return { kind: 'parts', pieces };
}
