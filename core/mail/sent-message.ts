import type { Invitation } from './compose.ts';

/** An outgoing message, read from its bytes: the owner sees this, and core checks it before filing. */
export interface SentMessage {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: readonly string[];
  readonly subject: string;
  readonly messageId: string;
  readonly inReplyTo: string | null;
  /** Plain text. Lines end in LF. Without its final newline. */
  readonly text: string;
  /** The calendar part, with lines ending in LF. Null if there is none. */
  readonly invitation: Invitation | null;
}
