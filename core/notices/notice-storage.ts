import { owners } from '../owners/owner-state.ts';
import { insert, put, type RowChange, remove, run, update } from '../state/change.ts';
import { all, first, single } from '../state/query.ts';
import { type Commit, type StateStore, unchanged, type Verdict } from '../state/store.ts';
import type { ValuesOf } from '../state/table.ts';
import {
  DEFAULT_NOTICE_SETTINGS,
  isAccessNoticeDue,
  isNoticeDue,
  isQuiet,
  isRetryDue,
  type NoticeSettings,
  type NoticeWait,
  retryAt,
} from './notice-rule.ts';
import {
  channelsOfOwner,
  type NoticeChannel,
  noticeChannels,
  noticeCommands,
  noticeSettings,
  noticeStatements,
  ownerToNotify,
  settingsOfOwner,
} from './notice-state.ts';

/** An owner with a confirmed channel, for whom something may be due. */
export interface OwnerToNotify extends NoticeWait {
  readonly ownerId: string;
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

/** The channels of notices, and which requests a notice has covered. */
export type NoticeStorage = ReturnType<typeof noticeStorage>;

export function noticeStorage({ unit, apply, look }: StateStore) {
  return {
    /** Undefined: no such owner. */
    async noticeSettings(ownerId: string): Promise<NoticeSettings | undefined> {
      const found = await look({
        owner: first(ownerToNotify, { ownerId }),
        settings: first(settingsOfOwner, { ownerId }),
      });
      return found.owner && settingsIn(found.settings);
    },

    /** False: no such owner. */
    setNoticeSettings: (ownerId: string, { delayMin, quiet }: NoticeSettings): Promise<boolean> =>
      unit('durable', { ownerId }, { owner: first(ownerToNotify, { ownerId }) }, ({ owner }) => {
        const [quietFromMin, quietToMin] = [quiet?.fromMin ?? null, quiet?.toMin ?? null];
        const change = put(noticeSettings, { ownerId, delayMin, quietFromMin, quietToMin });
        return owner === undefined ? unchanged(false) : { answer: true, changes: [change] };
      }),

    /** Oldest first. */
    async noticeChannels(ownerId: string): Promise<readonly NoticeChannel[]> {
      return (await look({ channels: all(channelsOfOwner, { ownerId }) })).channels;
    },

    /** @param request  `most`: how many channels an owner may have */
    addNoticeChannel: (request: {
      channel: NoticeChannel;
      most: number;
    }): Promise<'added' | 'too_many' | 'no_owner'> => {
      const { ownerId } = request.channel;
      const facts = {
        owner: first(ownerToNotify, { ownerId }),
        channels: all(channelsOfOwner, { ownerId }),
      };
      return unit('durable', { ownerId }, facts, (found) =>
        found.owner === undefined ? unchanged('no_owner') : addChannel(found.channels, request),
      );
    },

    /** False: the owner has no such channel. */
    removeNoticeChannel: (ownerId: string, channelId: string): Promise<boolean> =>
      onChannel('durable', { ownerId, channelId }, (channel) =>
        channel === undefined ? unchanged(false) : { answer: true, changes: [removed(channel)] },
      ),

    /**
     * Compares the code of an unconfirmed channel. The right one confirms it. A wrong one uses up a try, and the last try
     * removes the channel. `ended`: it has no code any more, or the time for it is over.
     */
    confirmNoticeChannel: (request: {
      ownerId: string;
      channelId: string;
      codeMac: string;
      now: Date;
    }): Promise<'confirmed' | 'wrong' | 'ended'> =>
      onChannel('durable', request, (channel) => confirm(channel, request)),

    /** The owner has opened a page: no notice covers what waits now, and failed notices are not tried again. */
    ownerLooked: (ownerId: string): Promise<void> =>
      apply(ownerId, [
        ...covered(ownerId),
        update(noticeSettings, { ownerId }, { lastNoticeAt: null }),
        update(noticeChannels, { ownerId }, { tries: 0, retryAt: null }),
      ]),

    /**
     * Owners with a confirmed channel who have requests, accounts to mend or changes of their access that no notice covers,
     * or a failed notice to try again. At most `limit`, in the order of their ids, after the id `after`; '' starts.
     */
    async ownersToNotify(query: {
      after: string;
      limit: number;
      now: Date;
    }): Promise<readonly OwnerToNotify[]> {
      const { found } = await look({ found: all(noticeStatements.owners_to_notify, query) });
      return found.map((row) => ({
        ownerId: row.ownerId,
        timezone: row.timezone,
        settings: settingsIn(row),
        lastNoticeAt: row.lastNoticeAt,
        oldest: row.oldest ?? undefined,
        isAccessNoticeDue: row.accessNoticeDue,
        retryAt: row.retryAt,
      }));
    },

    /**
     * Starts the notice of an owner if it is due (`isNoticeDue`), or failed ones that are due again. Records it before
     * anything is sent: after a crash a notice may be lost, but never comes twice. Undefined: nothing is due.
     */
    claimNotice: ({ ownerId, now }: { ownerId: string; now: Date }): Promise<ClaimedNotice | undefined> => {
      const facts = {
        owner: first(ownerToNotify, { ownerId }),
        settings: first(settingsOfOwner, { ownerId }),
        channels: all(channelsOfOwner, { ownerId }),
        waiting: single(noticeStatements.waiting_for_notice, { ownerId, now }),
        toMend: single(noticeStatements.accounts_to_mend, { ownerId }),
      };
      return unit('relaxed', { ownerId }, facts, ({ owner, settings, channels, waiting, toMend }) => {
        if (owner === undefined) return unchanged(undefined);
        return claim({ ownerId, owner, settings, channels, waiting, toMend }, now);
      });
    },

    /** Records how an attempt ended. A channel that is gone is removed. Retries end once the owner has looked. */
    endNotice: (request: {
      ownerId: string;
      channelId: string;
      end: NoticeAttemptEnd;
      now: Date;
    }): Promise<void> =>
      onChannel('relaxed', request, (channel) => ({
        answer: undefined,
        changes: channel === undefined ? [] : ended(channel, request.end, request.now),
      })),
  };

  function onChannel<Answer>(
    commit: Commit,
    { ownerId, channelId }: { ownerId: string; channelId: string },
    judge: (channel: NoticeChannel | undefined) => Verdict<Answer>,
  ): Promise<Answer> {
    return unit(commit, { ownerId }, { channels: all(channelsOfOwner, { ownerId }) }, ({ channels }) =>
      judge(channels.find((one) => one.channelId === channelId)),
    );
  }
}

interface Facts {
  readonly ownerId: string;
  readonly owner: ValuesOf<(typeof ownerToNotify)['columns']>;
  readonly settings: Settings;
  readonly channels: readonly NoticeChannel[];
  readonly waiting: ValuesOf<(typeof noticeStatements.waiting_for_notice)['columns']>;
  readonly toMend: ValuesOf<(typeof noticeStatements.accounts_to_mend)['columns']>;
}

/** The columns of `notice_settings`, in which an owner without a row has NULL. */
type Settings =
  | {
      readonly delayMin: number | null;
      readonly quietFromMin: number | null;
      readonly quietToMin: number | null;
      readonly lastNoticeAt: Date | null;
    }
  | undefined;

function settingsIn(row: Settings): NoticeSettings {
  const [fromMin, toMin] = [row?.quietFromMin ?? null, row?.quietToMin ?? null];
  return {
    delayMin: row?.delayMin ?? DEFAULT_NOTICE_SETTINGS.delayMin,
    quiet: fromMin === null || toMin === null ? null : { fromMin, toMin },
  };
}

const HEALTHY = { tries: 0, retryAt: null, failingSince: null, problem: null } as const;

function addChannel(
  channels: readonly NoticeChannel[],
  { channel, most }: { channel: NoticeChannel; most: number },
): Verdict<'added' | 'too_many'> {
  if (channels.length >= most) return unchanged('too_many');
  const added = insert(noticeChannels, channel);
  // Earlier changes of the owner's access had nowhere to go.
  const isFirst = channels.every(({ code }) => code !== null);
  return { answer: 'added', changes: isFirst ? [added, coveredAccess(channel.ownerId)] : [added] };
}

function confirm(
  channel: NoticeChannel | undefined,
  { codeMac, now }: { codeMac: string; now: Date },
): Verdict<'confirmed' | 'wrong' | 'ended'> {
  if (channel === undefined || channel.code === null) return unchanged('ended');
  const { code } = channel;
  if (code.untilMs <= now.getTime()) return { answer: 'ended', changes: [removed(channel)] };
  if (code.mac === codeMac) return { answer: 'confirmed', changes: [saved(channel, { code: null })] };
  const triesLeft = code.triesLeft - 1;
  if (triesLeft <= 0) return { answer: 'ended', changes: [removed(channel)] };
  return { answer: 'wrong', changes: [saved(channel, { code: { ...code, triesLeft } })] };
}

/** Starts a notice that covers everything that waits, or repeats failed ones. */
function claim(facts: Facts, now: Date): Verdict<ClaimedNotice | undefined> {
  const { ownerId, owner, channels, waiting, toMend } = facts;
  const settings = settingsIn(facts.settings);
  const wait = {
    timezone: owner.timezone,
    settings,
    lastNoticeAt: facts.settings?.lastNoticeAt ?? null,
    oldest: earliest(waiting.oldest, toMend.oldest),
    isAccessNoticeDue: owner.accessNoticeDue,
  };
  if (isQuiet(settings.quiet, owner.timezone, now)) return unchanged(undefined);
  const confirmed = channels.filter(({ code }) => code === null);
  const isAccessDue = isAccessNoticeDue(wait, now);
  if (confirmed.length > 0 && (isAccessDue || isNoticeDue(wait, now))) {
    return {
      answer: claimed(facts, confirmed, isAccessDue),
      changes: [
        coveredAccess(ownerId),
        ...covered(ownerId),
        put(noticeSettings, { ownerId, lastNoticeAt: now }),
        ...confirmed.map((channel) => tried(channel, 1)),
      ],
    };
  }
  const again = confirmed.filter((channel) => channel.retryAt !== null && isRetryDue(channel.retryAt, now));
  if (again.length === 0) return unchanged(undefined);
  if (waiting.waiting + toMend.accounts === 0 && !hasAccessChanged(owner)) {
    // Everything was decided, mended or confirmed, or has expired.
    return { answer: undefined, changes: again.map((channel) => tried(channel, 0)) };
  }
  return {
    answer: claimed(facts, again, false),
    changes: again.map((channel) => tried(channel, channel.tries + 1)),
  };
}

function claimed(
  { owner, waiting, toMend }: Facts,
  channels: readonly NoticeChannel[],
  isAccessDue: boolean,
): ClaimedNotice {
  return {
    channels,
    waiting: waiting.waiting,
    toMend: toMend.accounts,
    hasAccessChanged: hasAccessChanged(owner) || isAccessDue,
    approvalId: toMend.accounts === 0 && waiting.waiting === 1 ? waiting.anyId : null,
  };
}

function hasAccessChanged(owner: Facts['owner']): boolean {
  const { passwordChangedAt, secondStepChangedAt, recoveryCodeUsedAt } = owner;
  return [passwordChangedAt, secondStepChangedAt, recoveryCodeUsedAt].some((at) => at !== null);
}

function earliest(one: Date | null, other: Date | null): Date | undefined {
  if (one === null || other === null) return one ?? other ?? undefined;
  return one < other ? one : other;
}

function ended(channel: NoticeChannel, end: NoticeAttemptEnd, now: Date): readonly RowChange[] {
  const { tries } = channel;
  switch (end.kind) {
    case 'sent':
      return [saved(channel, HEALTHY)];
    case 'gone':
      return [removed(channel)];
    case 'interrupted':
      // 0 tries: the owner has looked meanwhile.
      return tries === 0 ? [] : [saved(channel, { tries: tries - 1, retryAt: now })];
    case 'failed': {
      const again = tries === 0 ? null : retryAt(tries, end.retryAfterMs, now);
      const failingSince = channel.failingSince ?? now;
      const left = { tries: again === null ? 0 : tries, retryAt: again };
      return [saved(channel, { ...left, failingSince, problem: end.reason })];
    }
  }
}

function tried(channel: NoticeChannel, tries: number): RowChange {
  return saved(channel, { tries, retryAt: null });
}

function saved({ ownerId, channelId }: NoticeChannel, values: Partial<NoticeChannel>): RowChange {
  return update(noticeChannels, { ownerId, channelId }, values);
}

function removed({ ownerId, channelId }: NoticeChannel): RowChange {
  return remove(noticeChannels, { ownerId, channelId });
}

/** What waits is covered by a notice, or seen. */
function covered(ownerId: string): readonly RowChange[] {
  return [run(noticeCommands.cover_requests, { ownerId }), run(noticeCommands.cover_servers, { ownerId })];
}

/** No notice of changes of the owner's access is due any more. */
function coveredAccess(ownerId: string): RowChange {
  return update(owners, { ownerId }, { accessNoticeDue: false });
}
