import { type NoticeTarget, noticeTarget } from '../ports/notice-target.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { openFrom, sealFor } from '../state/sealing.ts';
import { type NoticeChannel, noticeChannels } from './notice-state.ts';

type Of = Pick<NoticeChannel, 'ownerId' | 'channelId'>;

export function sealTarget(keyring: Keyring, of: Of, target: NoticeTarget): string {
  return sealFor(keyring, noticeChannels, 'sealedTarget', of, JSON.stringify(target));
}

/** @throws Error if it was changed, or its key is not in the ring */
export function openTarget(
  keyring: Keyring,
  channel: Of & Pick<NoticeChannel, 'sealedTarget'>,
): NoticeTarget {
  return noticeTarget.parse(JSON.parse(openFrom(keyring, noticeChannels, 'sealedTarget', channel)));
}
