import { notFound } from '../contract/not-found.ts';
import { invalidArgument } from '../contract/schema.ts';
import { newEndpointSecret } from '../events/signature.ts';
import { boundedCache } from '../memory/bounded-cache.ts';
import { errorName } from '../ports/log.ts';
import type { Notice, NoticeEnd, NoticeSender } from '../ports/notice-sender.ts';
import { type NoticeKind, type NoticeTarget, noticeTarget, vapidPublicKey } from '../ports/notice-target.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { HOUR_MS, MINUTE_MS } from '../time/durations.ts';
import { DELAY_MAX_MIN, type NoticeSettings } from './notice-rule.ts';
import type { NoticeChannel } from './notice-state.ts';
import { openTarget, sealTarget } from './sealed-target.ts';
import { approvalsPage, isConnectedAccount, sendTo } from './send-notices.ts';
import { vapidKey } from './vapid-key.ts';

/** Notices to the owner that something waits. They say how much, never what. */
export interface Notices {
  /** The kinds of channels that can be added. Empty without the port `noticeSender`. */
  readonly kinds: readonly NoticeKind[];
  /** The public key that a browser subscribes with: a point on P-256, in base64url. */
  pushKey(ownerId: string): string;
  /** @throws ServiceError not_found */
  settings(ownerId: string): Promise<NoticeSettings>;
  /** @throws ServiceError not_found, invalid_arguments */
  setSettings(ownerId: string, settings: NoticeSettings): Promise<void>;
  /** Oldest first. */
  list(ownerId: string): Promise<readonly NoticeChannelView[]>;
  /**
   * Adds a channel. An address of mail gets a code, and is used once `confirm` has it. A browser that is added again
   * replaces its channel.
   * @returns `secret` signs the requests of a webhook, and is shown this once. `not_sent`: the code could not be sent,
   *   and no channel was added
   * @throws ServiceError not_found (the owner), invalid_arguments (a field, a connected account, or too many)
   */
  add(
    ownerId: string,
    channel: NewNoticeChannel,
  ): Promise<
    | { readonly kind: 'added'; readonly channelId: string; readonly secret: string | null }
    | { readonly kind: 'not_sent'; readonly reason: string }
  >;
  /** `ended`: the channel has no code, its time is over, or this was the last try. It has to be added again. */
  confirm(ownerId: string, channelId: string, code: string): Promise<'confirmed' | 'wrong' | 'ended'>;
  /** @throws ServiceError not_found */
  remove(ownerId: string, channelId: string): Promise<void>;
  /** Sends a notice now. @throws ServiceError not_found (or it is not confirmed) */
  sendTest(
    ownerId: string,
    channelId: string,
  ): Promise<{ readonly kind: 'sent' } | { readonly kind: 'not_sent'; readonly reason: string }>;
  /** The owner has opened a page that shows what waits: no notice comes for it. */
  looked(ownerId: string): Promise<void>;
}

export type NewNoticeChannel =
  /** A subscription of a browser. `browser`: its name, for the owner. */
  | {
      readonly kind: 'push';
      readonly browser: string;
      readonly endpoint: string;
      readonly p256dh: string;
      readonly auth: string;
    }
  | {
      readonly kind: 'ntfy';
      readonly server: string;
      readonly topic: string;
      readonly token: string | null;
    }
  | { readonly kind: 'webhook'; readonly url: string }
  | { readonly kind: 'mail'; readonly address: string };

export interface NoticeChannelView {
  readonly channelId: string;
  readonly kind: NoticeKind;
  /** The browser, the topic, the URL or the address. Empty if it cannot be read. */
  readonly name: string;
  /** Of a push channel. */
  readonly endpoint: string | null;
  readonly isConfirmed: boolean;
  /** Since when every notice has failed; null if the last one did not. */
  readonly failingSince: Date | null;
  /** Why the last one failed, in a sentence. */
  readonly problem: string | null;
  readonly createdAt: Date;
}

/** Of one owner, confirmed or not. */
const CHANNELS_MAX = 10;
const CODE_MS = 30 * MINUTE_MS;
const CODE_TRIES = 5;
/** Of one owner in an hour, in this process: others must not get mail by the dozen. */
const CODES_MAX = 5;
/** Of the times of an owner's codes. */
const TIMES_BYTES = 200;
/** For some 10,000 owners. */
const CODES_BYTES = 4 * 1024 * 1024;

