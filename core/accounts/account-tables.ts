import { owners } from '../owners/owner-state.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { flag, instant, integer, longText, sealed, text } from '../state/column.ts';
import { table } from '../state/table.ts';

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
    folderRoles: text(),
    authservId: text().orNull(),
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

/** How each server of an account works. */
export const accountHealth = table(
  'account_health',
  {
    ownerId: text(),
    accountId: integer(),
    leg: text(),
    state: text(),
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

/** Addresses that an account has written to. */
export const knownRecipients = table(
  'known_recipients',
  {
    ownerId: text(),
    accountId: integer(),
    address: longText(),
    since: instant(),
    times: integer(),
  },
  { key: ['ownerId', 'accountId', 'address'] },
);

export const knownDomains = table(
  'known_domains',
  {
    ownerId: text(),
    accountId: integer(),
    /** A domain that the account has written to, or an ending of one. */
    name: text(),
    /** Messages to this domain. 0: it is only an ending. */
    times: integer(),
    /** Of the domains that are it or end with it, the one with the most messages. */
    mostWritten: text(),
  },
  { key: ['ownerId', 'accountId', 'name'] },
);

/** What the names of known domains are found by, and near copies of them. */
export const knownDomainKeys = table(
  'known_domain_keys',
  { ownerId: text(), accountId: integer(), key: integer(), name: text() },
  { key: ['ownerId', 'accountId', 'key', 'name'] },
);

/** Messages whose place has changed, by keyed hashes. */
export const relocatedMessages = table(
  'relocated_messages',
  { ownerId: text(), mark: text() },
  { key: ['ownerId', 'mark'], partOf: owners },
);
