import type { AttachmentInfo } from '../mail/attachment-info.ts';
import { describedInfo } from '../mail/message-structure.ts';
import { partBytes } from '../mime/large-message.ts';
import { attachmentOf } from '../mime/parse.ts';
import type { AttachmentInput, AttachmentReading } from '../reading/attachment-job.ts';

export function readAttachment({ source, index, maxBytes }: AttachmentInput): AttachmentReading {
  if (source.kind === 'whole') {
    const found = attachmentOf(source.bytes, index);
    return found === undefined ? null : within(found.info, found.bytes, maxBytes);
  }
  const info = describedInfo(source.described, index);
  const decoded = partBytes(source);
  if (decoded === 'tooLarge') return { info, bytes: decoded };
  return within({ ...info, sizeBytes: decoded.length }, decoded, maxBytes);
}

function within(info: AttachmentInfo, decoded: Uint8Array, maxBytes: number): AttachmentReading {
  return { info, bytes: decoded.length > maxBytes ? 'tooLarge' : decoded };
}
