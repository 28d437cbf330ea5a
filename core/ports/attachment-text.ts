/**
 * Extracts the text of an untrusted document, within limits on size, time and memory. Never throws because of content.
 * An app may put its own extractor in front of another one: `examples/ocr.mjs` reads the text in pictures.
 */
export interface AttachmentText {
  extract(document: {
    readonly bytes: Uint8Array;
    readonly name: string;
    /** Media type that the message claims, with its charset if it has one. The bytes decide if they disagree. */
    readonly mime: string;
    readonly signal: AbortSignal;
    /** Whose document it is: owners take turns. */
    readonly ownerId: string;
  }): Promise<ExtractedText>;
  close(): Promise<void>;
}

export type ExtractedText =
  | {
      readonly kind: 'text';
      /** Lines end in LF. */
      readonly text: string;
      /** True if a limit cut the text. */
      readonly cut: boolean;
    }
  | ({ readonly kind: 'empty'; readonly reason: NoTextReason } & NoTextFacts);

/** Facts about a document whose text is not available. */
export interface NoTextFacts {
  /** Only for `image`. */
  readonly picture?: Picture;
  /** Number of pages of a PDF without text. */
  readonly pages?: number;
}

/** From the header of a picture. Width and height in pixels. */
export interface Picture {
  /** The usual name: PNG, JPEG. */
  readonly format?: string;
  readonly width?: number;
  readonly height?: number;
}

/** Why there is no text. Each reason describes the document; none is a failure of the service. */
export type NoTextReason =
  | 'unsupported_type'
  | 'encrypted'
  | 'broken'
  /** A picture. It may show text, which is not read. */
  | 'image'
  /** The document was read and contains no text. It may be a scan. */
  | 'no_text'
  | 'too_large'
  | 'too_slow';
