import { ACCOUNT_COLUMNS } from '../accounts/account-state.ts';
import { APPROVAL_COLUMNS } from '../approvals/approval-state.ts';
import { OWNER_COLUMNS } from '../owners/owner-state.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { flag, instant, integer, sealed, text } from '../state/column.ts';
import { commands, select, statements } from '../state/query.ts';
import { pick, type RowOf, table } from '../state/table.ts';
import { credentials, secrets } from './key-state.ts';

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
  {
    key: ['ownerId', 'credentialId', 'key'],
    erased: { by: 'createdAt', before: 'claimsBefore' },
    indexes: { claims_by_age: { on: ['createdAt'] } },
  },
);

/** A used Idempotency-Key. */
export type StoredClaim = RowOf<typeof claims>;
export type UsageRow = Pick<RowOf<typeof usage>, 'credentialId' | 'slotId' | 'timeMs' | 'count'>;

export const claimOfKey = select(claims, { by: ['ownerId', 'credentialId', 'key'] });

const { ownerId, credentialId, key } = claims.columns;
const { secretHash } = secrets.columns;
const counts = pick(usage.columns, ['credentialId', 'slotId', 'timeMs', 'count']);

export const callStatements = statements({
  /** The credential of a secret, with its owner. */
  caller: {
    params: { secretHash },
    columns: {
      ...OWNER_COLUMNS,
      ...credentials.columns,
      secretExpiresAt: secrets.columns.expiresAt,
      sealedTokens: secrets.columns.sealedTokens,
      secretSignature: secrets.columns.signature,
    },
  },
  /** What the secret's credential and its owner have used. */
  usage_of_secret: { params: { secretHash }, columns: counts },
  usage_of_credential: { params: { ownerId, credentialId }, columns: counts },
  /** The accounts of the secret's owner, oldest first. */
  accounts_of_secret: { params: { secretHash }, columns: ACCOUNT_COLUMNS },
  slot: { params: { ownerId, slotId: text() }, columns: { credentialId, timeMs: integer() } },
  /** The approval that a claim is bound to. */
  approval_of_claim: { params: { ownerId, credentialId, key }, columns: APPROVAL_COLUMNS },
});

export const callCommands = commands({
  /** Sets the counts of the credential's minute, with the time of its call, and of the owner's day. Takes a slot. */
  count_call: {
    ...{ ownerId, credentialId, minuteMs: integer(), minuteCount: integer() },
    ...{ dayMs: integer(), dayCount: integer(), slotId: text(), leaseUntilMs: integer(), at: instant() },
  },
});
