import type { Database } from 'better-sqlite3';
import type { LinkContent, LinkedMessage, TrackerLink } from '../../core/ports/tracker-storage.ts';
import { integer, type Row } from '../rows/row.ts';
import { readLink, readMessage } from '../rows/tracker.ts';

/** The links of trackers, for the other verbs, inside their own transactions. */
export interface LinkTable {
  /** The link with that target, which is made where the tracker has none. */
  add(link: {
    ownerId: string;
    trackerId: number;
    target: string;
    addedBy: TrackerLink['addedBy'];
    content: LinkContent;
    now: Date;
  }): { readonly link: TrackerLink; readonly made: boolean };
  count(ownerId: string, trackerId: number): number;
  /** Newest first. */
  page(ownerId: string, trackerId: number, upTo: number | undefined, limit: number): TrackerLink[];
  /** Newest first. */
  messages(ownerId: string, trackerId: number, limit: number): LinkedMessage[];
}

export function linkTable(db: Database): LinkTable {
  const insert = db.prepare<[object]>(`
    INSERT INTO tracker_links (
      owner_id, link_id, tracker_id, target, added_by, created_at_ms, kind, note, event_id, subject, start_ms,
      account_id, path, uid_validity, uid, stable_id, fingerprint, sender, dated, internal_date_ms, size_bytes,
      excerpt)
    SELECT
      @ownerId, coalesce(max(link_id), 0) + 1, @trackerId, @target, @addedBy, @nowMs, @kind, @note, @eventId,
      @subject, @startMs, @accountId, @path, @uidValidity, @uid, @stableId, @fingerprint, @sender, @dated,
      @internalDateMs, @sizeBytes, @excerpt
    FROM tracker_links WHERE owner_id = @ownerId
    ON CONFLICT (owner_id, tracker_id, target) DO NOTHING`);
  const byTarget = db.prepare<[string, number, string], Row>(
    'SELECT * FROM tracker_links WHERE owner_id = ? AND tracker_id = ? AND target = ?',
  );
  const newMessage = db.prepare(
    'UPDATE trackers SET last_message_link_id = ? WHERE owner_id = ? AND tracker_id = ?',
  );
  const count = db.prepare<[string, number], Row>(
    'SELECT count(*) AS links FROM tracker_links WHERE owner_id = ? AND tracker_id = ?',
  );
  const page = db.prepare<[string, number, number, number], Row>(`
    SELECT * FROM tracker_links WHERE owner_id = ? AND tracker_id = ? AND link_id <= ?
    ORDER BY link_id DESC LIMIT ?`);
  const messages = db.prepare<[string, number, number], Row>(`
    SELECT * FROM tracker_links WHERE owner_id = ? AND tracker_id = ? AND kind = 'mail'
    ORDER BY link_id DESC LIMIT ?`);

  return {
    add({ ownerId, trackerId, target, addedBy, content, now }) {
      const row = {
        ownerId,
        trackerId,
        target,
        addedBy,
        nowMs: now.getTime(),
        ...NONE,
        ...columnsOf(content),
      };
      const made = insert.run(row).changes === 1;
      const found = byTarget.get(ownerId, trackerId, target);
      if (found === undefined) throw new Error('A link that was inserted is not there.');
      const link = readLink(found);
      if (made && content.kind === 'mail') newMessage.run(link.linkId, ownerId, trackerId);
      return { link, made };
    },
    count: (ownerId, trackerId) => integer(count.get(ownerId, trackerId) ?? {}, 'links'),
    page: (ownerId, trackerId, upTo, limit) =>
      page.all(ownerId, trackerId, upTo ?? Number.MAX_SAFE_INTEGER, limit).map(readLink),
    messages: (ownerId, trackerId, limit) => messages.all(ownerId, trackerId, limit).map(readMessage),
  };
}

const NONE = {
  note: null,
  eventId: null,
  subject: null,
  startMs: null,
  accountId: null,
  path: null,
  uidValidity: null,
  uid: null,
  stableId: null,
  fingerprint: null,
  sender: null,
  dated: null,
  internalDateMs: null,
  sizeBytes: null,
  excerpt: null,
};

function columnsOf(content: LinkContent): object {
  switch (content.kind) {
    case 'note':
      return content;
    case 'event':
      return {
        kind: 'event',
        eventId: content.eventId,
        subject: content.title,
        startMs: content.start.getTime(),
      };
    case 'mail': {
      const { place, from, date, internalDate, ...same } = content.message;
      return {
        kind: 'mail',
        ...same,
        ...place,
        sender: from,
        dated: date,
        internalDateMs: internalDate.getTime(),
      };
    }
  }
}
