import { STORED } from '../secrets/stored-purposes.ts';
import { instant, sealed, text } from '../state/column.ts';
import { select } from '../state/query.ts';
import { table } from '../state/table.ts';

/** Sign-ins at a provider that have begun. */
export const pendingGrants = table(
  'pending_grants',
  {
    ownerId: text(),
    stateHash: text(),
    sealed: sealed(STORED.pendingGrant, ['ownerId']),
    expiresAt: instant(),
  },
  { key: ['ownerId', 'stateHash'], isWide: true },
);

/** Oldest first. */
export const pendingGrantsOfOwner = select(pendingGrants, {
  by: ['ownerId'],
  order: ['expiresAt', 'stateHash'],
  only: ['stateHash', 'sealed', 'expiresAt'],
});
