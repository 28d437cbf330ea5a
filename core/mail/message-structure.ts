import {
  ATTACHMENTS_MAX,
  type AttachmentInfo,
  attachedName,
  attachmentFacts,
  MAX_MESSAGES_DEEP,
} from './attachment-info.ts';
import type { DescribedAttachment } from './message-source.ts';
import { isCalendarType, isMessageType, isReportType } from './text-types.ts';

/** The structure of a message as its server reports it: IMAP's BODYSTRUCTURE. */
export interface MessageStructure {
  /** The number of the part, as `partsOf` gives it. Undefined for a message with only one part. */
  readonly part?: string | undefined;
  /** Lower case. */
  readonly type: string;
  readonly disposition?: string | undefined;
  readonly dispositionParameters?: Readonly<Record<string, string>> | undefined;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly encoding?: string | undefined;
  /** Size as encoded. */
  readonly size?: number | undefined;
  /** Of an attached message. */
  readonly envelope?: { readonly subject?: string | undefined } | undefined;
  readonly childNodes?: readonly MessageStructure[] | undefined;
}

export interface AttachedPart {
  readonly part: MessageStructure;
  /** For people: below the subject of the attached message that holds it. */
  readonly name: string;
}

/** Whether it describes all parts: some servers report a multipart without its parts, or as a part by itself. */
export function isDescribed(structure: MessageStructure): boolean {
  return /^[^/]+\/[^/]+$/.test(structure.type) && hasParts(structure);
}

function hasParts({ type, childNodes = [] }: MessageStructure): boolean {
  return (!type.startsWith('multipart/') || childNodes.length > 0) && childNodes.every(hasParts);
}

/** The parts that a person would read, and the attachments, those of attached messages included. */
export function partsOf(reported: MessageStructure): {
  readonly texts: readonly MessageStructure[];
  readonly attached: readonly AttachedPart[];
} {
  const structure = numbered(reported, undefined);
  const attached: AttachedPart[] = [];
  collect(attached, structure, { prefix: '', depth: MAX_MESSAGES_DEEP });
  const shown = shownTexts(structure);
  const texts = shown.some((text) => (text.size ?? 0) > BLANK_BYTES)
    ? shown
    : [...shown, ...textsInstead(leaves(structure))];
  return { texts, attached };
}

/** With the numbers of RFC 9051 6.4.5, also inside attached messages. */
function numbered(node: MessageStructure, number: string | undefined): MessageStructure {
  const { childNodes } = node;
  if (childNodes === undefined) return { ...node, part: number };
  if (!isMessageType(node.type)) {
    const below = number === undefined ? '' : `${number}.`;
    return {
      ...node,
      part: number,
      childNodes: childNodes.map((child, at) => numbered(child, `${below}${at + 1}`)),
    };
  }
  const own = number ?? '1';
  const isSplit = (inner: MessageStructure) => inner.childNodes !== undefined && !isMessageType(inner.type);
  return {
    ...node,
    part: number,
    childNodes: childNodes.map((inner) => numbered(inner, isSplit(inner) ? own : `${own}.1`)),
  };
}

/** Texts that are no larger may show nothing: an empty one, or an empty page of HTML. */
const BLANK_BYTES = 500;

/** Of the alternatives of a text, HTML: that is what a person sees. */
function shownTexts(node: MessageStructure): readonly MessageStructure[] {
  if (isLeaf(node)) return isText(node) ? [node] : [];
  const inEach = (node.childNodes ?? []).map((child) => shownTexts(child));
  if (node.type !== 'multipart/alternative') return inEach.flat();
  const isHtml = (texts: readonly MessageStructure[]) => texts.some(({ type }) => type === 'text/html');
  return inEach.findLast(isHtml) ?? inEach.find((texts) => texts.length > 0) ?? [];
}

/** Those of other kinds, which count if the shown ones say nothing; otherwise those that are marked as attachments. */
function textsInstead(all: readonly MessageStructure[]): readonly MessageStructure[] {
  const others = all.filter((leaf) => !isText(leaf));
  const readable = others.filter(
    ({ type, disposition }) =>
      isCalendarType(type) ||
      isReportType(type) ||
      (type.startsWith('text/') && disposition !== 'attachment'),
  );
  if (readable.length > 0) return readable;
  return others.every(({ type }) => isShownType(type)) ? others : [];
}

/** One more than the list shows, so that it can report that there are more. */
const ATTACHED_MAX = ATTACHMENTS_MAX + 1;

function collect(
  attached: AttachedPart[],
  message: MessageStructure,
  { prefix, depth }: { readonly prefix: string; readonly depth: number },
): void {
  const texts = shownTexts(message);
  for (const part of leaves(message)) {
    if (attached.length === ATTACHED_MAX) return;
    const ownName = fileName(part);
    if (ownName === '' && isShown(part, texts)) continue;
    const { name, inside } = attachedName(prefix, ownName, part.envelope?.subject ?? '');
    attached.push({ part, name });
    const [inner] = part.childNodes ?? [];
    if (inner === undefined || depth === 0) continue;
    collect(attached, inner, { prefix: inside, depth: depth - 1 });
  }
}

function leaves(node: MessageStructure): readonly MessageStructure[] {
  return isLeaf(node) ? [node] : (node.childNodes ?? []).flatMap((child) => leaves(child));
}

/** An attached message is one part of the message that carries it. */
function isLeaf({ type, childNodes }: MessageStructure): boolean {
  return childNodes === undefined || isMessageType(type);
}

function isShownType(type: string): boolean {
  return type === 'text/plain' || type === 'text/html';
}

function isText({ type, disposition }: MessageStructure): boolean {
  return isShownType(type) && disposition !== 'attachment';
}

/** Whether it is one of the texts, or an alternative form of one. */
function isShown(part: MessageStructure, texts: readonly MessageStructure[]): boolean {
  return texts.includes(part) || (isText(part) && part.disposition === undefined);
}

function fileName({ dispositionParameters, parameters }: MessageStructure): string {
  return dispositionParameters?.filename ?? parameters?.name ?? '';
}

export function described({ part, name }: AttachedPart): DescribedAttachment {
  return {
    name,
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
