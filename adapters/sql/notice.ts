import * as z from 'zod';
import { DEFAULT_NOTICE_SETTINGS, type NoticeSettings } from '../../core/notices/notice-rule.ts';
import { NOTICE_KINDS } from '../../core/notices/notice-target.ts';
import type { NoticeChannel, NoticeCode, OwnerToNotify } from '../../core/ports/notice-storage.ts';
import type { NoticeFacts } from '../../core/ports/store.ts';
import { readAccessChanges } from './access-change.ts';
import type { Values } from './query.ts';
import { flag, instant, instantOrNull, integer, oneOf, type Row, text, textOrNull } from './row.ts';

const settingsText = z.object({
  delay_min: z.int(),
  quiet: z.object({ from_min: z.int(), to_min: z.int() }).nullable(),
});

/** @param row  an owner's */
export function readNoticeSettings(row: Row): NoticeSettings {
  const stored = textOrNull(row, 'notice_settings');
  if (stored === null) return DEFAULT_NOTICE_SETTINGS;
  const { delay_min, quiet } = settingsText.parse(JSON.parse(stored));
  return {
    delayMin: delay_min,
    quiet: quiet === null ? null : { fromMin: quiet.from_min, toMin: quiet.to_min },
  };
}

export function noticeSettingsText({ delayMin, quiet }: NoticeSettings): string {
  const hours = quiet === null ? null : { from_min: quiet.fromMin, to_min: quiet.toMin };
  return JSON.stringify({ delay_min: delayMin, quiet: hours });
}

export function readNoticeFacts(
  owner: Row,
  channels: readonly NoticeChannel[],
  waiting: Row,
  toMend: Row,
): NoticeFacts {
  const count = integer(waiting, 'waiting');
  const since = [instantOrNull(waiting, 'oldest_ms'), instantOrNull(toMend, 'oldest_ms')];
  const [oldest] = since.filter((one) => one !== null).toSorted((a, b) => a.getTime() - b.getTime());
  return {
    timezone: text(owner, 'timezone'),
    settings: readNoticeSettings(owner),
    lastNoticeAt: instantOrNull(owner, 'last_notice_ms'),
    channels,
    waiting: count,
    onlyApprovalId: count === 1 ? text(waiting, 'any_id') : null,
    toMend: integer(toMend, 'accounts'),
    oldest,
    hasAccessChanged: Object.values(readAccessChanges(owner)).some((at) => at !== null),
    isAccessNoticeDue: flag(owner, 'access_notice_due'),
  };
}

export function readOwnerToNotify(row: Row): OwnerToNotify {
  return {
    ownerId: text(row, 'owner_id'),
    timezone: text(row, 'timezone'),
    settings: readNoticeSettings(row),
    lastNoticeAt: instantOrNull(row, 'last_notice_ms'),
    oldest: instantOrNull(row, 'oldest_ms') ?? undefined,
    isAccessNoticeDue: flag(row, 'access_notice_due'),
    retryAt: instantOrNull(row, 'retry_at_ms'),
  };
}

export function readNoticeChannel(row: Row): NoticeChannel {
  const code = textOrNull(row, 'code');
  return {
    ownerId: text(row, 'owner_id'),
    channelId: text(row, 'channel_id'),
    kind: oneOf(row, 'kind', NOTICE_KINDS),
    sealedTarget: text(row, 'sealed_target'),
    code: code === null ? null : readCode(code),
    health: {
      tries: integer(row, 'tries'),
      retryAt: instantOrNull(row, 'retry_at_ms'),
      failingSince: instantOrNull(row, 'failing_since_ms'),
      problem: textOrNull(row, 'problem'),
    },
    createdAt: instant(row, 'created_at_ms'),
  };
}

const storedCode = z.object({ mac: z.string(), until_ms: z.int(), tries_left: z.int() });

function readCode(stored: string): NoticeCode {
  const { mac, until_ms, tries_left } = storedCode.parse(JSON.parse(stored));
  return { mac, until: new Date(until_ms), triesLeft: tries_left };
}

function codeText({ mac, until, triesLeft }: NoticeCode): string {
  return JSON.stringify({ mac, until_ms: until.getTime(), tries_left: triesLeft });
}

export function noticeChannelKey({ ownerId, channelId }: { ownerId: string; channelId: string }): Values {
  return { owner_id: ownerId, channel_id: channelId };
}

/** What changes of a channel. */
export function noticeChannelColumns({ code, health }: NoticeChannel): Values {
  return {
    code: code === null ? null : codeText(code),
    tries: health.tries,
    retry_at_ms: health.retryAt?.getTime() ?? null,
    failing_since_ms: health.failingSince?.getTime() ?? null,
    problem: health.problem,
  };
}