export function createNotices(ports: Ports, keyring: Keyring, dashboardUrl: string): Notices {
  const { storage, clock, random, log, noticeSender } = ports;
  /** By owner: milliseconds since 1970. */
  const codesSent = boundedCache<readonly number[]>(CODES_BYTES, () => TIMES_BYTES);

  const codeMac = (of: Pick<NoticeChannel, 'ownerId' | 'channelId'>, code: string) =>
    Buffer.from(keyring.mac('notice-code', `${of.ownerId}\n${of.channelId}\n${code}`) ?? []).toString(
      'base64url',
    );

  /** @throws ServiceError invalid_arguments if too many codes were sent in this hour */
  function takeCode(ownerId: string, now: Date): void {
    const nowMs = now.getTime();
    const recent = (codesSent.get(ownerId) ?? []).filter((atMs) => Math.abs(nowMs - atMs) < HOUR_MS);
    if (recent.length >= CODES_MAX) {
      throw invalidArgument('address', 'limit', 'cannot be added now: too many codes were sent in this hour');
    }
    codesSent.set(ownerId, [...recent, nowMs]);
  }

  /** The whole target. @throws ServiceError invalid_arguments */
  function targetOf(ownerId: string, channel: NewNoticeChannel): NoticeTarget {
    const parsed = noticeTarget.safeParse(completed(ownerId, channel));
    if (parsed.success) return parsed.data;
    const field = String(parsed.error.issues[0]?.path[0] ?? 'kind');
    throw invalidArgument(field, 'format', 'is not valid');
  }

  function completed(ownerId: string, channel: NewNoticeChannel): NoticeTarget {
    switch (channel.kind) {
      case 'push':
        return { ...channel, vapidKey: vapidKey(keyring, ownerId) };
      case 'webhook':
        return { ...channel, secret: newEndpointSecret(random) };
      default:
        return channel;
    }
  }

  /** A browser has one subscription, so adding it again replaces the channel. */
  async function removeSame(ownerId: string, target: NoticeTarget): Promise<void> {
    if (target.kind !== 'push') return;
    for (const channel of await storage.noticeChannels(ownerId)) {
      const known = opened(channel);
      if (known?.kind === 'push' && known.endpoint === target.endpoint) {
        await storage.removeNoticeChannel(ownerId, channel.channelId);
      }
    }
  }

  /** Undefined: it cannot be read. */
  function opened(channel: NoticeChannel): NoticeTarget | undefined {
    try {
      return openTarget(keyring, channel);
    } catch (error) {
      log.error('a channel of notices could not be read', { kind: channel.kind, ...errorName(error) });
      return undefined;
    }
  }

  async function channelOf(ownerId: string, channelId: string): Promise<NoticeChannel> {
    const channels = await storage.noticeChannels(ownerId);
    const channel = channels.find((one) => one.channelId === channelId);
    if (channel === undefined) throw notFound('endpoint');
    return channel;
  }

  /** Not interrupted by a stop: its caller waits for it. */
  const sendNow = (sender: NoticeSender, channel: NoticeChannel, notice: Notice) =>
    sendTo(ports, sender, keyring, channel, notice, new AbortController().signal);

  return {
    kinds: noticeSender?.kinds ?? [],
    pushKey: (ownerId) => vapidPublicKey(vapidKey(keyring, ownerId)),

    async settings(ownerId) {
      const settings = await storage.noticeSettings(ownerId);
      if (settings === undefined) throw notFound('owner');
      return settings;
    },

    async setSettings(ownerId, settings) {
      checkSettings(settings);
      if (!(await storage.setNoticeSettings(ownerId, settings))) throw notFound('owner');
    },

    list: async (ownerId) =>
      (await storage.noticeChannels(ownerId)).map((channel) => shown(channel, opened(channel))),

    async add(ownerId, channel) {
      if (noticeSender === undefined || !noticeSender.kinds.includes(channel.kind)) {
        throw new Error(
          'Notices need the port noticeSender, such as ownerNotices of countersign/notices. Mail needs its option smtp.',
        );
      }
      const target = targetOf(ownerId, channel);
      const now = clock.now();
      if (await isConnectedAccount(storage, ownerId, target)) {
        throw invalidArgument('address', 'connected_account', 'belongs to a connected account');
      }
      const channelId = `ntc_${Buffer.from(random(12)).toString('base64url')}`;
      const code = target.kind === 'mail' ? newCode(random) : null;
      if (code !== null) takeCode(ownerId, now);
      const stored: NoticeChannel = {
        ownerId,
        channelId,
        kind: target.kind,
        sealedTarget: sealTarget(keyring, { ownerId, channelId }, target),
        code: code === null ? null : codeOf(codeMac({ ownerId, channelId }, code), now),
        ...{ tries: 0, retryAt: null, failingSince: null, problem: null },
        createdAt: now,
      };
      await removeSame(ownerId, target);
      const added = await storage.addNoticeChannel({ channel: stored, most: CHANNELS_MAX });
      if (added === 'no_owner') throw notFound('owner');
      if (added === 'too_many') {
        throw invalidArgument('kind', 'limit', `cannot be added: ${CHANNELS_MAX} channels at a time`);
      }
      if (code !== null) {
        const end = await sendNow(noticeSender, stored, { kind: 'code', at: now, code });
        if (end.kind !== 'sent') {
          await storage.removeNoticeChannel(ownerId, channelId);
          return { kind: 'not_sent', reason: reasonOf(end) };
        }
      }
      return { kind: 'added', channelId, secret: target.kind === 'webhook' ? target.secret : null };
    },

    confirm: (ownerId, channelId, code) =>
      storage.confirmNoticeChannel({
        ownerId,
        channelId,
        codeMac: codeMac({ ownerId, channelId }, code.replaceAll(/\D/g, '')),
        now: clock.now(),
      }),

    async remove(ownerId, channelId) {
      if (!(await storage.removeNoticeChannel(ownerId, channelId))) throw notFound('endpoint');
    },

    async sendTest(ownerId, channelId) {
      const channel = await channelOf(ownerId, channelId);
      if (noticeSender === undefined || channel.code !== null) throw notFound('endpoint');
      const now = clock.now();
      const page = approvalsPage(dashboardUrl, null);
      const end = await sendNow(noticeSender, channel, { kind: 'test', at: now, page });
      await storage.endNotice({ ownerId, channelId, end, now: clock.now() });
      return end.kind === 'sent' ? { kind: 'sent' } : { kind: 'not_sent', reason: reasonOf(end) };
    },

    async looked(ownerId) {
      // Without a sender nobody gets a notice.
      if (noticeSender !== undefined) await storage.ownerLooked(ownerId);
    },
  };
}

