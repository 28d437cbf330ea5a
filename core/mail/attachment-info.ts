import { shortened } from '../text/shortened.ts';
import { controlsAsSpaces } from './row-text.ts';

export interface AttachmentInfo {
  /** Index among the attachments, from 0. */
  readonly index: number;
  readonly name: string;
  readonly mime: string;
  /** For text whose media type names one: letters, digits and `.:_-`. */
  readonly charset?: string;
  readonly sizeBytes: number;
}

/** With the indices 0 to 500. */
export const ATTACHMENTS_MAX = 501;

/** How many messages inside one another are opened. */
export const MAX_MESSAGES_DEEP = 5;

/**
 * The name of an attachment for people, and what comes before the names of those inside it if it is a message.
 * @param prefix  of the message that holds it; empty for the outermost
 * @param subject  of an attached message, otherwise empty
 */
export function attachedName(
  prefix: string,
  ownName: string,
  subject: string,
): { readonly name: string; readonly inside: string } {
  return {
    name: `${prefix}${ownName || subject || (prefix === '' ? '' : 'unnamed')}`,
    inside: `${prefix}${subject || ownName || 'unnamed'}: `,
  };
}

/** No file system allows longer names. An untrusted name can be as long as a book. */
const NAME_CHARS = 300;

/** Sanitises the untrusted description of an attachment. */
export function attachmentFacts(
  claimed: { readonly name: string; readonly mime: string; readonly charset: string },
  index: number,
): Omit<AttachmentInfo, 'sizeBytes'> {
  const isMediaType = /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,80}$/.test(claimed.mime);
  return {
    index,
    name: shortened(controlsAsSpaces(claimed.name), NAME_CHARS) || 'unnamed',
    mime: isMediaType ? claimed.mime : 'application/octet-stream',
    ...(/^[\w.:-]{1,40}$/.test(claimed.charset) ? { charset: claimed.charset } : {}),
  };
}
