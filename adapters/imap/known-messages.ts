import type { Buffer } from 'node:buffer';
import type { KeptOfAccount } from '../../core/accounts/account-cache.ts';
import { boundedFields } from '../../core/mail/bounded-fields.ts';
import { headerBlock, readHeaders } from '../../core/mail/header-fields.ts';
import { type MessagePlace, ROW_FIELDS } from '../../core/mail/listed-message.ts';
import type { RawMessage } from '../../core/ports/mail-reading.ts';
import { readMessage, readMessages } from './content.ts';
import { type KnownRow, ownBytes, ownRow, stillThere } from './known-rows.ts';
import type { OpenFolder } from './session.ts';

/**
 * Short messages that were read. What was fetched once is not fetched again: the server is only asked whether the message
 * is still there, and for its flags. It has the same bytes each time, so nobody reads them again.
 */
export interface KnownMessages {
  /** @throws MailError `not_found` */
  at(folder: OpenFolder, place: MessagePlace): Promise<RawMessage>;
  /** The messages of these UIDs that exist. One that the server cannot deliver is empty, and its row says so. */
  of(folder: OpenFolder, uids: readonly number[]): Promise<ReadonlyMap<number, RawMessage>>;
}

export interface KeptMessage extends KnownRow {
  readonly source: Buffer;
}

/** Nearly every message without an attachment. */
const KEPT_BYTES = 64 * 1024;

/** Of a message besides its bytes, and of what core reads in each byte. */
const MESSAGE_BYTES = 2500;
const READ_BYTES = 5;

export function bytesOfMessage({ header, source }: KeptMessage): number {
  return MESSAGE_BYTES + (1 + READ_BYTES) * (header.length + source.length);
}

export function knownMessages(kept: KeptOfAccount<KeptMessage>): KnownMessages {
  const keyOf = ({ uidValidity, mailbox }: OpenFolder, uid: number) =>
    `${uid} ${uidValidity} ${mailbox.path}`;

  async function knownOf(folder: OpenFolder, uids: readonly number[]): Promise<Map<number, RawMessage>> {
    const known = new Map<number, KeptMessage>();
    for (const uid of uids) {
      const message = kept.get(keyOf(folder, uid));
      if (message !== undefined) known.set(uid, message);
    }
    const messages = new Map<number, RawMessage>();
    for (const [uid, row] of await stillThere(folder, known)) {
      const source = known.get(uid)?.source;
      if (source !== undefined) messages.set(uid, { row, source: { kind: 'whole', bytes: source } });
    }
    return messages;
  }

  /** Returns the same message, with bytes of its own. */
  function keep(folder: OpenFolder, message: RawMessage): RawMessage {
    const { row, source } = message;
    if (row.undeliverable || source.kind !== 'whole' || source.bytes.length > KEPT_BYTES) return message;
    // One whose size is an estimate may be cut, and so may its header, which was fetched by itself.
    if (
      source.bytes.length !== row.sizeBytes ||
      rowFields(row.header) !== rowFields(headerBlock(source.bytes))
    )
      return message;
    const own = { ...ownRow(row), source: ownBytes(source.bytes) };
    kept.set(keyOf(folder, row.place.uid), own);
    return { row: { ...row, header: own.header }, source: { kind: 'whole', bytes: own.source } };
  }

  return {
    async at(folder, place) {
      const known = place.uidValidity === folder.uidValidity ? await knownOf(folder, [place.uid]) : undefined;
      return known?.get(place.uid) ?? keep(folder, await readMessage(folder, place));
    },

    async of(folder, uids) {
      const messages = await knownOf(folder, uids);
      const others = uids.filter((uid) => !messages.has(uid));
      for await (const message of readMessages(folder, others))
        messages.set(message.row.place.uid, keep(folder, message));
      return messages;
    },
  };
}

/** The fields that a row is read from, in one order. */
function rowFields(header: Uint8Array): string {
  const fields = readHeaders(boundedFields(header, ROW_FIELDS, KEPT_BYTES));
  return JSON.stringify(fields.map(({ key, value }) => [key, value.trim()]).sort());
}
