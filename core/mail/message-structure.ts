import { ATTACHMENTS_MAX, type AttachmentInfo, attachmentFacts } from './attachment-info.ts';
import type { DescribedAttachment } from './message-source.ts';

/** The structure of a message as its server reports it: IMAP's BODYSTRUCTURE. */
export interface MessageStructure {
  /** The number of the part. Undefined for a message with only one part. */
  readonly part?: string | undefined;
  /** Lower case. */
  readonly type: string;
  readonly disposition?: string | undefined;
  readonly dispositionParameters?: Readonly<Record<string, string>> | undefined;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly encoding?: string | undefined;
  /** Size as encoded. */
  readonly size?: number | undefined;
  readonly childNodes?: readonly MessageStructure[] | undefined;
}

/** The parts that a person would read, and the attachments. */
export function partsOf(structure: MessageStructure): {
  readonly texts: readonly MessageStructure[];
  readonly attached: readonly MessageStructure[];
} {
  const texts = textsIn(structure);
  const attached = leaves(structure).filter((part) => fileName(part) !== '' || !isShown(part, texts));
  // One more than the list shows, so that it can report that there are more.
  return { texts, attached: attached.slice(0, ATTACHMENTS_MAX + 1) };
}

/** Of the alternatives of a text, HTML: that is what a person sees. */
function textsIn(node: MessageStructure): readonly MessageStructure[] {
  if (node.childNodes === undefined) return isText(node) ? [node] : [];
  const inEach = node.childNodes.map((child) => textsIn(child));
  if (node.type !== 'multipart/alternative') return inEach.flat();
  const isHtml = (texts: readonly MessageStructure[]) => texts.some(({ type }) => type === 'text/html');
  return inEach.findLast(isHtml) ?? inEach.find((texts) => texts.length > 0) ?? [];
}

function leaves(node: MessageStructure): readonly MessageStructure[] {
  return node.childNodes === undefined ? [node] : node.childNodes.flatMap((child) => leaves(child));
}

function isText({ type, disposition }: MessageStructure): boolean {
  return /^text\/(plain|html)$/.test(type) && disposition !== 'attachment';
}

/** Whether it is one of the texts, or an alternative form of one. */
function isShown(part: MessageStructure, texts: readonly MessageStructure[]): boolean {
  return texts.includes(part) || (isText(part) && part.disposition === undefined);
}

function fileName({ dispositionParameters, parameters }: MessageStructure): string {
  return dispositionParameters?.filename ?? parameters?.name ?? '';
}

export function described(part: MessageStructure): DescribedAttachment {
  return {
    name: fileName(part),
    mime: part.type,
    charset: part.parameters?.charset ?? '',
    encoding: part.encoding ?? '',
    encodedBytes: part.size ?? 0,
  };
}

export function describedInfo(described: DescribedAttachment, index: number): AttachmentInfo {
  return { ...attachmentFacts(described, index), sizeBytes: decodedBytes(described) };
}

/** Base64 encodes 57 bytes per line of 78. For other encodings, the encoded size is the best estimate. */
export function decodedBytes({ encodedBytes, encoding }: DescribedAttachment): number {
  return encoding.toLowerCase() === 'base64' ? Math.floor((encodedBytes * 57) / 78) : encodedBytes;
}
