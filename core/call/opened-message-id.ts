import type { HandledMessage } from '../accounts/message-handle.ts';

/** What a message id leads to. */
export interface MessageIdParts
  extends Pick<HandledMessage, 'accountId' | 'stableId' | 'fingerprint' | 'internalDate' | 'sizeBytes'> {
  readonly uidValidity: string;
  /** 0: the message is somewhere in the folder. */
  readonly uid: number;
  /** Whether a path is that of the id's folder. */
  isIn(path: string): boolean;
}

export type OpenedMessageId =
  | { readonly kind: 'opened'; readonly parts: MessageIdParts }
  /** Well formed, but not kept for this owner. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'forged' };
