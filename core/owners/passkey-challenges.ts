import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { MINUTE_MS } from '../time/durations.ts';

/**
 * What passkeys sign. A challenge is signed instead of stored, bound to the browser that got it, and valid for ten
 * minutes. A passkey answers only challenges that are newer than the last one it answered, so each counts once.
 */
export interface PasskeyChallenges {
  /** @param binding  what only this browser sends, for this purpose */
  create(binding: string): string;
  /** @returns when it was created, in milliseconds; undefined if it is not valid (any more) */
  read(challenge: string, binding: string): number | undefined;
}

const PURPOSE = 'passkey-challenge';
const VALID_MS = 10 * MINUTE_MS;

export function createPasskeyChallenges(
  { clock, random }: Pick<Ports, 'clock' | 'random'>,
  keyring: Keyring,
): PasskeyChallenges {
  const textOf = (atMs: string, nonce: string, binding: string) => JSON.stringify([atMs, nonce, binding]);
  return {
    create(binding) {
      const atMs = String(clock.now().getTime());
      const nonce = Buffer.from(random(16)).toString('base64url');
      return `${atMs}.${nonce}.${keyring.sign(PURPOSE, textOf(atMs, nonce, binding))}`;
    },
    read(challenge, binding) {
      const [, atMs, nonce, signature] = /^(\d{1,15})\.([\w-]{22})\.([\w-]+)$/.exec(challenge) ?? [];
      if (atMs === undefined || nonce === undefined || signature === undefined) return undefined;
      if (!keyring.isSigned(PURPOSE, textOf(atMs, nonce, binding), signature)) return undefined;
      // The clock may have been set back.
      return Math.abs(clock.now().getTime() - Number(atMs)) < VALID_MS ? Number(atMs) : undefined;
    },
  };
}
