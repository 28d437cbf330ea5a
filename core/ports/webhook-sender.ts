/** Posts webhook requests to endpoints that owners name. Uses HTTPS only, and connects to checked addresses only. */
export interface WebhookSender {
  /**
   * Posts once. Does not follow redirects.
   * @returns the result, after at most `timeLimitMs` or when `signal` aborts; never rejects
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
  readonly signal: AbortSignal;
}

export type WebhookEnd =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The header as received. Null if there is none. */
      readonly retryAfter: string | null;
    }
  | {
      readonly kind: 'unanswered';
      /** One sentence for the owner, without the receiver's address. */
      readonly reason: string;
    };
