import * as z from 'zod';
import { type LimitOverrides, PLAN_LIMITS } from '../keys/limits.ts';
import { PLANS } from '../keys/permissions.ts';
import { flag, instant, integer, json, oneOf, parsed, text } from '../state/column.ts';
import { commands, select, statements } from '../state/query.ts';
import { pick, type RowOf, table } from '../state/table.ts';
import { PROOF_LEVELS } from './owner-proof.ts';
import { secondStepIn, storedSecondStep } from './stored-second-step.ts';

const overrides = z.record(z.string(), z.number());

function overridesIn(stored: string): LimitOverrides {
  const limits = overrides.parse(JSON.parse(stored));
  if (Object.keys(limits).every((name) => Object.hasOwn(PLAN_LIMITS.free, name))) return limits;
  throw new Error('it has a limit that this program does not know');
}

export const owners = table(
  'owners',
  {
    ownerId: text(),
    email: text(),
    /** `foldedEmail`. A directory: the owner of an email is looked up before any owner is known. */
    emailFolded: text(),
    /** IANA name. */
    timezone: text(),
    /** How dates are written for the owner: a language tag (`isDateLanguage`). */
    language: text().startingAt('en-GB'),
    plan: oneOf(PLANS),
    /** JSON: single limits that the operator set. */
    limits: parsed(overridesIn, (limits) => JSON.stringify(limits)),
    /** Days after its end until what a request was about is erased. */
    plansKeptDays: integer().startingAt(30),
    /** For which requests the owner has to prove again who they are. */
    proofFor: oneOf(PROOF_LEVELS).startingAt('every_12_hours'),
    passwordHash: text().orNull(),
    /** `signedPassword`, also of no password. */
    passwordSignature: text(),
    /** JSON, with a secret that is sealed. NULL: the owner signs in with the password alone. */
    secondStep: json(secondStepIn, storedSecondStep).orNull(),
    /** `signedSecondStep`, also of none. */
    secondStepSignature: text(),
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

/** What calls and pages know of an owner. */
const OWNER = [
  'ownerId',
  'email',
  'timezone',
  'language',
  'plansKeptDays',
  'proofFor',
  'plan',
  'limits',
  'activeAccountId',
] as const;
export const OWNER_COLUMNS = pick(owners.columns, OWNER);
export type Owner = Pick<RowOf<typeof owners>, (typeof OWNER)[number]>;

/** The owner in a row that has more. */
export function ownerIn(row: Owner): Owner {
  const { ownerId, email, timezone, language, plansKeptDays, proofFor, plan, limits, activeAccountId } = row;
  return { ownerId, email, timezone, language, plansKeptDays, proofFor, plan, limits, activeAccountId };
}

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

export const ownerById = select(owners, { by: ['ownerId'], only: OWNER });
export const ownerByEmail = select(owners, { by: ['emailFolded'], only: OWNER });
export const ownerByPasskeyHandle = select(owners, { by: ['passkeyHandle'], only: OWNER });

/** What an owner signs in with. */
const ACCESS = ['passwordHash', 'passwordSignature', 'secondStep', 'secondStepSignature'] as const;
export type OwnerWithAccess = Owner & Pick<RowOf<typeof owners>, (typeof ACCESS)[number]>;
export const ownerWithAccess = select(owners, { by: ['ownerId'], only: [...OWNER, ...ACCESS] });
export const ownerWithAccessByEmail = select(owners, { by: ['emailFolded'], only: [...OWNER, ...ACCESS] });

export const accessChangesOfOwner = select(owners, {
  by: ['ownerId'],
  only: ['passwordChangedAt', 'secondStepChangedAt', 'recoveryCodeUsedAt'],
});
export const lastNumbersOfOwner = select(owners, {
  by: ['ownerId'],
  only: ['lastAccountId', 'lastEndpointId'],
});

const { ownerId } = owners.columns;

/** What a new owner begins with. */
const ADDED = [
  'ownerId',
  'email',
  'emailFolded',
  'timezone',
  'language',
  'plansKeptDays',
  'proofFor',
  'plan',
  'limits',
  'passwordHash',
  'passwordSignature',
  'secondStepSignature',
  'createdAt',
] as const;

export const ownerStatements = statements({
  /** In the order of their ids. */
  owners_after: { params: { after: text(), limit: integer() }, columns: OWNER_COLUMNS },
  any_owner: { params: {}, columns: { ownerId } },
  /** A row if the link of the first run with this hash is open. */
  open_setup_link: { params: { secretHash: text(), now: instant() }, columns: { isOpen: integer() } },
  /** A request of the owner that has started and not ended. */
  running_of_owner: { params: { ownerId }, columns: { approvalId: text() } },
});

export const ownerCommands = commands({
  /**
   * Adds an owner, who continues the numbers of a removed one with the same id, if id and email are free and `setupHash` is
   * NULL or the hash of the open link. Of two at once, each waits for the other.
   */
  add_owner: {
    ...pick(owners.columns, ADDED),
    ownerHash: text(),
    setupHash: text().orNull(),
  },
  /** Once there is an owner, the link is useless. */
  end_setup: {},
  /** Stores the link of the first run in place of the one before, if there is no owner. */
  open_setup: { secretHash: text(), expiresAt: instant() },
  /** Clears the times of changes that are not later. */
  confirm_access_changes: { ownerId, until: instant() },
});

/** Not done by a database: SQLite's NOCASE folds only ASCII, and Postgres follows its language setting. */
export function foldedEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
