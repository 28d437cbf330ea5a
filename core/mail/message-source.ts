/** What core gets of a message in order to read it. */
export type MessageSource =
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  /** A message of more than SOURCE_BYTES, without what is attached to it. */
  | {
      readonly kind: 'parts';
      /** The parts that a person would read, each as a message: its header with that part as the whole body. At least one. */
      readonly texts: readonly Uint8Array[];
      /** Some of the text was not fetched. */
      readonly isCut: boolean;
      readonly attachments: readonly DescribedAttachment[];
    };

/** Messages up to this size are handed over whole. */
export const SOURCE_BYTES = 25 * 1024 * 1024;

/** An attachment as the server describes it. */
export interface DescribedAttachment {
  readonly name: string;
  readonly mime: string;
  readonly charset: string;
  /** Content-Transfer-Encoding. */
  readonly encoding: string;
  /** As it is encoded. */
  readonly encodedBytes: number;
}

export type AttachmentSource =
  /** The whole message that it is in. */
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  /** One of `attachments` of a message in parts, with its MIME header and encoded bytes as a message. */
  | {
      readonly kind: 'part';
      readonly described: DescribedAttachment;
      readonly bytes: Uint8Array | 'tooLarge';
    };
