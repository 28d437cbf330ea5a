import { TEST_NOTICE, waitingText } from './notice-message.ts';
import type { NoticeKind, NoticeTarget } from './notice-target.ts';

/** Tells an owner that something waits. It decides neither when nor what. */
export interface NoticeSender {
  /** The kinds of targets that it can send to. */
  readonly kinds: readonly NoticeKind[];
  /**
   * Sends one notice, once.
   * @param limit  `signal` ends the attempt too. @returns the result, after at most `timeLimitMs`
   */
  send(
    target: NoticeTarget,
    notice: Notice,
    limit: { readonly timeLimitMs: number; readonly signal: AbortSignal },
  ): Promise<NoticeEnd>;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** What a notice says. Never what a request is about, or whom it concerns. */
export type Notice =
  | {
      readonly kind: 'waiting';
      readonly at: Date;
      /** How many requests wait. */
      readonly waiting: number;
      /** The request that waits, if it is the only one. */
      readonly approvalId: string | null;
      /** How many accounts only the owner can mend. */
      readonly toMend: number;
      /** Whether the password, the second step or a recovery code changed, and the owner has not confirmed it. */
      readonly hasAccessChanged: boolean;
      /** The page of the dashboard that shows them. Opening it decides nothing. */
      readonly page: string;
    }
  /** The owner tries a channel. */
  | { readonly kind: 'test'; readonly at: Date; readonly page: string }
  /** Confirms an address. Only for `mail`. */
  | { readonly kind: 'code'; readonly at: Date; readonly code: string };

export type NoticeEnd =
  | { readonly kind: 'sent' }
  /** The target no longer exists, and never will again. */
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'failed';
      /** One sentence for the owner, without an address. */
      readonly reason: string;
      /** How long to wait, if the receiver said so. */
      readonly retryAfterMs: number | null;
    };

/** Notices in words, in one line. */
export function noticeText(notice: Notice): string {
  switch (notice.kind) {
    case 'waiting':
      return waitingText(notice);
    case 'test':
      return TEST_NOTICE;
    case 'code':
      return `${notice.code} is the code that confirms this address for notices of Countersign. If you did not ask for it, ignore this message.`;
  }
}
