import { randomBytes } from 'node:crypto';
import { hashersOf, readRecord, type ShownPassage } from '../../../core/provenance/read-record.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { hashedAtOnce } from '../../core/provenance/hashed-at-once.ts';

/** Makes the records of what a key's calls read, as the service stores them. */
export function readRecorder(
  secretKeys: readonly Uint8Array[],
  key: { readonly ownerId: string; readonly credentialId: string },
) {
  const keyring = createKeyring(secretKeys, randomBytes);
  const [hasher] = hashersOf(keyring, key.ownerId);
  if (hasher === undefined) throw new Error('the keyring has no key');
  return (passage: ShownPassage) => readRecord(keyring, key, hashedAtOnce([passage], hasher));
}

/** One of many messages, each from its own sender. */
export function shownMessage(n: number, text: string): ShownPassage {
  return {
    kind: 'message',
    id: `m1_${n}`,
    title: `Message ${n}`,
    author: `sender-${n}@sender.example`,
    quoting: null,
    origin: 'person',
    receivedMs: n,
    isListed: false,
    text,
  };
}
