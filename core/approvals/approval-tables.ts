import { credentials } from '../keys/key-tables.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { flag, instant, integer, sealed, text } from '../state/column.ts';
import { table } from '../state/table.ts';

export const approvals = table(
  'approvals',
  {
    ownerId: text(),
    approvalId: text(),
    credentialId: text(),
    accountId: integer().orNull(),
    tool: text(),
    permissionGroup: text(),
    action: text().orNull(),
    state: text(),
    /** JSON: texts. */
    reasons: text(),
    approvedBy: text().orNull(),
    createdAt: instant(),
    expiresAt: instant(),
    decidedAt: instant().orNull(),
    decidedIn: text().orNull(),
    rejection: text().orNull(),
    sealedNote: sealed(STORED.rejectionNote).orNull(),
    editedHash: text().orNull(),
    sealedDiff: sealed(STORED.editDiff).orNull(),
    approvedAt: instant().orNull(),
    startedAt: instant().orNull(),
    executedAt: instant().orNull(),
    endedAt: instant().orNull(),
    fence: integer(),
    leaseUntilMs: integer(),
    digest: text(),
    /** JSON. */
    result: text().orNull(),
    error: text().orNull(),
    messageBytes: integer().orNull(),
    limitBytes: integer().orNull(),
    requestHash: text(),
    similarHash: text(),
    /** Filed as pending. */
    asked: flag(),
    sends: flag(),
    /** On the store's clock. */
    filedAtMs: integer(),
    /** A notice covers it. */
    isCovered: flag().startingAt(false),
    /** The plan is not erased. */
    hasPlan: flag().startingAt(true),
  },
  {
    key: ['ownerId', 'approvalId'],
    partOf: credentials,
    indexes: {
      approvals_of_owner: { on: ['ownerId', 'createdAt', 'approvalId'] },
      approvals_of_credential: { on: ['ownerId', 'credentialId', 'createdAt', 'approvalId'] },
      approvals_open: { on: ['ownerId', 'createdAt', 'approvalId'], where: 'ended_at_ms IS NULL' },
      approvals_uncovered: {
        on: ['ownerId', 'createdAt'],
        where: "state = 'pending' AND NOT is_covered",
      },
      approvals_same: { on: ['ownerId', 'requestHash', 'state', 'endedAt'] },
      approvals_edited: {
        on: ['ownerId', 'editedHash', 'state', 'endedAt'],
        where: 'edited_hash IS NOT NULL',
      },
      approvals_similar: { on: ['ownerId', 'similarHash', 'endedAt'], where: "state = 'rejected'" },
      approvals_asked: { on: ['ownerId', 'credentialId', 'filedAtMs'], where: 'asked' },
      approvals_direct_sends: {
        on: ['ownerId', 'credentialId', 'filedAtMs'],
        where: 'NOT asked AND sends',
      },
      // Work that is due, of all owners.
      approvals_expiring: { on: ['expiresAt'], where: "state = 'pending'" },
      approvals_lapsing: { on: ['leaseUntilMs'], where: "state = 'approved'" },
      approvals_erasable: { on: ['ownerId', 'endedAt'], where: 'has_plan' },
    },
  },
);

export const plans = table(
  'plans',
  {
    ownerId: text(),
    approvalId: text(),
    // Before the plan, which may be long: it is read without it.
    sealedGist: sealed(STORED.gist).orNull(),
    sealedPlan: sealed(STORED.plan),
    sealedAsked: sealed(STORED.askedPlan).orNull(),
  },
  { key: ['ownerId', 'approvalId'], partOf: approvals },
);

/** What requests that wait want to change: two requests that change the same are not both filed. */
export const waitingTargets = table(
  'waiting_targets',
  { ownerId: text(), target: text(), approvalId: text() },
  {
    key: ['ownerId', 'target', 'approvalId'],
    indexes: { waiting_targets_of_approval: { on: ['ownerId', 'approvalId'] } },
  },
);

/** What is left to do after a send: saving it in Sent, marking the answered message. */
export const followUps = table(
  'follow_ups',
  {
    ownerId: text(),
    approvalId: text(),
    /** On the store's clock: the end of a lease or of a wait. */
    dueAtMs: integer(),
  },
  { key: ['ownerId', 'approvalId'], indexes: { follow_ups_due: { on: ['dueAtMs'] } } },
);
