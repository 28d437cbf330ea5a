import { sizeText } from '../text/size-text.ts';

/** The size of a message that is too large for a mail server, and the server's limit. */
export interface MessageSizes {
  /** As it is sent. */
  readonly bytes: number;
  /** Null: the server does not say. */
  readonly limitBytes: number | null;
}

/** Both sizes, in a sentence. */
export function tooLargeText({ bytes, limitBytes }: MessageSizes): string {
  const limit = limitBytes === null ? 'less' : `at most ${sizeText(limitBytes)}`;
  return `The message has ${sizeText(bytes)}, and the mail server takes ${limit}.`;
}
