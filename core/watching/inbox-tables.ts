import { accounts } from '../accounts/account-tables.ts';
import { instant, integer, text } from '../state/column.ts';
import { table } from '../state/table.ts';

/** Which process watches an inbox. */
export const inboxLeases = table(
  'inbox_leases',
  {
    ownerId: text(),
    accountId: integer(),
    fence: integer(),
    /** On the store's clock. */
    leaseUntilMs: integer(),
  },
  { key: ['ownerId', 'accountId'], removedWith: accounts },
);

/** How far each reader of an inbox has come. */
export const inboxReaders = table(
  'inbox_readers',
  {
    ownerId: text(),
    accountId: integer(),
    reader: text(),
    /** JSON. NULL: it has ended. */
    position: text().orNull(),
    ended: instant().orNull(),
  },
  { key: ['ownerId', 'accountId', 'reader'], removedWith: accounts },
);

/** Messages that a request moved into an inbox: they are not new mail. */
export const movedIntoInbox = table(
  'moved_into_inbox',
  { ownerId: text(), accountId: integer(), identity: text(), at: instant() },
  {
    key: ['ownerId', 'accountId', 'identity'],
    indexes: { moved_into_inbox_by_time: { on: ['at'] } },
  },
);
