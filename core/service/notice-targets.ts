import { type NoticeTarget, noticeTarget } from '../notices/notice-target.ts';
import type { NoticeChannel } from '../ports/notice-storage.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { STORED } from '../secrets/stored-purposes.ts';

/** The targets of notices at rest. */

type Of = Pick<NoticeChannel, 'ownerId' | 'channelId'>;

export function sealTarget(keyring: Keyring, of: Of, target: NoticeTarget): string {
  return keyring.seal(STORED.noticeTarget, contextOf(of), JSON.stringify(target));
}

/** @throws Error if it was changed, or its key is not in the ring */
export function openTarget(
  keyring: Keyring,
  channel: Of & Pick<NoticeChannel, 'sealedTarget'>,
): NoticeTarget {
  return noticeTarget.parse(
    JSON.parse(keyring.open(STORED.noticeTarget, contextOf(channel), channel.sealedTarget)),
  );
}

function contextOf({ ownerId, channelId }: Of): string {
  return `${ownerId}\n${channelId}`;
}

/** The order of the group of P-256. A private key is a number below it, and not 0. */
const P256_ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');

/**
 * The private VAPID key of an owner, in base64url (RFC 8292). It follows from the secret key, so it is the same in every
 * process and no store holds it in the clear. Each push channel keeps the one that it was added with, sealed.
 */
export function vapidKey(keyring: Keyring, ownerId: string): string {
  for (let n = 0; ; n += 1) {
    const key = Buffer.from(keyring.mac('notice-vapid', `${n}\n${ownerId}`) ?? []);
    if (key.compare(P256_ORDER) < 0 && key.some((byte) => byte !== 0)) return key.toString('base64url');
  }
}
