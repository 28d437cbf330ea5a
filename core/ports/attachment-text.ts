/**
 * Turns a document of a stranger into text. It is bounded in size, time and memory, and never throws for its content.
 * An app may put its own in front of another: `examples/ocr.mjs` reads the text in pictures.
 */
export interface AttachmentText {
  extract(document: {
    readonly bytes: Uint8Array;
    readonly name: string;
    /** Media type as the message claims it, with its charset where it names one; the bytes decide where they say otherwise. */
    readonly mime: string;
    readonly signal: AbortSignal;
  }): Promise<ExtractedText>;
  close(): Promise<void>;
}

export type ExtractedText =
  | {
      readonly kind: 'text';
      /** Lines end in LF. */
      readonly text: string;
      /** There was more than the bound let through. */
      readonly cut: boolean;
    }
  | ({ readonly kind: 'empty'; readonly reason: NoTextReason } & NoTextFacts);

/** What is known of a document all the same. */
export interface NoTextFacts {
  /** Of an `image`. */
  readonly picture?: Picture;
  /** How many pages a PDF has that has no text. */
  readonly pages?: number;
}

/** What the header of a picture says; pixels. */
export interface Picture {
  /** As people call it: PNG, JPEG. */
  readonly format?: string;
  readonly width?: number;
  readonly height?: number;
}

/** Why there is no text. Each is an honest answer about the document, not a failure of the service. */
export type NoTextReason =
  | 'unsupported_type'
  | 'encrypted'
  | 'broken'
  /** A picture. It may show text, which is not read. */
  | 'image'
  /** It was read, and there is no text in it: it may be a scan. */
  | 'no_text'
  | 'too_large'
  | 'too_slow';
