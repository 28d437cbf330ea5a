import { Buffer } from 'node:buffer';
import type { Keyring } from '../secrets/keyring.ts';
import { openedText, tagOf } from './sealed-text.ts';

/** Cursors are sealed: nobody else can read a position in them, or create one. */
export interface Cursors {
  /** @param scope the tool and parameters that the position belongs to @param position a short JSON array */
  cursor(ownerId: string, scope: string, position: readonly (string | number)[]): string;
  /** Undefined: not issued here, or issued for a different owner or different parameters. */
  openCursor(ownerId: string, scope: string, cursor: string): readonly unknown[] | undefined;
}

const PREFIX = 'c1_';
const TAG_BYTES = 8;

export function createCursors(keyring: Keyring): Cursors {
  const tag = (ownerId: string, scope: string, keyId?: string): Uint8Array =>
    tagOf(keyring, 'cursor', `${ownerId}\n${scope}`, TAG_BYTES, keyId);
  return {
    cursor(ownerId, scope, position) {
      const bytes = Buffer.concat([tag(ownerId, scope), Buffer.from(JSON.stringify(position))]);
      const cursor = PREFIX + Buffer.from(keyring.sealFixed('cursor', bytes)).toString('base64url');
      if (cursor.length > 120) throw new Error('a cursor has at most 120 characters');
      return cursor;
    },
    openCursor(ownerId, scope, cursor) {
      const opened = openedText(keyring, 'cursor', PREFIX, cursor);
      if (opened === undefined) return undefined;
      const bytes = Buffer.from(opened.bytes);
      if (!bytes.subarray(0, TAG_BYTES).equals(tag(ownerId, scope, opened.keyId))) return undefined;
      const position: unknown = JSON.parse(bytes.subarray(TAG_BYTES).toString('utf8'));
      return Array.isArray(position) ? position : undefined;
    },
  };
}