/** @throws ServiceError invalid_arguments */
function checkSettings({ delayMin, quiet }: NoticeSettings): void {
  if (!Number.isInteger(delayMin) || delayMin < 0 || delayMin > DELAY_MAX_MIN) {
    throw invalidArgument('delayMin', 'range', `must be a whole number from 0 to ${DELAY_MAX_MIN}`);
  }
  if (quiet === null) return;
  const isMinute = (minute: number) => Number.isInteger(minute) && minute >= 0 && minute < 24 * 60;
  if (!isMinute(quiet.fromMin) || !isMinute(quiet.toMin) || quiet.fromMin === quiet.toMin) {
    throw invalidArgument('quiet', 'range', 'must be two different minutes of the day, from 0 to 1439');
  }
}

/** 6 digits, each equally likely. */
function newCode(random: Ports['random']): string {
  for (;;) {
    const number = Buffer.from(random(4)).readUInt32BE(0);
    if (number < 4_294_000_000) return String(number % 1_000_000).padStart(6, '0');
  }
}

function codeOf(mac: string, now: Date): NonNullable<NoticeChannel['code']> {
  return { mac, untilMs: now.getTime() + CODE_MS, triesLeft: CODE_TRIES };
}

function reasonOf(end: Exclude<NoticeEnd, { kind: 'sent' }>): string {
  return end.kind === 'gone' ? 'It no longer exists, and was removed.' : end.reason;
}

/** @param target  undefined: it cannot be read */
function shown(channel: NoticeChannel, target: NoticeTarget | undefined): NoticeChannelView {
  const { channelId, kind, code, failingSince, problem, createdAt } = channel;
  return {
    channelId,
    kind,
    name: target === undefined ? '' : nameOf(target),
    endpoint: target?.kind === 'push' ? target.endpoint : null,
    isConfirmed: code === null,
    failingSince,
    problem,
    createdAt,
  };
}

function nameOf(target: NoticeTarget): string {
  switch (target.kind) {
    case 'push':
      return target.browser;
    case 'ntfy':
      return `${target.server.replace(/\/$/, '')}/${target.topic}`;
    case 'webhook':
      return target.url;
    case 'mail':
      return target.address;
  }
}
