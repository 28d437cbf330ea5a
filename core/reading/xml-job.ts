import * as z from 'zod';
import type { Job } from './job.ts';
import { XML_FAULTS, type XmlFault } from './xml-shapes.ts';

/** Reads an XML document: the children of its root. */

export interface XmlInput {
  /** Its pieces, as they arrived. */
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
};
