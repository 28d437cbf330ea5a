import {
  ATTACHMENTS_MAX,
  type AttachmentInfo,
  attachedName,
  attachmentFacts,
  MAX_MESSAGES_DEEP,
} from '../mail/attachment-info.ts';
import { headerText } from '../mail/header-text.ts';
import { parseHeaders } from '../mail/message-headers.ts';
import { isMessageType } from '../mail/text-types.ts';
import { decodedContent, fileName, type MimePart, readTree } from './mime-tree.ts';
import { isShownText, leavesOf } from './part-text.ts';

/** The attachments of a message, and of the messages that are attached to it. */

export interface AttachedFile {
  readonly info: AttachmentInfo;
  readonly part: MimePart;
}

/**
 * At most ATTACHMENTS_MAX of them, in order.
 * @param opensMessages  whether the attachments of an attached message follow it, under its name
 * @returns `complete`: false if there are more
 */
export function attachedFiles(
  root: MimePart,
  opensMessages: boolean,
): { readonly files: readonly AttachedFile[]; readonly complete: boolean } {
  const files: AttachedFile[] = [];
  const depth = opensMessages ? MAX_MESSAGES_DEEP : 0;
  return { complete: collect(files, root, { prefix: '', depth }), files };
}

/** @returns false if some are missing */
function collect(
  files: AttachedFile[],
  root: MimePart,
  { prefix, depth }: { readonly prefix: string; readonly depth: number },
): boolean {
  let complete = true;
  // A text with a file name is an attachment too, although it is shown with the rest.
  for (const part of leavesOf(root).filter((leaf) => !isShownText(leaf) || fileName(leaf) !== '')) {
    if (files.length === ATTACHMENTS_MAX) return false;
    const bytes = decodedContent(part);
    const isMessage = isMessageType(part.type);
    const ownName = headerText(fileName(part));
    const subject = isMessage ? parseHeaders(bytes).subject : '';
    const info = { mime: part.type, charset: part.typeParams.charset ?? '' };
    const { name, inside } = attachedName(prefix, ownName, subject);
    const facts = attachmentFacts({ name, ...info }, files.length);
    files.push({ part, info: { ...facts, sizeBytes: bytes.length } });
    if (!isMessage || depth === 0) continue;
    const inner = readTree(bytes);
    complete = collect(files, inner.root, { prefix: inside, depth: depth - 1 }) && inner.complete && complete;
  }
  return complete;
}
