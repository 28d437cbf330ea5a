import { instant, integer, text } from '../state/column.ts';
import { table } from '../state/table.ts';

export const activity = table(
  'activity',
  {
    ownerId: text(),
    activityId: integer(),
    at: instant(),
    kind: text(),
    credentialId: text().orNull(),
    tool: text().orNull(),
    outcome: text(),
    approvalId: text().orNull(),
    durationMs: integer(),
    /** JSON: texts. */
    shown: text(),
    listed: text(),
  },
  {
    key: ['ownerId', 'activityId'],
    indexes: { activity_by_time: { on: ['ownerId', 'at', 'activityId'], also: ['credentialId', 'tool'] } },
  },
);

export const checkpoints = table(
  'checkpoints',
  {
    ownerId: text(),
    number: integer(),
    firstId: integer(),
    lastId: integer(),
    rowCount: integer(),
    hour: instant(),
    createdAt: instant(),
    updatedAt: instant(),
    previousHash: text(),
    hash: text(),
    signature: text(),
  },
  { key: ['ownerId', 'number'] },
);
