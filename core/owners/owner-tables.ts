import { flag, instant, integer, text } from '../state/column.ts';
import { table } from '../state/table.ts';

export const owners = table(
  'owners',
  {
    ownerId: text(),
    email: text(),
    /** A directory: the owner of an email is looked up before any owner is known. */
    emailFolded: text(),
    timezone: text(),
    language: text().startingAt('en-GB'),
    plan: text(),
    /** JSON: single limits that the operator set. */
    limits: text(),
    plansKeptDays: integer().startingAt(30),
    proofFor: text().startingAt('every_12_hours'),
    passwordHash: text().orNull(),
    /** JSON, with a secret that is sealed. */
    secondStep: text().orNull(),
    passkeyHandle: text().orNull(),
    activeAccountId: integer().orNull(),
    /** An id that was given once is never given again. */
    lastAccountId: integer().startingAt(0),
    lastEndpointId: integer().startingAt(0),
    lastEventSequence: integer().startingAt(0),
    passwordChangedAt: instant().orNull(),
    secondStepChangedAt: instant().orNull(),
    recoveryCodeUsedAt: instant().orNull(),
    accessNoticeDue: flag().startingAt(false),
    createdAt: instant(),
  },
  {
    key: ['ownerId'],
    unique: [['emailFolded']],
    indexes: {
      owners_by_passkey_handle: {
        on: ['passkeyHandle'],
        where: 'passkey_handle IS NOT NULL',
        isUnique: true,
      },
    },
  },
);

/** The last numbers of removed owners, which a later owner with the same id continues. */
export const removedOwners = table(
  'removed_owners',
  {
    /** SHA-256 of the owner's id, hex. */
    ownerHash: text(),
    lastAccountId: integer(),
    lastEndpointId: integer(),
  },
  { key: ['ownerHash'] },
);

/** The link of the first run: one row, until there is an owner. */
export const setupLink = table(
  'setup_link',
  {
    onlyRow: integer(),
    /** SHA-256, hex. */
    secretHash: text(),
    expiresAt: instant(),
  },
  { key: ['onlyRow'], check: 'only_row = 1' },
);

export const sessions = table(
  'sessions',
  {
    ownerId: text(),
    sessionId: text(),
    tokenHash: text(),
    authenticatedAt: instant(),
    createdAt: instant(),
    lastUsedAt: instant(),
    expiresAt: instant(),
    browser: text(),
    address: text(),
    proofKey: text().orNull(),
  },
  { key: ['ownerId', 'sessionId'], unique: [['tokenHash']], partOf: owners },
);

/** The nonces that a session's proofs have used. */
export const sessionProofs = table(
  'session_proofs',
  { ownerId: text(), sessionId: text(), nonce: text() },
  { key: ['ownerId', 'sessionId', 'nonce'], removedWith: sessions },
);

/** Browsers in which the owner has signed in, each with its own tries at the password. */
export const devices = table(
  'devices',
  {
    ownerId: text(),
    deviceHash: text(),
    lastSignInMs: integer(),
    failures: integer(),
    lastMs: integer(),
  },
  { key: ['ownerId', 'deviceHash'], partOf: owners },
);

/** Counters of tries at passwords, by address and email, which may be nobody's. */
export const passwordTries = table(
  'password_tries',
  { rowNumber: integer(), failures: integer(), lastMs: integer(), forgottenMs: integer() },
  { key: ['rowNumber'], indexes: { password_tries_forgotten: { on: ['forgottenMs'] } } },
);
