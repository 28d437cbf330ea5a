import { owners } from '../owners/owner-state.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { flag, instant, integer, sealed, text } from '../state/column.ts';
import { table } from '../state/table.ts';

export const credentials = table(
  'credentials',
  {
    ownerId: text(),
    credentialId: text(),
    kind: text(),
    name: text(),
    /** JSON: group to mode. */
    modes: text(),
    /** JSON. */
    fences: text().orNull(),
    revision: integer(),
    createdAt: instant(),
    /** Of the newest secret. */
    expiresAt: instant(),
    /** The last end of the secrets before it. */
    overlapUntil: instant().orNull(),
    pausedAt: instant().orNull(),
    revokedAt: instant().orNull(),
    signature: text(),
  },
  { key: ['ownerId', 'credentialId'], partOf: owners },
);

export const secrets = table(
  'secrets',
  {
    /** A directory: the key of a secret is looked up before its owner is known. */
    secretHash: text(),
    ownerId: text(),
    credentialId: text(),
    expiresAt: instant(),
    sealedTokens: sealed(STORED.refreshedTokens, ['ownerId', 'credentialId', 'secretHash']).orNull(),
    signature: text(),
  },
  {
    key: ['secretHash'],
    partOf: credentials,
    indexes: { secrets_of_credential: { on: ['ownerId', 'credentialId'] } },
  },
);

/** Counts of calls, and slots of calls that run. */
export const usage = table(
  'usage',
  {
    ownerId: text(),
    /** '': of all the owner's credentials together. */
    credentialId: text(),
    /** A slot that is taken. '': a count of calls. */
    slotId: text(),
    /** Of a slot: the end of its lease. Of a count: where its window begins. */
    timeMs: integer(),
    count: integer(),
    lastCall: instant().orNull(),
  },
  { key: ['ownerId', 'credentialId', 'slotId'] },
);

/** Idempotency keys. */
export const claims = table(
  'claims',
  {
    ownerId: text(),
    credentialId: text(),
    key: text(),
    /** Only ever rises, therefore a released claim keeps its row. */
    fence: integer(),
    requestId: text(),
    fingerprint: text(),
    /** The key is free, for any request. */
    released: flag(),
    leaseUntil: instant(),
    sealedOutcome: sealed(STORED.outcome, ['ownerId', 'credentialId']).orNull(),
    approvalId: text().orNull(),
    createdAt: instant(),
  },
  { key: ['ownerId', 'credentialId', 'key'], indexes: { claims_by_age: { on: ['createdAt'] } } },
);
