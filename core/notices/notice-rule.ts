import { HOUR_MS, MINUTE_MS } from '../time/durations.ts';
import { minuteOfDay } from '../time/time-zone.ts';

/**
 * When the owner gets a notice that something waits. Pure.
 *
 * A request waits unnoticed until a notice covers it or the owner opens a page of the dashboard. A notice is due if the
 * oldest of these has waited for the owner's delay. It covers all of them, so a request never causes a second one.
 */

export interface NoticeSettings {
  /** How long nothing may be opened before a notice is sent: 0 to DELAY_MAX_MIN. */
  readonly delayMin: number;
  /** No notice is sent in these hours. Null: there are none. */
  readonly quiet: QuietHours | null;
}

/** Minutes of the day on the owner's clock, 0 to 1439. From `fromMin` up to, not including, `toMin`. May cross midnight. */
export interface QuietHours {
  readonly fromMin: number;
  readonly toMin: number;
}

export const DEFAULT_NOTICE_SETTINGS: NoticeSettings = { delayMin: 5, quiet: null };

export const DELAY_MAX_MIN = 24 * 60;

/** Between two notices if the owner opens nothing, however many requests come. */
export const NOTICE_SPACING_MS = HOUR_MS;

export interface NoticeWait {
  /** When the oldest request was filed that no notice covers. Undefined: there is none. */
  readonly oldest: Date | undefined;
  /** When the last notice was sent. Null: the owner has opened a page since, or there was none. */
  readonly lastNoticeAt: Date | null;
  readonly settings: NoticeSettings;
  /** IANA name. */
  readonly timezone: string;
}

export function isNoticeDue({ oldest, lastNoticeAt, settings, timezone }: NoticeWait, now: Date): boolean {
  return (
    oldest !== undefined &&
    hasPassed(settings.delayMin * MINUTE_MS, oldest, now) &&
    (lastNoticeAt === null || hasPassed(NOTICE_SPACING_MS, lastNoticeAt, now)) &&
    !isQuiet(settings.quiet, timezone, now)
  );
}

/**
 * Whether a notice of a change of the owner's access is due: at once, except in the quiet hours. Somebody who changed it
 * may have the dashboard open, so opening a page does not count.
 */
export function isAccessNoticeDue(
  owner: {
    readonly isAccessNoticeDue: boolean;
    readonly settings: NoticeSettings;
    readonly timezone: string;
  },
  now: Date,
): boolean {
  return owner.isAccessNoticeDue && !isQuiet(owner.settings.quiet, owner.timezone, now);
}

export function isQuiet(quiet: QuietHours | null, timezone: string, now: Date): boolean {
  if (quiet === null) return false;
  const { fromMin, toMin } = quiet;
  const minute = minuteOfDay(now, timezone);
  return fromMin <= toMin ? fromMin <= minute && minute < toMin : fromMin <= minute || minute < toMin;
}

/** After the clock was set back, `since` may be in the future: measures the distance in either direction. */
function hasPassed(ms: number, since: Date, now: Date): boolean {
  return Math.abs(now.getTime() - since.getTime()) >= ms;
}

/** The most times that one notice is tried on one channel. */
const TRIES_MAX = 6;
const FIRST_WAIT_MS = MINUTE_MS;
const WAIT_MAX_MS = HOUR_MS;

/**
 * Returns when a failed notice is tried again: after 1 min, then twice as late each time, or later if the receiver asks
 * for it. Null: never.
 * @param tries  those made so far
 */
export function retryAt(tries: number, retryAfterMs: number | null, now: Date): Date | null {
  if (tries >= TRIES_MAX) return null;
  const waitMs = Math.max(FIRST_WAIT_MS * 2 ** (tries - 1), retryAfterMs ?? 0);
  return new Date(now.getTime() + Math.min(WAIT_MAX_MS, waitMs));
}

/** Whether a retry is due. It never waits longer than that, even if the clock was set back. */
export function isRetryDue(at: Date, now: Date): boolean {
  return at <= now || at.getTime() - now.getTime() > WAIT_MAX_MS;
}
