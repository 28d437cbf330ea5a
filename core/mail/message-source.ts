/** The input for reading a message. */
export type MessageSource =
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  /** A message larger than SOURCE_BYTES, without its attachments. */
  | {
      readonly kind: 'parts';
      /** The parts that a person would read, each as a message with its header. At least one. */
      readonly texts: readonly Uint8Array[];
      /** Some of the text was not fetched. */
      readonly isCut: boolean;
      /** Null: the server does not describe the message as it is. */
      readonly attachments: readonly DescribedAttachment[] | null;
    };

/** Messages up to this size are fetched whole. */
export const SOURCE_BYTES = 25 * 1024 * 1024;

/** An attachment as the server describes it. */
export interface DescribedAttachment {
  readonly name: string;
  readonly mime: string;
  readonly charset: string;
  /** Content-Transfer-Encoding. */
  readonly encoding: string;
  /** Size as encoded. */
  readonly encodedBytes: number;
}

export type AttachmentSource =
  /** The whole message that contains it. */
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  /** One of the `attachments` of a message in parts: a message of its MIME header and its encoded bytes. */
  | {
      readonly kind: 'part';
      readonly described: DescribedAttachment;
      readonly bytes: Uint8Array | 'tooLarge';
    };
