import * as z from 'zod';
import type { StoredReader, WatchingFacts } from '../../core/ports/store.ts';
import {
  INBOX_READERS,
  type InboxPosition,
  type InboxToWatch,
  type WaitingTracker,
} from '../../core/ports/watch-storage.ts';
import type { Values } from '../../core/state/change.ts';
import { flag, instant, integer, integerOrNull, oneOf, type Row, text, textOrNull } from './row.ts';

export function readInboxToWatch(row: Row): InboxToWatch {
  return {
    ownerId: text(row, 'owner_id'),
    accountId: integer(row, 'account_id'),
    isLeased: flag(row, 'is_leased'),
  };
}

export function readInboxLease(row: Row): WatchingFacts['leases'][number] {
  return {
    accountId: integer(row, 'account_id'),
    fence: integer(row, 'fence'),
    leaseUntilMs: integer(row, 'lease_until_ms'),
  };
}

export function readInboxReader(row: Row): WatchingFacts['readers'][number] {
  return {
    accountId: integer(row, 'account_id'),
    reader: oneOf(row, 'reader', INBOX_READERS),
    position: readPosition(row),
    endedMs: integerOrNull(row, 'ended_ms'),
  };
}

const seconds = z.int();
const storedPosition = z.object({
  validity: z.string().nullable(),
  uid: z.int(),
  since: seconds,
  sift: z.object({ uid: z.int(), since: seconds }).nullable(),
  recent: z.array(z.tuple([z.string(), seconds])),
});

/** Null: the reader has ended. */
export function readPosition(row: Row): InboxPosition | null {
  const stored = textOrNull(row, 'position');
  if (stored === null) return null;
  const { validity, uid, since, sift, recent } = storedPosition.parse(JSON.parse(stored));
  return {
    uidValidity: validity,
    uid,
    sinceS: since,
    recent,
    sift: sift === null ? null : { uid: sift.uid, sinceS: sift.since },
  };
}

export function readerColumns({ position, endedMs }: StoredReader): Values {
  return { position: position === null ? null : positionText(position), ended_ms: endedMs };
}

function positionText({ uidValidity, uid, sinceS, recent, sift }: InboxPosition): string {
  const stored: z.infer<typeof storedPosition> = {
    validity: uidValidity,
    uid,
    since: sinceS,
    sift: sift === null ? null : { uid: sift.uid, since: sift.sinceS },
    recent: recent.map(([identity, receivedS]) => [identity, receivedS]),
  };
  return JSON.stringify(stored);
}

export function readWaitingTracker(row: Row): WaitingTracker {
  return {
    trackerId: integer(row, 'tracker_id'),
    keywords: text(row, 'keywords'),
    createdAt: instant(row, 'created_at_ms'),
  };
}
