import * as z from 'zod';
import { accounts } from '../accounts/account-state.ts';
import { flag, instant, integer, json, oneOf, text } from '../state/column.ts';
import { select, statements } from '../state/query.ts';
import { table } from '../state/table.ts';

/** The two readers of an inbox. Each has its own position, because events do not wait for the text of messages. */
export const INBOX_READERS = ['events', 'links'] as const;
export type InboxReader = (typeof INBOX_READERS)[number];

/** How far an inbox is read, and what is needed to go on if the server recreates it. Times are INTERNALDATEs in seconds. */
export interface InboxPosition {
  /** Null: the inbox was not opened yet. */
  readonly uidValidity: string | null;
  /** Every message up to this one was read. */
  readonly uid: number;
  /** Mail received before is old. All mail received later and read so far is in `recent`. */
  readonly sinceS: number;
  readonly recent: readonly RecentMessage[];
  /**
   * Messages up to `uid` may have existed before the inbox was recreated or restored. Those received before `sinceS` and those
   * in `recent` are old. Null: every message is new.
   */
  readonly sift: { readonly uid: number; readonly sinceS: number } | null;
}

/** @see arrivalIdentity */
export type RecentMessage = readonly [identity: string, receivedS: number];

const seconds = z.int();
const storedPosition = z.object({
  validity: z.string().nullable(),
  uid: z.int(),
  since: seconds,
  sift: z.object({ uid: z.int(), since: seconds }).nullable(),
  recent: z.array(z.tuple([z.string(), seconds])).readonly(),
});

function readPosition(value: unknown): InboxPosition {
  const { validity, uid, since, sift, recent } = storedPosition.parse(value);
  return {
    uidValidity: validity,
    uid,
    sinceS: since,
    recent,
    sift: sift && { uid: sift.uid, sinceS: sift.since },
  };
}

function formOf({ uidValidity, uid, sinceS, sift, recent }: InboxPosition): unknown {
  return {
    validity: uidValidity,
    uid,
    since: sinceS,
    sift: sift && { uid: sift.uid, since: sift.sinceS },
    recent,
  };
}

/** Which process watches an inbox. */
export const inboxLeases = table(
  'inbox_leases',
  {
    ownerId: text(),
    accountId: integer(),
    fence: integer(),
    /** On the store's clock. */
    leaseUntilMs: integer(),
  },
  { key: ['ownerId', 'accountId'], removedWith: accounts },
);

/** How far each reader of an inbox has come. */
export const inboxReaders = table(
  'inbox_readers',
  {
    ownerId: text(),
    accountId: integer(),
    reader: oneOf(INBOX_READERS),
    /** NULL: it has ended. */
    position: json(readPosition, formOf).orNull(),
    /** By the service's clock. */
    ended: instant().orNull(),
  },
  { key: ['ownerId', 'accountId', 'reader'], removedWith: accounts },
);

/** Messages that a request moved into an inbox: they are not new mail. */
export const movedIntoInbox = table(
  'moved_into_inbox',
  {
    ownerId: text(),
    accountId: integer(),
    /** @see arrivalIdentity */
    identity: text(),
    at: instant(),
  },
  {
    key: ['ownerId', 'accountId', 'identity'],
    erased: { by: 'at', before: 'eventsBefore' },
    indexes: { moved_into_inbox_by_time: { on: ['at'] } },
  },
);

export const leaseOfInbox = select(inboxLeases, { by: ['ownerId', 'accountId'] });
export const leasesOfOwner = select(inboxLeases, { by: ['ownerId'] });
export const readersOfOwner = select(inboxReaders, { by: ['ownerId'] });
export const readerOfInbox = select(inboxReaders, { by: ['ownerId', 'accountId', 'reader'] });
export const movedInAmong = select(movedIntoInbox, {
  by: ['ownerId', 'accountId'],
  among: 'identity',
  only: ['identity'],
});

export const inboxStatements = statements({
  /** Those of owners with an enabled endpoint for `message.received` or an active tracker with keywords; or all. */
  inboxes_to_watch: {
    params: { all: flag() },
    columns: { ownerId: text(), accountId: integer(), isLeased: flag() },
  },
});
