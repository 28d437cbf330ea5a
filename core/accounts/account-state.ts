import { folderRolesText, readFolderRoles } from '../folders/roles.ts';
import { owners } from '../owners/owner-state.ts';
import type { Account } from '../ports/account.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { flag, instant, integer, parsed, sealed, text } from '../state/column.ts';
import { select, statements } from '../state/query.ts';
import { pick, type RowOf, table } from '../state/table.ts';

export const accounts = table(
  'accounts',
  {
    ownerId: text(),
    accountId: integer(),
    label: text(),
    email: text(),
    displayName: text(),
    signature: text(),
    sealedSettings: sealed(STORED.accountSettings),
    settingsRevision: integer(),
    /** JSON. */
    folderRoles: parsed(readFolderRoles, folderRolesText),
    authservId: text().orNull(),
    isIndexed: flag().startingAt(true),
    sealedGrant: sealed(STORED.providerGrant).orNull(),
    grantWithdrawnAt: instant().orNull(),
    grantFence: integer().startingAt(0),
    grantLeaseUntilMs: integer().startingAt(0),
    /** 0: at once. */
    nextCheck: instant().startingAt(new Date(0)),
    createdAt: instant(),
  },
  {
    key: ['ownerId', 'accountId'],
    partOf: owners,
    indexes: { accounts_to_check: { on: ['nextCheck'] } },
  },
);

/** What `accountsOf` reads. */
const ACCOUNT = [
  'ownerId',
  'accountId',
  'label',
  'email',
  'displayName',
  'signature',
  'sealedSettings',
  'settingsRevision',
  'folderRoles',
  'authservId',
  'isIndexed',
  'sealedGrant',
  'grantWithdrawnAt',
  'grantFence',
  'grantLeaseUntilMs',
] as const;
export const ACCOUNT_COLUMNS = pick(accounts.columns, ACCOUNT);
type AccountRow = Pick<RowOf<typeof accounts>, (typeof ACCOUNT)[number]>;

export const accountsOfOwner = select(accounts, { by: ['ownerId'], order: ['accountId'], only: ACCOUNT });

/** @param rows  all accounts of one owner, oldest first */
export function accountsOf(rows: readonly AccountRow[]): readonly Account[] {
  return rows.map((row, index) => ({
    ownerId: row.ownerId,
    accountId: row.accountId,
    label: row.label,
    email: row.email,
    displayName: row.displayName,
    signature: row.signature,
    sealedSettings: row.sealedSettings,
    revision: row.settingsRevision,
    isPrimary: index === 0,
    folderRoles: row.folderRoles,
    authservId: row.authservId,
    isIndexed: row.isIndexed,
    grant:
      row.sealedGrant === null
        ? null
        : {
            sealed: row.sealedGrant,
            withdrawnAt: row.grantWithdrawnAt,
            fence: row.grantFence,
            leaseUntilMs: row.grantLeaseUntilMs,
          },
  }));
}

/** The columns of an account's grant. Null: it signs in with a password. */
export function grantColumns(
  grant: Account['grant'],
): Pick<AccountRow, 'sealedGrant' | 'grantWithdrawnAt' | 'grantFence' | 'grantLeaseUntilMs'> {
  return {
    sealedGrant: grant?.sealed ?? null,
    grantWithdrawnAt: grant?.withdrawnAt ?? null,
    grantFence: grant?.fence ?? 0,
    grantLeaseUntilMs: grant?.leaseUntilMs ?? 0,
  };
}

export const lastAccountOfOwner = select(owners, {
  by: ['ownerId'],
  only: ['lastAccountId', 'activeAccountId'],
});

/** When the servers of each account are checked next. */
export const checksOfOwner = select(accounts, {
  by: ['ownerId'],
  only: ['accountId', 'settingsRevision', 'nextCheck'],
});

export const accountStatements = statements({
  /** The accounts whose servers are due for a check, the one that has waited longest first. */
  accounts_to_check: {
    params: { now: instant(), limit: integer() },
    columns: pick(accounts.columns, ['ownerId', 'accountId']),
  },
});
