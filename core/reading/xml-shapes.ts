import * as z from 'zod';

/** An element and its direct content. */
export interface XmlElement {
  /** With the prefix that `prefixes` assigns to its namespace, whatever prefix the document uses: `d:href`, or `href`. */
  readonly name: string;
  /** Only attributes without a namespace. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Its own text, without that of its children. */
  readonly text: string;
}

const element: z.ZodType<XmlElement> = z.object({
  name: z.string(),
  attributes: z.record(z.string(), z.string()),
  get children() {
    return z.array(element);
  },
  text: z.string(),
});

export const xmlElements: z.ZodType<readonly XmlElement[]> = z.array(element);

/** Why a document is refused, in words that quote nothing of it. */
export const XML_FAULTS = [
  'the XML is broken',
  'the XML is empty',
  'the XML is a different document',
  'the XML has a document type',
  'the XML is nested too deep',
  'the XML has too many elements',
  'an element has too many attributes',
  'the XML has too long attributes',
] as const;

export type XmlFault = (typeof XML_FAULTS)[number];
