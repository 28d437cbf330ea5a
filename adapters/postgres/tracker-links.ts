import type { LinkContent, LinkedMessage, TrackerLink } from '../../core/ports/tracker-storage.ts';
import { integer } from '../rows/row.ts';
import { readLink, readMessage } from '../rows/tracker.ts';
import type { Queries, Transaction } from './database.ts';

// The links of trackers, for the other verbs, inside their own transactions.

const INSERT = `
  INSERT INTO countersign.tracker_links (
    owner_id, link_id, tracker_id, target, added_by, created_at_ms, kind, note, event_id, subject, start_ms, account_id,
    path, uid_validity, uid, stable_id, fingerprint, sender, dated, internal_date_ms, size_bytes, excerpt)
  VALUES (
    $1, (SELECT coalesce(max(link_id), 0) + 1 FROM countersign.tracker_links WHERE owner_id = $1), $2, $3, $4, $5, $6,
    $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
  ON CONFLICT (owner_id, tracker_id, target) DO NOTHING`;
const BY_TARGET =
  'SELECT * FROM countersign.tracker_links WHERE owner_id = $1 AND tracker_id = $2 AND target = $3';
const NEW_MESSAGE =
  'UPDATE countersign.trackers SET last_message_link_id = $3 WHERE owner_id = $1 AND tracker_id = $2';

/** The link with that target, which is made where the tracker has none. The transaction has locked the owner. */
export async function addLink(
  tx: Transaction,
  {
    ownerId,
    trackerId,
    target,
    addedBy,
    content,
    now,
  }: {
    ownerId: string;
    trackerId: number;
    target: string;
    addedBy: TrackerLink['addedBy'];
    content: LinkContent;
    now: Date;
  },
): Promise<{ readonly link: TrackerLink; readonly made: boolean }> {
  const values = [ownerId, trackerId, target, addedBy, now.getTime(), content.kind, ...columnsOf(content)];
  const made = (await tx.run(INSERT, values)) === 1;
  const found = await tx.row(BY_TARGET, [ownerId, trackerId, target]);
  if (found === undefined) throw new Error('A link that was inserted is not there.');
  const link = readLink(found);
  if (made && content.kind === 'mail') await tx.run(NEW_MESSAGE, [ownerId, trackerId, link.linkId]);
  return { link, made };
}

const COUNT =
  'SELECT count(*) AS links FROM countersign.tracker_links WHERE owner_id = $1 AND tracker_id = $2';
const PAGE = `
  SELECT * FROM countersign.tracker_links WHERE owner_id = $1 AND tracker_id = $2 AND link_id <= $3
  ORDER BY link_id DESC LIMIT $4`;
const MESSAGES = `
  SELECT * FROM countersign.tracker_links WHERE owner_id = $1 AND tracker_id = $2 AND kind = 'mail'
  ORDER BY link_id DESC LIMIT $3`;

export async function countLinks(db: Queries, ownerId: string, trackerId: number): Promise<number> {
  return integer((await db.row(COUNT, [ownerId, trackerId])) ?? {}, 'links');
}

/** Newest first. */
export async function pageOfLinks(
  db: Queries,
  ownerId: string,
  trackerId: number,
  upTo: number | undefined,
  limit: number,
): Promise<TrackerLink[]> {
  return (await db.rows(PAGE, [ownerId, trackerId, upTo ?? Number.MAX_SAFE_INTEGER, limit])).map(readLink);
}

/** Newest first. */
export async function linkedMessages(
  db: Queries,
  ownerId: string,
  trackerId: number,
  limit: number,
): Promise<LinkedMessage[]> {
  return (await db.rows(MESSAGES, [ownerId, trackerId, limit])).map(readMessage);
}

/** From `note` to `excerpt`, as the table has them. */
function columnsOf(content: LinkContent): readonly (string | number | null)[] {
  const note = content.kind === 'note' ? content.note : null;
  const event = content.kind === 'event' ? content : undefined;
  const message = content.kind === 'mail' ? content.message : undefined;
  return [
    note,
    event?.eventId ?? null,
    event?.title ?? message?.subject ?? null,
    event?.start.getTime() ?? null,
    message?.accountId ?? null,
    message?.place.path ?? null,
    message?.place.uidValidity ?? null,
    message?.place.uid ?? null,
    message?.stableId ?? null,
    message?.fingerprint ?? null,
    message?.from ?? null,
    message?.date ?? null,
    message?.internalDate.getTime() ?? null,
    message?.sizeBytes ?? null,
    message?.excerpt ?? null,
  ];
}
