import { owners } from '../owners/owner-state.ts';
import { SERVER_ROLES, SERVER_STATES } from '../ports/account-health.ts';
import { flag, instant, integer, oneOf, text } from '../state/column.ts';
import { select } from '../state/query.ts';
import { table } from '../state/table.ts';

/** How each server of an account works. */
export const accountHealth = table(
  'account_health',
  {
    ownerId: text(),
    accountId: integer(),
    leg: oneOf(SERVER_ROLES),
    state: oneOf(SERVER_STATES),
    /** The owner can mend it (`needsOwner`). */
    needsOwner: flag(),
    /** NULL: it works. */
    reason: text().orNull(),
    since: instant(),
    /** NULL: not since it was connected. */
    worked: instant().orNull(),
    /** A notice has told the owner, or there is nothing to tell. */
    isCovered: flag(),
  },
  { key: ['ownerId', 'accountId', 'leg'], partOf: owners },
);

export const healthOfOwner = select(accountHealth, { by: ['ownerId'], order: ['accountId', 'leg'] });
