import * as z from 'zod';
import { xmlDecoder } from '../xml/xml-decoder.ts';
import { BadXml, xmlParts } from '../xml/xml-parts.ts';
import { XML_FAULTS, type XmlFault } from '../xml/xml-shapes.ts';
import type { Job } from './job.ts';

/** Reads an XML document: the children of its root. */

export interface XmlInput {
  /** In the pieces in which it arrived. */
  readonly document: readonly Uint8Array[];
  /** The Content-Type that it came with. Empty: none. */
  readonly contentType: string;
  /** The required name of the root. */
  readonly root: string;
  /** By namespace; elements of any other get the prefix `other`. Undefined: names have no prefix. */
  readonly prefixes?: Readonly<Record<string, string>> | undefined;
}

/**
 * `pieces`: the children of the root in order, some of them in each, as JSON of `XmlElement[]`. There may be tens of
 * thousands, which would block whoever receives them at once; the pieces are opened one after another.
 */
export type XmlReading =
  | { readonly kind: 'parts'; readonly pieces: readonly string[] }
  | { readonly kind: 'refused'; readonly fault: XmlFault };

/** A piece ends with the part that makes it this long. Opening it takes about a millisecond. */
const PIECE_CHARS = 64 * 1024;

export const xmlJob: Job<XmlInput, XmlReading> = {
  input: z.object({
    document: z.array(z.instanceof(Uint8Array)),
    contentType: z.string(),
    root: z.string(),
    prefixes: z.record(z.string(), z.string()).optional(),
  }),
  output: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('parts'), pieces: z.array(z.string()) }),
    z.object({ kind: z.literal('refused'), fault: z.enum(XML_FAULTS) }),
  ]),
  async read({ document, contentType, root, prefixes }) {
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
  },
};
