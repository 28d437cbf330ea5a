import { setImmediate } from 'node:timers/promises';
import type { Reader, ReadingFor, UnreadableReason } from '../../core/ports/reader.ts';
import type { XmlInput } from '../../core/reading/xml-job.ts';
import { type XmlElement, xmlElements } from '../../core/reading/xml-shapes.ts';

/** The reader found nothing that can be used. The message says why in plain words, and quotes no content. */
export class UnreadableXml extends Error {}

const UNREADABLE: Readonly<Record<UnreadableReason, string>> = {
  too_slow: 'the XML takes too long to read',
  too_large: 'the XML is too large',
  broken: 'the XML is broken',
};

/**
 * Reads an untrusted XML document in the reader, and passes each child of its root to `take`. Other work gets its turn in
 * between.
 * @throws UnreadableXml; what `take` throws; the signal's reason once it is aborted; an Error in plain words if the reader
 * cannot read now
 */
export async function eachXmlPart(
  reader: Reader,
  document: XmlInput,
  options: ReadingFor,
  take: (part: XmlElement) => void,
): Promise<void> {
  const reading = await reader.read('xml', document, options).catch((cause: unknown) => {
    options.signal.throwIfAborted();
    throw new Error('the XML cannot be read now', { cause });
  });
  if (reading.kind === 'unreadable') throw new UnreadableXml(UNREADABLE[reading.reason]);
  const { value } = reading;
  if (value.kind === 'refused') throw new UnreadableXml(value.fault);
  for (const piece of value.pieces) {
    await setImmediate();
    options.signal.throwIfAborted();
    for (const part of partsIn(piece)) take(part);
  }
}

/** Checks what was computed next to untrusted bytes. */
function partsIn(piece: string): readonly XmlElement[] {
  try {
    return xmlElements.parse(JSON.parse(piece));
  } catch (cause) {
    throw new UnreadableXml(UNREADABLE.broken, { cause });
  }
}

export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}
