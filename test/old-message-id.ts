import { Buffer } from 'node:buffer';
import type { MessageRow } from '../core/mail/message-row.ts';
import type { Keyring } from '../core/secrets/keyring.ts';

/** A message id of the form before handles, as agents still have them. */
export function oldMessageId(
  keyring: Keyring,
  ownerId: string,
  accountId: number,
  row: Pick<MessageRow, 'place' | 'stableId' | 'fingerprint' | 'internalDate' | 'sizeBytes'>,
): string {
  const tag = (purpose: string, text: string, bytes: number) =>
    Buffer.from(keyring.mac(purpose, text) ?? []).subarray(0, bytes);
  const numbers = Buffer.alloc(12);
  numbers.writeBigUInt64BE(BigInt(row.place.uidValidity));
  numbers.writeUInt32BE(row.place.uid, 8);
  const sizes = Buffer.alloc(12);
  sizes.writeUIntBE(Math.max(0, Math.floor(row.internalDate.getTime() / 1000)), 0, 6);
  sizes.writeUIntBE(row.sizeBytes, 6, 6);
  const account = Buffer.alloc(4);
  account.writeUInt32BE(accountId);
  const bytes = Buffer.concat([
    ...[tag('owner', ownerId, 8), account, tag('folder', row.place.path, 16), numbers],
    ...[Buffer.from(row.fingerprint.slice(0, 32), 'hex'), sizes, Buffer.from(row.stableId ?? '', 'utf8')],
  ]);
  return `m1_${Buffer.from(keyring.sealFixed('message-id', bytes)).toString('base64url')}`;
}
