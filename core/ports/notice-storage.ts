import type { NoticeSettings } from '../notices/notice-rule.ts';
import type { NoticeKind } from '../notices/notice-target.ts';

/** The channels of notices, and which requests a notice has covered. Makes the same promises as Storage. */
export interface NoticeStorage {
  /** Undefined: no such owner. */
  noticeSettings(ownerId: string): Promise<NoticeSettings | undefined>;
  /** False: no such owner. */
  setNoticeSettings(ownerId: string, settings: NoticeSettings): Promise<boolean>;

  /** Oldest first. */
  noticeChannels(ownerId: string): Promise<readonly NoticeChannel[]>;
  /** @param request  `most`: how many channels an owner may have */
  addNoticeChannel(request: {
    channel: NoticeChannel;
    most: number;
  }): Promise<'added' | 'too_many' | 'no_owner'>;
  /** False: the owner has no such channel. */
  removeNoticeChannel(ownerId: string, channelId: string): Promise<boolean>;
  /**
   * Compares the code of an unconfirmed channel. The right one confirms it. A wrong one uses up a try, and the last try
   * removes the channel. `ended`: it has no code any more, or the time for it is over.
   */
  confirmNoticeChannel(request: {
    ownerId: string;
    channelId: string;
    codeMac: string;
    now: Date;
  }): Promise<'confirmed' | 'wrong' | 'ended'>;

  /** The owner has opened a page: no notice covers what waits now, and failed notices are not tried again. */
  ownerLooked(ownerId: string): Promise<void>;

  /**
   * Owners with a confirmed channel who have requests, accounts to mend or changes of their access that no notice covers,
   * or a failed notice to try again. At most `limit`, in the order of their ids, after the id `after`; '' starts.
   */
  ownersToNotify(query: { after: string; limit: number; now: Date }): Promise<readonly OwnerToNotify[]>;

  /**
   * Starts the notice of an owner if it is due (`isNoticeDue`), or failed ones that are due again. Records it before
   * anything is sent: after a crash a notice may be lost, but never comes twice. Undefined: nothing is due.
   */
  claimNotice(request: { ownerId: string; now: Date }): Promise<ClaimedNotice | undefined>;

  /** Records how an attempt ended. A channel that is gone is removed. Retries end once the owner has looked. */
  endNotice(request: { ownerId: string; channelId: string; end: NoticeAttemptEnd; now: Date }): Promise<void>;
}

export interface NoticeChannel {
  readonly ownerId: string;
  /** `ntc_` and 16 characters. */
  readonly channelId: string;
  readonly kind: NoticeKind;
  /** A `NoticeTarget`. */
  readonly sealedTarget: string;
  /** Null: the channel is confirmed. */
  readonly code: NoticeCode | null;
  readonly health: NoticeHealth;
  readonly createdAt: Date;
}

/** The code that the owner has to enter before a channel is used. */
export interface NoticeCode {
  readonly mac: string;
  readonly until: Date;
  readonly triesLeft: number;
}

export interface NoticeHealth {
  /** Of the notice that is under way. 0: there is none. */
  readonly tries: number;
  /** When it is tried again. Null: it is not. */
  readonly retryAt: Date | null;
  /** Since when every notice has failed. Null: the last one did not. */
  readonly failingSince: Date | null;
  /** Why the last one failed: a sentence for the owner, without an address. */
  readonly problem: string | null;
}

export interface OwnerToNotify {
  readonly ownerId: string;
  readonly timezone: string;
  readonly settings: NoticeSettings;
  readonly lastNoticeAt: Date | null;
  /** Of requests, and accounts to mend, that no notice covers. */
  readonly oldest: Date | undefined;
  /** Whether no notice covers a change of the owner's access. */
  readonly isAccessNoticeDue: boolean;
  /** The earliest. */
  readonly retryAt: Date | null;
}

export interface ClaimedNotice {
  readonly channels: readonly NoticeChannel[];
  /** How many requests wait. */
  readonly waiting: number;
  /** The request that waits, if it is the only one. */
  readonly approvalId: string | null;
  /** How many accounts only the owner can mend. */
  readonly toMend: number;
  /** Whether the owner's access changed, and the owner has not confirmed it. */
  readonly hasAccessChanged: boolean;
}

export type NoticeAttemptEnd =
  | { readonly kind: 'sent' }
  | { readonly kind: 'gone' }
  /** The process stopped during the attempt. It is repeated at once. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number | null };
