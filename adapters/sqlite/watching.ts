import type { Database } from 'better-sqlite3';
import type { InboxPosition, WatchStorage } from '../../core/ports/watch-storage.ts';
import { readAccounts } from '../rows/account.ts';
import { instant, integer, type Row, text, textOrNull } from '../rows/row.ts';
import { readTracker } from '../rows/tracker.ts';
import { atomic, reading } from './database.ts';
import type { LinkTable } from './tracker-links.ts';

export function sqliteWatching(db: Database, links: LinkTable): WatchStorage {
  const forget = db.prepare(`
    DELETE FROM watched_inboxes WHERE NOT EXISTS (
      SELECT 1 FROM trackers t
      WHERE t.owner_id = watched_inboxes.owner_id AND t.status <> 'resolved' AND t.keywords <> '')`);
  const watchers = db.prepare<[], Row>(
    "SELECT DISTINCT owner_id FROM trackers WHERE status <> 'resolved' AND keywords <> ''",
  );
  const accounts = db.prepare<[string], Row>('SELECT * FROM accounts WHERE owner_id = ? ORDER BY account_id');
  const account = db.prepare('SELECT 1 FROM accounts WHERE owner_id = ? AND account_id = ?');
  const position = db.prepare<[string, number], Row>(
    'SELECT uid_validity, uid FROM watched_inboxes WHERE owner_id = ? AND account_id = ?',
  );
  const move = db.prepare(`
    INSERT INTO watched_inboxes (owner_id, account_id, uid_validity, uid) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET uid_validity = excluded.uid_validity, uid = excluded.uid`);
  const waiting = db.prepare<[string], Row>(`
    SELECT tracker_id, keywords, created_at_ms FROM trackers
    WHERE owner_id = ? AND status <> 'resolved' AND keywords <> '' ORDER BY tracker_id`);
  const isActive = db.prepare(
    "SELECT 1 FROM trackers WHERE owner_id = ? AND tracker_id = ? AND status <> 'resolved'",
  );
  const linked = db.prepare(
    'UPDATE trackers SET last_auto_link_at_ms = ? WHERE owner_id = ? AND tracker_id = ?',
  );
  const due = db.prepare<[number], Row>(
    'SELECT * FROM trackers WHERE last_message_link_id > summarised_link_id LIMIT ?',
  );
  const save = db.prepare(`
    UPDATE trackers SET summary = @text, next_action = @nextAction, importance = @importance,
      summary_source_count = @sourceCount, summarised_link_id = @upTo
    WHERE owner_id = @ownerId AND tracker_id = @trackerId AND summarised_link_id < @upTo`);

  function positionOf(ownerId: string, accountId: number): InboxPosition | undefined {
    const row = position.get(ownerId, accountId);
    return row && { uidValidity: textOrNull(row, 'uid_validity'), uid: integer(row, 'uid') };
  }

  return {
    inboxesToWatch: atomic(db, () => {
      forget.run();
      return watchers.all().flatMap((row) =>
        readAccounts(accounts.all(text(row, 'owner_id'))).map((one) => ({
          account: one,
          position: positionOf(one.ownerId, one.accountId),
        })),
      );
    }),
    waitingTrackers: reading((ownerId) =>
      waiting.all(ownerId).map((row) => ({
        trackerId: integer(row, 'tracker_id'),
        keywords: text(row, 'keywords'),
        createdAt: instant(row, 'created_at_ms'),
      })),
    ),
    watched: atomic(db, ({ ownerId, accountId, from, to, links: found, now }) => {
      const at = positionOf(ownerId, accountId);
      if (at?.uidValidity !== from?.uidValidity || at?.uid !== from?.uid) return false;
      if (account.get(ownerId, accountId) === undefined) return false;
      move.run(ownerId, accountId, to.uidValidity, to.uid);
      for (const { trackerId, target, message } of found) {
        if (isActive.get(ownerId, trackerId) === undefined) continue;
        const content = { kind: 'mail', message } as const;
        const { made } = links.add({ ownerId, trackerId, target, addedBy: 'auto', content, now });
        if (made) linked.run(now.getTime(), ownerId, trackerId);
      }
      return true;
    }),
    summariesDue: atomic(db, ({ messages, limit }) =>
      due.all(limit).map((row) => {
        const tracker = readTracker(row);
        return {
          tracker,
          messages: links.messages(tracker.ownerId, tracker.trackerId, messages),
          upTo: integer(row, 'last_message_link_id'),
        };
      }),
    ),
    saveSummary: atomic(db, ({ ownerId, trackerId, summary, upTo }) => {
      save.run({ ownerId, trackerId, ...summary, upTo });
    }),
  };
}
