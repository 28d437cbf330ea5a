import { POSTGRES } from '../sql/dialect.ts';
import { ERASED_AT_ONCE, eraseOldRows } from '../sql/erase-text.ts';

/** Held by one process at a time. The number is arbitrary but fixed. */
export const LOCK_ERASING = 'SELECT pg_advisory_xact_lock(7305816483)';

/** Each looks up at most `ERASED_AT_ONCE` old rows, and erases or changes them and the rows that belong to them. */
export const ERASE: readonly string[] = [
  `WITH old AS (
    SELECT a.owner_id, a.approval_id FROM countersign.owners o
    -- One range of the index per owner, whatever the planner expects of it. 86,400,000 ms are a day.
    CROSS JOIN LATERAL (
      SELECT owner_id, approval_id FROM countersign.approvals
      WHERE owner_id = o.owner_id AND has_plan
        AND ended_at_ms < @plans_kept_until_ms::bigint - o.plans_kept_days * 86400000::bigint
      ORDER BY ended_at_ms LIMIT ${ERASED_AT_ONCE} FOR UPDATE SKIP LOCKED) a
    LIMIT ${ERASED_AT_ONCE}),
  erased AS (
    DELETE FROM countersign.plans p USING old WHERE p.owner_id = old.owner_id AND p.approval_id = old.approval_id)
  UPDATE countersign.approvals a SET has_plan = false, sealed_note = NULL, sealed_diff = NULL
  FROM old WHERE a.owner_id = old.owner_id AND a.approval_id = old.approval_id`,
  `WITH old AS (
    SELECT owner_id, sequence, type, position FROM countersign.events WHERE created_at_ms < @events_before_ms
    ORDER BY created_at_ms LIMIT ${ERASED_AT_ONCE} FOR UPDATE SKIP LOCKED),
  old_of_type AS (
    SELECT type, coalesce(max(position), 0) AS newest, max((position IS NULL)::int) AS has_unnumbered
    FROM old GROUP BY type),
  -- An event without a position is behind the last one.
  marked AS (
    UPDATE countersign.event_streams s SET last_position = s.last_position + o.has_unnumbered,
      erased_position = greatest(
        s.erased_position, CASE o.has_unnumbered WHEN 1 THEN s.last_position + 1 ELSE o.newest END)
    FROM old_of_type o WHERE o.type = s.type),
  erased AS (
    DELETE FROM countersign.deliveries d USING old, countersign.endpoints e
    WHERE e.owner_id = old.owner_id
      AND d.owner_id = e.owner_id AND d.endpoint_id = e.endpoint_id AND d.sequence = old.sequence)
  DELETE FROM countersign.events v USING old WHERE v.owner_id = old.owner_id AND v.sequence = old.sequence`,
  ...eraseOldRows(POSTGRES),
];

/**
 * Erases the oldest rows of each owner, up to the first one that is kept: no gap arises between rows, even if the clock
 * was changed. With them go checkpoints whose rows are erased, and those of the next checkpoint too.
 */
export const ERASE_ACTIVITY = `
  WITH old AS (
    SELECT a.owner_id, a.activity_id FROM countersign.owners o
    CROSS JOIN LATERAL (
      SELECT owner_id, activity_id FROM countersign.activity
      WHERE owner_id = o.owner_id AND activity_id < coalesce(
        (SELECT activity_id FROM (
            SELECT activity_id, at_ms FROM countersign.activity WHERE owner_id = o.owner_id
            ORDER BY activity_id LIMIT ${ERASED_AT_ONCE} + 1) AS oldest
          WHERE at_ms >= @activity_before_ms ORDER BY activity_id LIMIT 1), 9223372036854775807)
      ORDER BY activity_id LIMIT ${ERASED_AT_ONCE}) a
    LIMIT ${ERASED_AT_ONCE}),
  erased AS (
    DELETE FROM countersign.activity a USING old
    WHERE a.owner_id = old.owner_id AND a.activity_id = old.activity_id),
  of_owner AS (SELECT owner_id, max(activity_id) AS last_id FROM old GROUP BY owner_id),
  uncovered AS (
    DELETE FROM countersign.checkpoints c USING of_owner o
    WHERE c.owner_id = o.owner_id AND c.number < coalesce(
      (SELECT number FROM countersign.checkpoints
        WHERE owner_id = o.owner_id AND (hour_ms >= @activity_before_ms OR last_id > o.last_id)
        ORDER BY number LIMIT 1),
      (SELECT max(number) + 1 FROM countersign.checkpoints WHERE owner_id = o.owner_id)) - 1)
  SELECT count(*) AS erased FROM old`;
