import { REQUEST_FIELD } from './compose.ts';

/** The place of a message. `uidValidity` is a decimal string: it may exceed 2^53. */
export interface MessagePlace {
  readonly path: string;
  readonly uidValidity: string;
  readonly uid: number;
}

export type MailFlag = 'seen' | 'flagged' | 'answered' | 'forwarded' | 'draft';

/** A message in a list, as its server stores it. */
export interface ListedMessage {
  readonly place: MessagePlace;
  /** EMAILID or X-GM-MSGID. Null if the server has none. */
  readonly stableId: string | null;
  /** Bytes of its header: the whole header, or at least the fields in ROW_FIELDS. */
  readonly header: Uint8Array;
  /** When the server received it. Only whole seconds count. */
  readonly internalDate: Date;
  /** RFC822.SIZE. */
  readonly sizeBytes: number;
  readonly flags: ReadonlySet<MailFlag>;
  /** Keywords, or Gmail's labels, without those that have a meaning for programs. Absent: there are none. */
  readonly labels?: readonly string[];
  /** The server cannot deliver the message: the rest of the row is what is known of it. */
  readonly undeliverable?: true;
}

/**
 * The header fields that a list needs. Content-Type names the charset of the others if they are not encoded. REQUEST_FIELD is in
 * what Countersign sent.
 */
export const ROW_FIELDS: readonly string[] = [
  'date',
  'from',
  'subject',
  'message-id',
  'content-type',
  REQUEST_FIELD.toLowerCase(),
];

/** The header fields that tell who proved the sender of a message, in the order in which they stand in it. */
export const RECEIPT_FIELDS: readonly string[] = ['received', 'authentication-results'];
