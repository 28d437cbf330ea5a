import { STORED } from '../secrets/stored-purposes.ts';
import { instant, integer, sealed, text } from '../state/column.ts';
import { table } from '../state/table.ts';

export const endpoints = table(
  'endpoints',
  {
    ownerId: text(),
    endpointId: integer(),
    credentialId: text(),
    url: text(),
    /** JSON: texts. */
    types: text(),
    sealedSecret: sealed(STORED.endpointSecret),
    sealedPrevious: sealed(STORED.endpointSecret).orNull(),
    previousUntil: instant().orNull(),
    failingSince: instant().orNull(),
    disabled: text().orNull(),
    /** The newest event that was looked at. */
    position: integer(),
    createdAt: instant(),
  },
  { key: ['ownerId', 'endpointId'] },
);

export const deliveries = table(
  'deliveries',
  {
    ownerId: text(),
    endpointId: integer(),
    /** The event's. */
    sequence: integer(),
    state: text(),
    attempts: integer(),
    dueMs: integer(),
    fence: integer(),
    leaseUntilMs: integer(),
    /** JSON: an object for each attempt. */
    log: text(),
  },
  {
    key: ['ownerId', 'endpointId', 'sequence'],
    indexes: {
      deliveries_waiting: {
        on: [
          'ownerId',
          'endpointId',
          {
            expression: {
              sqlite: 'max(due_ms, lease_until_ms)',
              postgres: 'greatest(due_ms, lease_until_ms)',
            },
          },
        ],
        where: "state = 'waiting'",
      },
    },
  },
);
