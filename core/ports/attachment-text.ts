/** Turns a document of a stranger into text. It is bounded in size, time and memory, and never throws for its content. */
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
  | { readonly kind: 'empty'; readonly reason: NoTextReason };

/** Why there is no text. Each is an honest answer about the document, not a failure of the service. */
export type NoTextReason =
  | 'unsupported_type'
  | 'encrypted'
  | 'broken'
  /** Pictures only: a scan. */
  | 'no_text'
  | 'too_large'
  | 'too_slow';
