import type { MessageRow } from '../mail/message-row.ts';
import { boundedCache } from '../memory/bounded-cache.ts';
import type { Keyring } from '../secrets/keyring.ts';

/**
 * The identifiers that go over the wire. Message ids and cursors are sealed: nobody else can read a folder name or a
 * position in them, or create one.
 */

/** The contents of a message id. A keyed hash stands for the folder. */
export interface MessageIdParts {
  readonly accountId: number;
  readonly uidValidity: string;
  readonly uid: number;
  readonly stableId: string | null;
  /** The first 16 bytes of the row's fingerprint, hex. */
  readonly fingerprint: string;
  readonly internalDate: Date;
  readonly sizeBytes: number;
  /** Whether a path is that of the id's folder. */
  isIn(path: string): boolean;
}

/** The parts of a row that an id contains. */
type IdentifiedRow = Pick<MessageRow, 'place' | 'stableId' | 'fingerprint' | 'internalDate' | 'sizeBytes'>;

type OpenedMessageId =
  | { readonly kind: 'opened'; readonly parts: MessageIdParts }
  /** Issued to a different owner. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'forged' };

const FIXED_BYTES = 8 + 4 + 16 + 8 + 4 + 16 + 6 + 6;

export interface Identifiers {
  messageId(ownerId: string, accountId: number, row: IdentifiedRow): string;
  openMessageId(ownerId: string, id: string): OpenedMessageId;
  /** @param scope the tool and parameters that the position belongs to @param position a short JSON array */
  cursor(ownerId: string, scope: string, position: readonly (string | number)[]): string;
  /** Undefined: not issued here, or issued for a different owner or different parameters. */
  openCursor(ownerId: string, scope: string, cursor: string): readonly unknown[] | undefined;
}

/** Mail servers choose folder names and stable ids, of any length. */
const TAGS_BYTES = 1024 * 1024;
/** Some 10,000 ordinary ids. */
const IDS_BYTES = 8 * 1024 * 1024;

/** Of a buffer, besides its bytes. */
const BUFFER_BYTES = 300;

const PREFIX_MESSAGE = 'm1_';
const PREFIX_CURSOR = 'c1_';

export function createIdentifiers(keyring: Keyring): Identifiers {
  const tag = (purpose: string, text: string, bytes: number, keyId?: string): Buffer => {
    const mac = keyring.mac(purpose, text, keyId);
    if (mac === undefined) throw new Error('the key of an opened identifier is in the ring');
    // A buffer of its own: one from Node's pool would keep the whole pool in memory.
    const own = Buffer.alloc(bytes);
    own.set(mac.subarray(0, bytes));
    return own;
  };
  // The rows of a list share their owner and folder. Computing those tags is half the cost of an id.
  const tags = boundedCache<Buffer>(TAGS_BYTES, ({ length }) => BUFFER_BYTES + length);
  const keptTag = (purpose: 'owner' | 'folder', text: string, bytes: number): Buffer => {
    const name = `${purpose}\n${text}`;
    const kept = tags.get(name);
    if (kept !== undefined) return kept;
    const created = tag(purpose, text, bytes);
    tags.set(name, created);
    return created;
  };
  const sealedId = (ownerId: string, accountId: number, row: IdentifiedRow): string => {
    const stable = Buffer.from(row.stableId ?? '', 'utf8');
    const bytes = Buffer.alloc(FIXED_BYTES + stable.length);
    let at = keptTag('owner', ownerId, 8).copy(bytes, 0);
    at = bytes.writeUInt32BE(accountId, at);
    at += keptTag('folder', row.place.path, 16).copy(bytes, at);
    at = bytes.writeBigUInt64BE(BigInt(row.place.uidValidity), at);
    at = bytes.writeUInt32BE(row.place.uid, at);
    at += bytes.write(row.fingerprint.slice(0, 32), at, 'hex');
    at = bytes.writeUIntBE(Math.max(0, Math.floor(row.internalDate.getTime() / 1000)), at, 6);
    at = bytes.writeUIntBE(row.sizeBytes, at, 6);
    stable.copy(bytes, at);
    return PREFIX_MESSAGE + Buffer.from(keyring.sealFixed('message-id', bytes)).toString('base64url');
  };
  // The same message always has the same id, and callers that poll mostly ask for the same messages.
  const ids = boundedCache<string>(IDS_BYTES, ({ length }) => 2 * length);
  return {
    messageId(ownerId, accountId, row) {
      const { place, fingerprint, stableId } = row;
      const name = JSON.stringify([ownerId, accountId, place, fingerprint, stableId]);
      const kept = ids.get(name);
      if (kept !== undefined) return kept;
      const created = sealedId(ownerId, accountId, row);
      ids.set(name, created);
      return created;
    },
    openMessageId(ownerId, id) {
      const opened = openText(keyring, 'message-id', PREFIX_MESSAGE, id);
      if (opened === undefined || opened.bytes.length < FIXED_BYTES) return { kind: 'forged' };
      const bytes = Buffer.from(opened.bytes);
      if (!bytes.subarray(0, 8).equals(tag('owner', ownerId, 8, opened.keyId))) return { kind: 'foreign' };
      const folder = bytes.subarray(12, 28);
      const stable = bytes.subarray(FIXED_BYTES).toString('utf8');
      return {
        kind: 'opened',
        parts: {
          accountId: bytes.readUInt32BE(8),
          uidValidity: bytes.readBigUInt64BE(28).toString(),
          uid: bytes.readUInt32BE(36),
          fingerprint: bytes.subarray(40, 56).toString('hex'),
          internalDate: new Date(bytes.readUIntBE(56, 6) * 1000),
          sizeBytes: bytes.readUIntBE(62, 6),
          stableId: stable === '' ? null : stable,
          isIn: (path) => folder.equals(tag('folder', path, 16, opened.keyId)),
        },
      };
    },
    cursor(ownerId, scope, position) {
      const bytes = Buffer.concat([
        tag('cursor', `${ownerId}\n${scope}`, 8),
        Buffer.from(JSON.stringify(position)),
      ]);
      const cursor = PREFIX_CURSOR + Buffer.from(keyring.sealFixed('cursor', bytes)).toString('base64url');
      if (cursor.length > 120) throw new Error('a cursor has at most 120 characters');
      return cursor;
    },
    openCursor(ownerId, scope, cursor) {
      const opened = openText(keyring, 'cursor', PREFIX_CURSOR, cursor);
      if (opened === undefined) return undefined;
      const bytes = Buffer.from(opened.bytes);
      if (!bytes.subarray(0, 8).equals(tag('cursor', `${ownerId}\n${scope}`, 8, opened.keyId)))
        return undefined;
      const position: unknown = JSON.parse(bytes.subarray(8).toString('utf8'));
      return Array.isArray(position) ? position : undefined;
    },
  };
}

/** Accepts one spelling only: base64url ignores stray bits at the end, an identifier does not. */
function openText(keyring: Keyring, purpose: string, prefix: string, text: string) {
  if (!text.startsWith(prefix)) return undefined;
  const sealed = Buffer.from(text.slice(prefix.length), 'base64url');
  if (sealed.toString('base64url') !== text.slice(prefix.length)) return undefined;
  return keyring.openFixed(purpose, sealed);
}
