import type { noticeCommands, noticeStatements } from '../../core/notices/notice-state.ts';
import type { Texts } from './dialect.ts';

export const NOTICE_TEXTS: Texts<typeof noticeStatements & typeof noticeCommands> = {
  waiting_for_notice: ({ prefix, by }) => `
    SELECT count(*) AS waiting, max(approval_id) AS any_id,
      min(CASE WHEN NOT is_covered THEN created_at_ms END) AS oldest_ms
    FROM ${prefix}approvals${by('approvals_open')}
    WHERE owner_id = @owner_id AND ended_at_ms IS NULL AND state = 'pending' AND expires_at_ms > @now_ms`,
  accounts_to_mend: ({ prefix }) => `
    SELECT count(DISTINCT account_id) AS accounts, min(CASE WHEN NOT is_covered THEN since_ms END) AS oldest_ms
    FROM ${prefix}account_health WHERE owner_id = @owner_id AND needs_owner`,
  owners_to_notify: ({ prefix, by }) => `
    SELECT * FROM (
      SELECT o.owner_id, o.timezone, s.delay_min, s.quiet_from_min, s.quiet_to_min, s.last_notice_at_ms,
        o.access_notice_due, c.retry_at_ms,
        (SELECT min(since_ms) FROM (
          SELECT min(a.created_at_ms) AS since_ms FROM ${prefix}approvals a${by('approvals_uncovered')}
          WHERE a.owner_id = o.owner_id AND a.state = 'pending' AND NOT a.is_covered AND a.expires_at_ms > @now_ms
          UNION ALL
          SELECT min(h.since_ms) FROM ${prefix}account_health h
          WHERE h.owner_id = o.owner_id AND NOT h.is_covered AND h.needs_owner) AS uncovered) AS oldest_ms
      FROM (
        SELECT owner_id, min(retry_at_ms) AS retry_at_ms FROM ${prefix}notice_channels
        WHERE owner_id > @after AND code IS NULL GROUP BY owner_id) c
      JOIN ${prefix}owners o ON o.owner_id = c.owner_id
      LEFT JOIN ${prefix}notice_settings s ON s.owner_id = c.owner_id) AS notified
    WHERE oldest_ms IS NOT NULL OR retry_at_ms IS NOT NULL OR access_notice_due
    ORDER BY owner_id LIMIT @limit`,
  cover_requests: ({ prefix, by }) => `
    UPDATE ${prefix}approvals${by('approvals_uncovered')} SET is_covered = true
    WHERE owner_id = @owner_id AND state = 'pending' AND NOT is_covered`,
  cover_servers: ({ prefix }) =>
    `UPDATE ${prefix}account_health SET is_covered = true WHERE owner_id = @owner_id AND NOT is_covered`,
};
