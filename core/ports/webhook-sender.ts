/** Posts webhook requests to endpoints that owners name. Only HTTPS, and only to addresses that were checked. */
export interface WebhookSender {
  /**
   * Posts once. Redirects are not followed.
   * @returns how it ended, at the latest after `timeLimitMs`; never rejects
   */
  post(request: WebhookRequest): Promise<WebhookEnd>;

  /** Ends every connection. */
  close(): Promise<void>;
}

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly timeLimitMs: number;
}

export type WebhookEnd =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The header, as it came; null if there is none. */
      readonly retryAfter: string | null;
      /** The beginning of the body, at most EXCERPT_CHARS. A stranger's text. */
      readonly excerpt: string;
    }
  | {
      readonly kind: 'unanswered';
      /** One plain sentence for the owner, without the receiver's address. */
      readonly reason: string;
    };

/** UTF-16 code units. */
export const EXCERPT_CHARS = 500;
