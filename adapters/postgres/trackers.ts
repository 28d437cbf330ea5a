import { createHash } from 'node:crypto';
import type { EventKey } from '../../core/ports/calendar.ts';
import type { NumberedEvent, Tracker, TrackerStorage } from '../../core/ports/tracker-storage.ts';
import { integer, type Row, text, textOrNull } from '../rows/row.ts';
import { readTracker } from '../rows/tracker.ts';
import { atomic, type Database, type Queries, reading, snapshot } from './database.ts';
import { lockOwner } from './owner-lock.ts';
import { addLink, countLinks, pageOfLinks } from './tracker-links.ts';

const INSERT = `
  INSERT INTO countersign.trackers
    (owner_id, tracker_id, request_id, title, keywords, due_on, status, added_by_agent, created_at_ms)
  VALUES (
    $1, (SELECT coalesce(max(tracker_id), 0) + 1 FROM countersign.trackers WHERE owner_id = $1), $2, $3, $4, $5, 'open',
    $6, $7)
  ON CONFLICT (owner_id, request_id) DO NOTHING`;
const BY_REQUEST = 'SELECT * FROM countersign.trackers WHERE owner_id = $1 AND request_id = $2';
const BY_ID = 'SELECT * FROM countersign.trackers WHERE owner_id = $1 AND tracker_id = $2';
const LISTED = `
  SELECT * FROM countersign.trackers
  WHERE owner_id = $1 AND (status = 'resolved') = $2 AND tracker_id < $3 ORDER BY tracker_id DESC LIMIT $4`;
const COUNTED =
  "SELECT count(*) AS trackers FROM countersign.trackers WHERE owner_id = $1 AND (status = 'resolved') = $2";
const SET_STATUS = `
  UPDATE countersign.trackers SET status = $3,
    resolved_at_ms = CASE WHEN $3 = 'resolved' THEN coalesce(resolved_at_ms, $4) END
  WHERE owner_id = $1 AND tracker_id = $2`;
/** Those that are new, in the order in which they were asked for. */
const ADD_NUMBERS = `
  INSERT INTO countersign.event_numbers (owner_id, event_id, account_id, key_hash, calendar, uid, recurrence_id)
  SELECT $1::text,
    (SELECT coalesce(max(event_id), 0) FROM countersign.event_numbers WHERE owner_id = $1)
      + row_number() OVER (ORDER BY place),
    $2::bigint, key_hash, calendar, uid, recurrence_id
  FROM (
    SELECT DISTINCT ON (key_hash) * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[])
      WITH ORDINALITY AS asked (key_hash, calendar, uid, recurrence_id, place)
    ORDER BY key_hash, place) AS asked
  WHERE NOT EXISTS (
    SELECT 1 FROM countersign.event_numbers e
    WHERE e.owner_id = $1 AND e.account_id = $2 AND e.key_hash = asked.key_hash)`;
const NUMBERS = `
  SELECT event_id, key_hash FROM countersign.event_numbers
  WHERE owner_id = $1 AND account_id = $2 AND key_hash = ANY($3::text[])`;
const BY_NUMBER = `
  SELECT account_id, calendar, uid, recurrence_id FROM countersign.event_numbers
  WHERE owner_id = $1 AND event_id = $2`;

export function postgresTrackers(db: Database): TrackerStorage {
  return {
    createTracker: atomic(
      db,
      async (tx, { ownerId, requestId, title, keywords, dueOn, addedByAgent, now }) => {
        await lockOwner(tx, ownerId);
        await tx.run(INSERT, [ownerId, requestId, title, keywords, dueOn, addedByAgent, now.getTime()]);
        const row = await tx.row(BY_REQUEST, [ownerId, requestId]);
        if (row === undefined) throw new Error('A tracker that was inserted is not there.');
        return readTracker(row);
      },
    ),
    trackers: snapshot(db, async (tx, { ownerId, state, before = Number.MAX_SAFE_INTEGER, limit }) => {
      const isResolved = state === 'resolved';
      const [rows, counted] = await Promise.all([
        tx.rows(LISTED, [ownerId, isResolved, before, limit + 1]),
        tx.row(COUNTED, [ownerId, isResolved]),
      ]);
      const trackers = rows.slice(0, limit).map(readTracker);
      return { trackers, total: integer(counted ?? {}, 'trackers'), more: rows.length > limit };
    }),
    tracker: snapshot(db, async (tx, { ownerId, trackerId, upTo, limit }) => {
      const [tracker, found, total] = await Promise.all([
        findTracker(tx, ownerId, trackerId),
        pageOfLinks(tx, ownerId, trackerId, upTo, limit + 1),
        countLinks(tx, ownerId, trackerId),
      ]);
      if (tracker === undefined) return undefined;
      return { tracker, links: found.slice(0, limit), total, more: found.length > limit };
    }),
    setTrackerStatus: atomic(db, async (tx, { ownerId, trackerId, status, now }) => {
      await lockOwner(tx, ownerId);
      await tx.run(SET_STATUS, [ownerId, trackerId, status, now.getTime()]);
      return findTracker(tx, ownerId, trackerId);
    }),
    linkToTracker: atomic(db, async (tx, link) => {
      await lockOwner(tx, link.ownerId);
      if ((await findTracker(tx, link.ownerId, link.trackerId)) === undefined) return undefined;
      return (await addLink(tx, link)).link;
    }),
    eventNumbers: atomic(db, async (tx, ownerId, accountId, events) => {
      await lockOwner(tx, ownerId);
      const hashes = events.map(hashOf);
      const columns = [events.map(({ calendar }) => calendar), events.map(({ uid }) => uid)];
      const recurrenceIds = events.map(({ recurrenceId }) => recurrenceId);
      await tx.run(ADD_NUMBERS, [ownerId, accountId, hashes, ...columns, recurrenceIds]);
      const rows = await tx.rows(NUMBERS, [ownerId, accountId, hashes]);
      const numbers = new Map(rows.map((row) => [text(row, 'key_hash'), integer(row, 'event_id')]));
      return hashes.map((hash) => {
        const number = numbers.get(hash);
        if (number === undefined) throw new Error('The number of an event was not given.');
        return number;
      });
    }),
    event: reading(db, async ({ row }, ownerId, eventId) => {
      const found = await row(BY_NUMBER, [ownerId, eventId]);
      return found && readNumberedEvent(found);
    }),
  };
}

async function findTracker(db: Queries, ownerId: string, trackerId: number): Promise<Tracker | undefined> {
  const row = await db.row(BY_ID, [ownerId, trackerId]);
  return row && readTracker(row);
}

function hashOf({ calendar, uid, recurrenceId }: EventKey): string {
  return createHash('sha256')
    .update(JSON.stringify([calendar, uid, recurrenceId]))
    .digest('hex');
}

function readNumberedEvent(row: Row): NumberedEvent {
  return {
    accountId: integer(row, 'account_id'),
    key: {
      calendar: text(row, 'calendar'),
      uid: text(row, 'uid'),
      recurrenceId: textOrNull(row, 'recurrence_id'),
    },
  };
}
