import {
  ACTIVITY_COLUMNS,
  type activityCommands,
  type activityStatements,
  checkpoints,
} from '../../core/activity/activity-state.ts';
import { columnList, type Dialect, type Texts } from './dialect.ts';

/** The rows before a place in the order of time, newest first. The index has all that filters look at. */
const rowsBefore = ({ prefix, by }: Dialect) => `
  FROM ${prefix}activity${by('activity_by_time')}
  WHERE owner_id = @owner_id AND at_ms >= @from_ms AND (at_ms, activity_id) < (@at_ms, @activity_id)
  ORDER BY at_ms DESC, activity_id DESC`;

/** The last row that a checkpoint covers. */
const lastCovered = ({ prefix }: Dialect, owner: string) => `
  coalesce((SELECT last_id FROM ${prefix}checkpoints WHERE owner_id = ${owner} ORDER BY number DESC LIMIT 1), 0)`;

export const ACTIVITY_TEXTS: Texts<typeof activityStatements & typeof activityCommands> = {
  activity_in_stretch: (dialect) => `
    SELECT ${columnList(ACTIVITY_COLUMNS, 'a')}, r.state, r.approved_by, r.error, p.approval_id IS NOT NULL AS has_plan,
      p.sealed_gist
    FROM (
      SELECT activity_id FROM (
        SELECT at_ms, activity_id, credential_id, tool ${rowsBefore(dialect)} LIMIT @stretch) AS stretch
      WHERE coalesce(credential_id = @credential_id, @credential_id IS NULL) AND coalesce(tool = @tool, @tool IS NULL)
      ORDER BY at_ms DESC, activity_id DESC LIMIT @limit) AS found
    ${dialect.name === 'sqlite' ? 'CROSS JOIN' : 'JOIN'} ${dialect.prefix}activity a
      ON a.owner_id = @owner_id AND a.activity_id = found.activity_id
    LEFT JOIN ${dialect.prefix}approvals r ON r.owner_id = a.owner_id AND r.approval_id = a.approval_id
    LEFT JOIN ${dialect.prefix}plans p ON p.owner_id = a.owner_id AND p.approval_id = a.approval_id
    ORDER BY a.at_ms DESC, a.activity_id DESC`,
  end_of_stretch: (dialect) =>
    `SELECT at_ms, activity_id ${rowsBefore(dialect)} LIMIT 1 OFFSET CAST(@stretch AS bigint) - 1`,
  activity_in_order: ({ prefix }) => `
    SELECT ${columnList(ACTIVITY_COLUMNS)} FROM ${prefix}activity
    WHERE owner_id = @owner_id AND activity_id > @after_id AND activity_id <= @up_to_id
    ORDER BY activity_id LIMIT @limit`,
  uncovered_activity: (dialect) => `
    SELECT ${columnList(ACTIVITY_COLUMNS)} FROM ${dialect.prefix}activity
    WHERE owner_id = @owner_id AND activity_id > ${lastCovered(dialect, '@owner_id')}
    ORDER BY activity_id LIMIT @limit`,
  last_checkpoint: ({ prefix }) => `
    SELECT ${columnList(checkpoints.columns)} FROM ${prefix}checkpoints WHERE owner_id = @owner_id
    ORDER BY number DESC LIMIT 1`,
  owners_without_checkpoint: (dialect) => `
    SELECT owner_id FROM ${dialect.prefix}owners o
    WHERE (SELECT activity_id FROM ${dialect.prefix}activity a WHERE a.owner_id = o.owner_id
      ORDER BY activity_id DESC LIMIT 1) > ${lastCovered(dialect, 'o.owner_id')}`,
  append_activity: (dialect) => `
    INSERT INTO ${dialect.prefix}activity (owner_id, activity_id, at_ms, kind, credential_id, tool, outcome, approval_id,
      duration_ms, shown, listed)
    SELECT owner_id, 1 + coalesce((
        SELECT activity_id FROM ${dialect.prefix}activity WHERE owner_id = @owner_id
        ORDER BY activity_id DESC LIMIT 1), ${lastCovered(dialect, '@owner_id')}),
      CAST(@at_ms AS bigint), CAST(@kind AS text), CAST(@credential_id AS text), CAST(@tool AS text),
      CAST(@outcome AS text), CAST(@approval_id AS text), CAST(@duration_ms AS bigint), CAST(@shown AS text),
      CAST(@listed AS text)
    FROM ${dialect.prefix}owners WHERE owner_id = @owner_id`,
};
