import { isAccessNoticeDue, isNoticeDue, isQuiet, isRetryDue, retryAt } from '../notices/notice-rule.ts';
import type { ClaimedNotice, NoticeChannel, NoticeHealth } from '../ports/notice-storage.ts';
import type { Storage } from '../ports/storage.ts';
import type { Change, FactsOf, Judged } from '../ports/store.ts';

type Facts = FactsOf<'notices'>;
type Request<Verb extends keyof Storage> = Parameters<Storage[Verb]>[0];

const NO_CHANGES: readonly Change[] = [];
const HEALTHY: NoticeHealth = { tries: 0, retryAt: null, failingSince: null, problem: null };

export function addNoticeChannel(
  facts: Facts,
  { channel, most }: Request<'addNoticeChannel'>,
): Judged<'added' | 'too_many' | 'no_owner'> {
  if (facts === undefined) return { answer: 'no_owner', changes: NO_CHANGES };
  if (facts.channels.length >= most) return { answer: 'too_many', changes: NO_CHANGES };
  const added: Change = { type: 'add_notice_channel', channel };
  // Earlier changes of the owner's access had nowhere to go.
  const isFirst = facts.channels.every(({ code }) => code !== null);
  const { ownerId } = channel;
  return {
    answer: 'added',
    changes: isFirst ? [added, { type: 'cover_access_changes', ownerId }] : [added],
  };
}

export function removeNoticeChannel(facts: Facts, channelId: string): Judged<boolean> {
  const channel = found(facts, channelId);
  if (channel === undefined) return { answer: false, changes: NO_CHANGES };
  return { answer: true, changes: [removed(channel)] };
}

export function confirmNoticeChannel(
  facts: Facts,
  { channelId, codeMac, now }: Request<'confirmNoticeChannel'>,
): Judged<'confirmed' | 'wrong' | 'ended'> {
  const channel = found(facts, channelId);
  if (channel === undefined || channel.code === null) return { answer: 'ended', changes: NO_CHANGES };
  const { code } = channel;
  if (code.until <= now) return { answer: 'ended', changes: [removed(channel)] };
  if (code.mac === codeMac) return { answer: 'confirmed', changes: [saved({ ...channel, code: null })] };
  const triesLeft = code.triesLeft - 1;
  if (triesLeft <= 0) return { answer: 'ended', changes: [removed(channel)] };
  return { answer: 'wrong', changes: [saved({ ...channel, code: { ...code, triesLeft } })] };
}

/** Starts a notice that covers everything that waits, or repeats failed ones. */
export function claimNotice(
  facts: Facts,
  { ownerId, now }: Request<'claimNotice'>,
): Judged<ClaimedNotice | undefined> {
  if (facts === undefined || isQuiet(facts.settings.quiet, facts.timezone, now))
    return { answer: undefined, changes: NO_CHANGES };
  const confirmed = facts.channels.filter(({ code }) => code === null);
  const isAccessDue = isAccessNoticeDue(facts, now);
  if (confirmed.length > 0 && (isAccessDue || isNoticeDue(facts, now))) {
    return {
      answer: claimed(facts, confirmed, isAccessDue),
      changes: [
        { type: 'cover_access_changes', ownerId },
        { type: 'cover_waiting', ownerId },
        { type: 'save_last_notice', ownerId, at: now },
        ...confirmed.map((channel) => tried(channel, 1)),
      ],
    };
  }
  const again = confirmed.filter(({ health }) => health.retryAt !== null && isRetryDue(health.retryAt, now));
  if (again.length === 0) return { answer: undefined, changes: NO_CHANGES };
  if (facts.waiting + facts.toMend === 0 && !facts.hasAccessChanged) {
    // Everything was decided, mended or confirmed, or has expired.
    return { answer: undefined, changes: again.map((channel) => tried(channel, 0)) };
  }
  return {
    answer: claimed(facts, again, false),
    changes: again.map((channel) => tried(channel, channel.health.tries + 1)),
  };
}

function claimed(
  { waiting, onlyApprovalId, toMend, hasAccessChanged }: NonNullable<Facts>,
  channels: readonly NoticeChannel[],
  isAccessDue: boolean,
): ClaimedNotice {
  return {
    channels,
    waiting,
    toMend,
    hasAccessChanged: hasAccessChanged || isAccessDue,
    approvalId: toMend === 0 ? onlyApprovalId : null,
  };
}

export function endNotice(facts: Facts, { channelId, end, now }: Request<'endNotice'>): Judged<undefined> {
  const channel = found(facts, channelId);
  if (channel === undefined) return { answer: undefined, changes: NO_CHANGES };
  return { answer: undefined, changes: [ended(channel, end, now)] };
}

function ended(channel: NoticeChannel, end: Request<'endNotice'>['end'], now: Date): Change {
  const { health } = channel;
  switch (end.kind) {
    case 'sent':
      return saved({ ...channel, health: HEALTHY });
    case 'gone':
      return removed(channel);
    case 'interrupted':
      // 0 tries: the owner has looked meanwhile.
      if (health.tries === 0) return saved(channel);
      return saved({ ...channel, health: { ...health, tries: health.tries - 1, retryAt: now } });
    case 'failed': {
      const again = health.tries === 0 ? null : retryAt(health.tries, end.retryAfterMs, now);
      const failingSince = health.failingSince ?? now;
      const tries = again === null ? 0 : health.tries;
      return saved({ ...channel, health: { tries, retryAt: again, failingSince, problem: end.reason } });
    }
  }
}

function found(facts: Facts, channelId: string): NoticeChannel | undefined {
  return facts?.channels.find((one) => one.channelId === channelId);
}

function tried(channel: NoticeChannel, tries: number): Change {
  return saved({ ...channel, health: { ...channel.health, tries, retryAt: null } });
}

function saved(channel: NoticeChannel): Change {
  return { type: 'save_notice_channel', channel };
}

function removed({ ownerId, channelId }: NoticeChannel): Change {
  return { type: 'remove_notice_channel', ownerId, channelId };
}

/** Undefined: no such owner. */
export function setNoticeSettings(
  facts: Facts,
  ownerId: string,
  settings: Parameters<Storage['setNoticeSettings']>[1],
): Judged<boolean> {
  if (facts === undefined) return { answer: false, changes: NO_CHANGES };
  return { answer: true, changes: [{ type: 'save_notice_settings', ownerId, settings }] };
}

/** What changes when the owner opens a page. */
export function looked(ownerId: string): readonly Change[] {
  return [
    { type: 'cover_waiting', ownerId },
    { type: 'save_last_notice', ownerId, at: null },
    { type: 'stop_notices', ownerId },
  ];
}
