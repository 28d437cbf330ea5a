import { Buffer } from 'node:buffer';
import type { FetchQueryObject } from 'imapflow';
import type { KeptOfAccount } from '../../core/accounts/account-cache.ts';
import type { ListedMessage } from '../../core/mail/listed-message.ts';
import { ownCopy } from '../../core/memory/own-copy.ts';
import { deliveryRefusal } from './failure.ts';
import { isShown } from './fetch-each.ts';
import { type Fetched, fetched } from './fetched.ts';
import { fetchRowsIn, fetchRowsOf, highestFirst, rowOf } from './rows.ts';
import type { OpenFolder } from './session.ts';
import { uidSets } from './uid-search.ts';

/**
 * The rows of lists. What was fetched once is not fetched again: of a page that is known, the server is asked only for what
 * changes.
 */
export interface KnownRows {
  /** Returns the rows of these UIDs, the highest first. Leaves out messages that are gone. */
  of(folder: OpenFolder, uids: readonly number[]): Promise<ListedMessage[]>;
  /** Returns the rows of a range of sequence numbers, the highest UID first. Leaves out messages that are gone. */
  in(folder: OpenFolder, first: number, last: number): Promise<ListedMessage[]>;
}

/** What never changes of a row. */
export type KnownRow = Omit<ListedMessage, 'place' | 'flags' | 'labels'> & { readonly header: Buffer };
/** A row under its UID, or the UIDs that a range of sequence numbers had when it was listed. */
export type Kept = KnownRow | readonly number[];

/** Of a row besides its header, and of what core reads in each byte of the header. */
const ROW_BYTES = 1500;
const READ_BYTES = 3;
const UID_BYTES = 16;

export function bytesOfKept(kept: Kept): number {
  return 'header' in kept ? ROW_BYTES + READ_BYTES * kept.header.length : UID_BYTES * kept.length;
}

/**
 * The flags and labels, and what tells whether it is the message that was listed: a folder that was restored from a backup may give
 * a UID once more.
 */
const CHANGING: FetchQueryObject = { uid: true, flags: true, internalDate: true, size: true, labels: true };

export function knownRows(kept: KeptOfAccount<Kept>): KnownRows {
  const keyIn = ({ uidValidity, mailbox }: OpenFolder, name: string) =>
    `${name} ${uidValidity} ${mailbox.path}`;

  /** What is known of these UIDs. Undefined unless it is all of them. */
  function knownAs(folder: OpenFolder, uids: readonly number[]): ReadonlyMap<number, KnownRow> | undefined {
    const rows = new Map<number, KnownRow>();
    for (const uid of uids) {
      const row = kept.get(keyIn(folder, `${uid}`));
      if (row === undefined || !('header' in row)) return undefined;
      rows.set(uid, row);
    }
    return rows;
  }

  /** Returns the same rows, with headers of their own. */
  function keep(folder: OpenFolder, rows: readonly ListedMessage[]): ListedMessage[] {
    return rows.map((row) => {
      if (row.undeliverable) return row;
      const own = ownRow(row);
      kept.set(keyIn(folder, `${row.place.uid}`), own);
      return { ...row, header: own.header };
    });
  }

  return {
    async of(folder, uids) {
      const known = knownAs(folder, uids);
      const rows = known === undefined ? new Map<number, ListedMessage>() : await stillThere(folder, known);
      const others = uids.filter((uid) => !rows.has(uid));
      const anew = others.length === 0 ? [] : keep(folder, await fetchRowsOf(folder, others));
      return [...rows.values(), ...anew].sort(highestFirst);
    },

    async in(folder, first, last) {
      const range = `${first}:${last}`;
      const key = keyIn(folder, range);
      const listed = kept.get(key);
      const known = listed === undefined || 'header' in listed ? undefined : knownAs(folder, listed);
      if (known !== undefined) {
        const rows = await stillThere(folder, known, { range });
        if (rows.size > last - first) return [...rows.values()].sort(highestFirst);
      }
      const rows = keep(folder, await fetchRowsIn(folder, first, last));
      kept.set(
        key,
        rows.map(({ place }) => place.uid),
      );
      return rows;
    },
  };
}

/** What never changes of the row, as a copy: what it was cut from need not be kept. */
export function ownRow({ stableId, header, internalDate, sizeBytes }: ListedMessage): KnownRow {
  return { stableId: stableId && ownCopy(stableId), header: ownBytes(header), internalDate, sizeBytes };
}

export function ownBytes(bytes: Uint8Array): Buffer {
  return Buffer.from(new Uint8Array(bytes).buffer);
}

/**
 * Returns the rows that the server still has, by their UIDs. The known ones that it no longer has as they were are left out.
 * @param range  the sequence numbers to ask for. Default: their UIDs
 */
export async function stillThere(
  folder: OpenFolder,
  known: ReadonlyMap<number, KnownRow>,
  { range }: { readonly range?: string } = {},
): Promise<Map<number, ListedMessage>> {
  const rows = new Map<number, ListedMessage>();
  const by = { uid: range === undefined };
  try {
    for (const asked of range === undefined ? uidSets([...known.keys()]) : [range]) {
      for await (const message of fetched(folder.client, asked, CHANGING, by)) {
        const before = isShown(message) ? known.get(message.uid) : undefined;
        const row = before && sameRow(folder, message, before);
        if (row !== undefined) rows.set(message.uid, row);
      }
    }
  } catch (error) {
    // The others are fetched in the way that gets past a message that the server cannot deliver.
    if (deliveryRefusal(error) === undefined) throw error;
  }
  return rows;
}

/** The row of the message, with the header that is known. Undefined if it is another message than the known one. */
function sameRow(folder: OpenFolder, message: Fetched, known: KnownRow): ListedMessage | undefined {
  const row = rowOf(folder, { ...message, headers: known.header });
  const isSame =
    row.stableId === known.stableId &&
    row.sizeBytes === known.sizeBytes &&
    row.internalDate.getTime() === known.internalDate.getTime();
  return isSame ? row : undefined;
}
