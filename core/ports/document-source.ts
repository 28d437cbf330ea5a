/** Fetches the documents that clients publish about themselves. HTTPS only, and checked addresses only. */
export interface DocumentSource {
  /**
   * Requests a JSON document once, with GET. Follows no redirects.
   * @param url an https URL
   * @returns undefined if there is no answer 200 with a JSON document of at most `maxBytes` within `timeLimitMs`; never
   *   rejects
   */
  fetch(request: {
    readonly url: string;
    readonly maxBytes: number;
    readonly timeLimitMs: number;
  }): Promise<PublishedDocument | undefined>;

  /** Ends every connection. */
  close(): Promise<void>;
}

export interface PublishedDocument {
  readonly body: Uint8Array;
  /** The Cache-Control header as received. Null if there is none. */
  readonly cacheControl: string | null;
}
