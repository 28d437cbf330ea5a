import type { NoticeChannel } from '../../../core/notices/notice-state.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { NOON } from './scene.ts';

/** Channels of notices as the promises of storage need them. */

export function aChannel(ownerId: string, changes: Partial<NoticeChannel> = {}): NoticeChannel {
  return {
    ownerId,
    channelId: 'ntc_1',
    kind: 'ntfy',
    sealedTarget: 'sealed',
    code: null,
    tries: 0,
    retryAt: null,
    failingSince: null,
    problem: null,
    createdAt: NOON,
    ...changes,
  };
}

export async function addChannel(
  storage: Storage,
  ownerId: string,
  changes: Partial<NoticeChannel> = {},
): Promise<NoticeChannel> {
  const channel = aChannel(ownerId, changes);
  const added = await storage.addNoticeChannel({ channel, most: 10 });
  if (added !== 'added') throw new Error(added);
  return channel;
}
