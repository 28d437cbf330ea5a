import { APPROVAL_ERRORS, APPROVAL_STATES } from '../approvals/approval.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { flag, instant, integer, oneOf, sealed, text, texts } from '../state/column.ts';
import { commands, select, statements } from '../state/query.ts';
import { type RowOf, table } from '../state/table.ts';
import { ACTIVITY_KINDS } from './activity.ts';

export const activity = table(
  'activity',
  {
    ownerId: text(),
    /** An owner's rows count from 1. */
    activityId: integer(),
    at: instant(),
    kind: oneOf(ACTIVITY_KINDS),
    credentialId: text().orNull(),
    tool: text().orNull(),
    outcome: text(),
    approvalId: text().orNull(),
    durationMs: integer(),
    shown: texts(),
    listed: texts(),
  },
  {
    key: ['ownerId', 'activityId'],
    indexes: { activity_by_time: { on: ['ownerId', 'at', 'activityId'], also: ['credentialId', 'tool'] } },
  },
);

/**
 * Covers the activity of one hour, or a part of it. It grows until the hour is over. Each checkpoint contains the hash
 * of the previous one, so that none can be removed unnoticed.
 */
export const checkpoints = table(
  'checkpoints',
  {
    ownerId: text(),
    /** Counted per owner, from 1. */
    number: integer(),
    /** Numbers of the first and the last row. Rows of an owner have no gaps. */
    firstId: integer(),
    lastId: integer(),
    rowCount: integer(),
    /** The start of the hour, in UTC, when the rows were written. */
    hour: instant(),
    createdAt: instant(),
    /** When the last row was added. */
    updatedAt: instant(),
    /** The hash of the previous checkpoint. Empty in the first. */
    previousHash: text(),
    /** SHA-256 of `previousHash` and every row, in hex. */
    hash: text(),
    signature: text(),
  },
  { key: ['ownerId', 'number'] },
);
export type Checkpoint = RowOf<typeof checkpoints>;

const { ownerId, ...numbered } = activity.columns;

/** What a reader of activity needs. */
export const ACTIVITY_COLUMNS = numbered;

const place = { from: instant(), at: instant(), activityId: integer() };

export const checkpointsOfOwner = select(checkpoints, { by: ['ownerId'], order: ['number'] });

export const activityStatements = statements({
  /**
   * At most `limit` of the rows in this stretch that have `credentialId` and `tool`, if those are not null. With the requests
   * that they are about.
   */
  activity_in_stretch: {
    params: {
      ...{ ownerId, ...place, stretch: integer(), limit: integer() },
      credentialId: text().orNull(),
      tool: text().orNull(),
    },
    columns: {
      ...ACTIVITY_COLUMNS,
      /** NULL: the row is about no request. */
      state: oneOf(APPROVAL_STATES).orNull(),
      approvedBy: oneOf(['owner', 'policy']).orNull(),
      error: oneOf(APPROVAL_ERRORS).orNull(),
      hasPlan: flag(),
      sealedGist: sealed(STORED.gist).orNull(),
    },
  },
  /** The place of the stretch's last row, if the stretch is full. */
  end_of_stretch: {
    params: { ownerId, ...place, stretch: integer() },
    columns: { at: instant(), activityId: integer() },
  },
  activity_in_order: {
    params: { ownerId, afterId: integer(), upToId: integer(), limit: integer() },
    columns: ACTIVITY_COLUMNS,
  },
  /** The rows behind the last checkpoint. */
  uncovered_activity: { params: { ownerId, limit: integer() }, columns: ACTIVITY_COLUMNS },
  last_checkpoint: { params: { ownerId }, columns: checkpoints.columns },
  owners_without_checkpoint: { params: {}, columns: { ownerId } },
});

const { activityId, ...appended } = activity.columns;

export const activityCommands = commands({
  /** Inserts the row behind the owner's newest one, or behind the last checkpoint if there is no row. */
  append_activity: appended,
});
