import { SQLITE } from '../sql/dialect.ts';
import { ERASED_AT_ONCE, eraseOldRows } from '../sql/erase-text.ts';

/** Approvals whose plans their owners keep no longer: 86,400,000 ms are a day. One range of the index per owner. */
const ENDED_LONG_AGO = `
    SELECT a.owner_id, a.approval_id FROM owners o
    CROSS JOIN approvals a INDEXED BY approvals_erasable
    WHERE a.owner_id = o.owner_id AND a.has_plan
      AND a.ended_at_ms < @plans_kept_until_ms - o.plans_kept_days * 86400000
    LIMIT ${ERASED_AT_ONCE}`;

const OLD_EVENTS = `
    SELECT owner_id, sequence, type, position FROM events INDEXED BY events_by_time
    WHERE created_at_ms < @events_before_ms ORDER BY created_at_ms, owner_id, sequence LIMIT ${ERASED_AT_ONCE}`;

/**
 * Each looks up at most `ERASED_AT_ONCE` old rows. Plans are erased, and their approvals record it. Events are erased
 * after the rows that belong to them.
 */
export const ERASE: readonly string[] = [
  `DELETE FROM plans WHERE (owner_id, approval_id) IN (${ENDED_LONG_AGO})`,
  `UPDATE approvals SET has_plan = 0, sealed_note = NULL, sealed_diff = NULL
  WHERE (owner_id, approval_id) IN (${ENDED_LONG_AGO})`,
  `DELETE FROM deliveries WHERE (owner_id, endpoint_id, sequence) IN (
    SELECT v.owner_id, e.endpoint_id, v.sequence FROM (${OLD_EVENTS}) v
    CROSS JOIN endpoints e ON e.owner_id = v.owner_id)`,
  // An event without a position is behind the last one.
  `UPDATE event_streams SET last_position = last_position + old.has_unnumbered, erased_position = max(
    erased_position, CASE old.has_unnumbered WHEN 1 THEN last_position + 1 ELSE old.newest END)
  FROM (
    SELECT type, coalesce(max(position), 0) AS newest, max(position IS NULL) AS has_unnumbered
    FROM (${OLD_EVENTS}) GROUP BY type) AS old
  WHERE old.type = event_streams.type`,
  `DELETE FROM events WHERE (owner_id, sequence) IN (SELECT owner_id, sequence FROM (${OLD_EVENTS}))`,
  ...eraseOldRows(SQLITE),
];

/**
 * What ANALYZE leaves, run by somebody else: with samples of values, SQLite plans a statement anew each time its values
 * change, and a short call takes 1.7 times as long. Every statement names its index.
 */
export const ERASE_SAMPLES = 'DROP TABLE IF EXISTS sqlite_stat4';

/**
 * Erases the oldest rows of each owner, up to the first one that is kept: no gap arises between rows, even if the clock
 * was changed.
 */
export const ERASE_ACTIVITY = `
  DELETE FROM activity WHERE (owner_id, activity_id) IN (
    SELECT a.owner_id, a.activity_id FROM owners o
    CROSS JOIN activity a NOT INDEXED
    WHERE a.owner_id = o.owner_id AND a.activity_id < coalesce(
      (SELECT activity_id FROM (
          SELECT activity_id, at_ms FROM activity NOT INDEXED WHERE owner_id = o.owner_id
          ORDER BY activity_id LIMIT ${ERASED_AT_ONCE} + 1)
        WHERE at_ms >= @activity_before_ms LIMIT 1), 9e18)
    LIMIT ${ERASED_AT_ONCE})
  RETURNING owner_id, activity_id`;

/**
 * Of one owner, whose rows are erased up to @last_id: checkpoints whose rows are erased, and those of the next checkpoint
 * too.
 */
export const ERASE_CHECKPOINTS = `
  DELETE FROM checkpoints WHERE owner_id = @owner_id AND number < coalesce(
    (SELECT number FROM checkpoints
      WHERE owner_id = @owner_id AND (hour_ms >= @activity_before_ms OR last_id > @last_id)
      ORDER BY number LIMIT 1),
    (SELECT max(number) + 1 FROM checkpoints WHERE owner_id = @owner_id)) - 1`;
