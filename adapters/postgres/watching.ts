import type { InboxPosition, WatchStorage } from '../../core/ports/watch-storage.ts';
import { readAccounts } from '../rows/account.ts';
import { flag, instant, integer, type Row, text, textOrNull } from '../rows/row.ts';
import { readTracker } from '../rows/tracker.ts';
import { atomic, type Database, reading, snapshot } from './database.ts';
import { lockOwner } from './owner-lock.ts';
import { addLink, linkedMessages } from './tracker-links.ts';

const WAITS = "status <> 'resolved' AND keywords <> ''";
const FORGET = `
  DELETE FROM countersign.watched_inboxes w WHERE NOT EXISTS (
    SELECT 1 FROM countersign.trackers t WHERE t.owner_id = w.owner_id AND ${WAITS})`;
const TO_WATCH = `
  SELECT a.*, w.owner_id IS NOT NULL AS is_watched, w.uid_validity, w.uid
  FROM countersign.accounts a
  LEFT JOIN countersign.watched_inboxes w ON w.owner_id = a.owner_id AND w.account_id = a.account_id
  WHERE a.owner_id IN (SELECT owner_id FROM countersign.trackers WHERE ${WAITS})
  ORDER BY a.owner_id, a.account_id`;
const AT = `
  SELECT w.owner_id IS NOT NULL AS is_watched, w.uid_validity, w.uid FROM countersign.accounts a
  LEFT JOIN countersign.watched_inboxes w ON w.owner_id = a.owner_id AND w.account_id = a.account_id
  WHERE a.owner_id = $1 AND a.account_id = $2`;
const MOVE = `
  INSERT INTO countersign.watched_inboxes (owner_id, account_id, uid_validity, uid) VALUES ($1, $2, $3, $4)
  ON CONFLICT (owner_id, account_id) DO UPDATE SET uid_validity = excluded.uid_validity, uid = excluded.uid`;
const WAITING = `
  SELECT tracker_id, keywords, created_at_ms FROM countersign.trackers WHERE owner_id = $1 AND ${WAITS}
  ORDER BY tracker_id`;
const ACTIVE = `
  SELECT tracker_id FROM countersign.trackers
  WHERE owner_id = $1 AND tracker_id = ANY($2::bigint[]) AND status <> 'resolved'`;
const LINKED =
  'UPDATE countersign.trackers SET last_auto_link_at_ms = $3 WHERE owner_id = $1 AND tracker_id = $2';
const DUE = `
  SELECT * FROM countersign.trackers WHERE last_message_link_id > summarised_link_id
  ORDER BY owner_id, tracker_id LIMIT $1`;
const SAVE = `
  UPDATE countersign.trackers SET summary = $3, next_action = $4, importance = $5, summary_source_count = $6,
    summarised_link_id = $7
  WHERE owner_id = $1 AND tracker_id = $2 AND summarised_link_id < $7`;

export function postgresWatching(db: Database): WatchStorage {
  return {
    inboxesToWatch: snapshot(db, async (tx) => {
      await tx.run(FORGET, []);
      const rows = await tx.rows(TO_WATCH, []);
      return [...byOwner(rows).values()].flatMap((ofOwner) =>
        readAccounts(ofOwner).map((account, n) => ({ account, position: readPosition(ofOwner[n]) })),
      );
    }),
    waitingTrackers: reading(db, async ({ rows }, ownerId) =>
      (await rows(WAITING, [ownerId])).map((row) => ({
        trackerId: integer(row, 'tracker_id'),
        keywords: text(row, 'keywords'),
        createdAt: instant(row, 'created_at_ms'),
      })),
    ),
    watched: atomic(db, async (tx, { ownerId, accountId, from, to, links, now }) => {
      await lockOwner(tx, ownerId);
      const account = await tx.row(AT, [ownerId, accountId]);
      if (account === undefined) return false;
      const at = readPosition(account);
      if (at?.uidValidity !== from?.uidValidity || at?.uid !== from?.uid) return false;
      await tx.run(MOVE, [ownerId, accountId, to.uidValidity, to.uid]);
      if (links.length === 0) return true;
      const active = await tx.rows(ACTIVE, [ownerId, links.map(({ trackerId }) => String(trackerId))]);
      const activeIds = new Set(active.map((row) => integer(row, 'tracker_id')));
      for (const { trackerId, target, message } of links) {
        if (!activeIds.has(trackerId)) continue;
        const content = { kind: 'mail', message } as const;
        const { made } = await addLink(tx, { ownerId, trackerId, target, addedBy: 'auto', content, now });
        if (made) await tx.run(LINKED, [ownerId, trackerId, now.getTime()]);
      }
      return true;
    }),
    summariesDue: snapshot(db, async (tx, { messages, limit }) => {
      const due = await tx.rows(DUE, [limit]);
      return Promise.all(
        due.map(async (row) => {
          const tracker = readTracker(row);
          return {
            tracker,
            messages: await linkedMessages(tx, tracker.ownerId, tracker.trackerId, messages),
            upTo: integer(row, 'last_message_link_id'),
          };
        }),
      );
    }),
    saveSummary: atomic(db, async (tx, { ownerId, trackerId, summary, upTo }) => {
      await lockOwner(tx, ownerId);
      const { text: words, nextAction, importance, sourceCount } = summary;
      await tx.run(SAVE, [ownerId, trackerId, words, nextAction, importance, sourceCount, upTo]);
    }),
  };
}

function byOwner(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const owners = new Map<string, Row[]>();
  for (const row of rows) {
    const ownerId = text(row, 'owner_id');
    const ofOwner = owners.get(ownerId) ?? [];
    owners.set(ownerId, [...ofOwner, row]);
  }
  return owners;
}

function readPosition(row: Row | undefined): InboxPosition | undefined {
  if (row === undefined || !flag(row, 'is_watched')) return undefined;
  return { uidValidity: textOrNull(row, 'uid_validity'), uid: integer(row, 'uid') };
}
