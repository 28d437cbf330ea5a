import type { Database } from 'better-sqlite3';
import type { NumberedEvent, Tracker, TrackerStorage } from '../../core/ports/tracker-storage.ts';
import { integer, type Row, text } from '../rows/row.ts';
import { readTracker } from '../rows/tracker.ts';
import { atomic, reading } from './database.ts';
import type { LinkTable } from './tracker-links.ts';

export function sqliteTrackers(db: Database, links: LinkTable): TrackerStorage {
  const insert = db.prepare(`
    INSERT INTO trackers (owner_id, tracker_id, request_id, title, keywords, due_on, status, added_by_agent, created_at_ms)
    SELECT @ownerId, coalesce(max(tracker_id), 0) + 1, @requestId, @title, @keywords, @dueOn, 'open', @addedByAgent, @nowMs
    FROM trackers WHERE owner_id = @ownerId
    ON CONFLICT (owner_id, request_id) DO NOTHING`);
  const byRequest = db.prepare<[string, string], Row>(
    'SELECT * FROM trackers WHERE owner_id = ? AND request_id = ?',
  );
  const byId = db.prepare<[string, number], Row>(
    'SELECT * FROM trackers WHERE owner_id = ? AND tracker_id = ?',
  );
  const listed = db.prepare<[object], Row>(`
    SELECT * FROM trackers
    WHERE owner_id = @ownerId AND (status = 'resolved') = @resolved AND tracker_id < @before
    ORDER BY tracker_id DESC LIMIT @limit`);
  const counted = db.prepare<[string, number], Row>(
    "SELECT count(*) AS trackers FROM trackers WHERE owner_id = ? AND (status = 'resolved') = ?",
  );
  const setStatus = db.prepare(`
    UPDATE trackers SET status = @status,
      resolved_at_ms = CASE WHEN @status = 'resolved' THEN coalesce(resolved_at_ms, @nowMs) END
    WHERE owner_id = @ownerId AND tracker_id = @trackerId`);
  const numberOf = db.prepare<[object], Row>(`
    SELECT event_id FROM event_numbers
    WHERE owner_id = @ownerId AND account_id = @accountId
      AND calendar = @calendar AND uid = @uid AND recurrence_id = @recurrenceId`);
  const addNumber = db.prepare<[object], Row>(`
    INSERT INTO event_numbers (owner_id, event_id, account_id, calendar, uid, recurrence_id)
    SELECT @ownerId, coalesce(max(event_id), 0) + 1, @accountId, @calendar, @uid, @recurrenceId
    FROM event_numbers WHERE owner_id = @ownerId
    RETURNING event_id`);
  const byNumber = db.prepare<[string, number], Row>(
    'SELECT account_id, calendar, uid, recurrence_id FROM event_numbers WHERE owner_id = ? AND event_id = ?',
  );

  function find(ownerId: string, trackerId: number): Tracker | undefined {
    const row = byId.get(ownerId, trackerId);
    return row && readTracker(row);
  }

  return {
    createTracker: atomic(db, ({ ownerId, requestId, title, keywords, dueOn, addedByAgent, now }) => {
      const flag = addedByAgent ? 1 : 0;
      insert.run({ ownerId, requestId, title, keywords, dueOn, addedByAgent: flag, nowMs: now.getTime() });
      const row = byRequest.get(ownerId, requestId);
      if (row === undefined) throw new Error('A tracker that was inserted is not there.');
      return readTracker(row);
    }),
    trackers: atomic(db, ({ ownerId, state, before = Number.MAX_SAFE_INTEGER, limit }) => {
      const resolved = state === 'resolved' ? 1 : 0;
      const rows = listed.all({ ownerId, resolved, before, limit: limit + 1 });
      const trackers = rows.slice(0, limit).map(readTracker);
      const total = integer(counted.get(ownerId, resolved) ?? {}, 'trackers');
      return { trackers, total, more: rows.length > limit };
    }),
    tracker: atomic(db, ({ ownerId, trackerId, upTo, limit }) => {
      const tracker = find(ownerId, trackerId);
      if (tracker === undefined) return undefined;
      const found = links.page(ownerId, trackerId, upTo, limit + 1);
      const total = links.count(ownerId, trackerId);
      return { tracker, links: found.slice(0, limit), total, more: found.length > limit };
    }),
    setTrackerStatus: atomic(db, ({ ownerId, trackerId, status, now }) => {
      setStatus.run({ ownerId, trackerId, status, nowMs: now.getTime() });
      return find(ownerId, trackerId);
    }),
    linkToTracker: atomic(db, (link) =>
      find(link.ownerId, link.trackerId) === undefined ? undefined : links.add(link).link,
    ),
    eventNumbers: atomic(db, (ownerId, accountId, events) =>
      events.map(({ calendar, uid, recurrenceId }) => {
        const key = { ownerId, accountId, calendar, uid, recurrenceId: recurrenceId ?? '' };
        const row = numberOf.get(key) ?? addNumber.get(key);
        if (row === undefined) throw new Error('The number of an event was not given.');
        return integer(row, 'event_id');
      }),
    ),
    event: reading((ownerId, eventId) => {
      const row = byNumber.get(ownerId, eventId);
      return row && readNumberedEvent(row);
    }),
  };
}

function readNumberedEvent(row: Row): NumberedEvent {
  const recurrenceId = text(row, 'recurrence_id');
  return {
    accountId: integer(row, 'account_id'),
    key: {
      calendar: text(row, 'calendar'),
      uid: text(row, 'uid'),
      recurrenceId: recurrenceId === '' ? null : recurrenceId,
    },
  };
}
