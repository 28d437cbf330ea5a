import { Buffer } from 'node:buffer';
import type { Keyring } from '../secrets/keyring.ts';
import type { OpenedMessageId } from './opened-message-id.ts';
import { openedText, tagOf } from './sealed-text.ts';

/**
 * Message ids of the form before handles: sealed, of some 120 characters. Agents keep them, so they stay valid; none is made any
 * more. One contains the owner's tag (8 bytes), the account (4), the folder's tag (16), UIDVALIDITY (8), UID (4), the start of
 * the fingerprint (16), INTERNALDATE in seconds (6), the size (6) and the stable id.
 */

const FIXED_BYTES = 8 + 4 + 16 + 8 + 4 + 16 + 6 + 6;

export function openSealedMessageId(keyring: Keyring, ownerId: string, id: string): OpenedMessageId {
  const opened = openedText(keyring, 'message-id', 'm1_', id);
  if (opened === undefined || opened.bytes.length < FIXED_BYTES) return { kind: 'forged' };
  const tag = (purpose: 'owner' | 'folder', text: string, bytes: number): Uint8Array =>
    tagOf(keyring, purpose, text, bytes, opened.keyId);
  const bytes = Buffer.from(opened.bytes);
  if (!bytes.subarray(0, 8).equals(tag('owner', ownerId, 8))) return { kind: 'unknown' };
  const folder = bytes.subarray(12, 28);
  const stableId = bytes.subarray(FIXED_BYTES).toString('utf8');
  return {
    kind: 'opened',
    parts: {
      accountId: bytes.readUInt32BE(8),
      uidValidity: bytes.readBigUInt64BE(28).toString(),
      uid: bytes.readUInt32BE(36),
      fingerprint: bytes.subarray(40, 56).toString('hex'),
      internalDate: new Date(bytes.readUIntBE(56, 6) * 1000),
      sizeBytes: bytes.readUIntBE(62, 6),
      stableId: stableId === '' ? null : stableId,
      isIn: (path) => folder.equals(tag('folder', path, 16)),
    },
  };
}
