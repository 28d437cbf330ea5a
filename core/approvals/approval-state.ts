import * as z from 'zod';
import { credentials, KEY_STATUS_COLUMNS, type KeyStatus } from '../keys/key-state.ts';
import { GROUPS } from '../keys/permissions.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { flag, instant, integer, json, listOf, oneOf, sealed, text, texts } from '../state/column.ts';
import { commands, first, type ResultsOf, select, statements } from '../state/query.ts';
import { pick, type RowOf, table } from '../state/table.ts';
import {
  APPROVAL_ERRORS,
  APPROVAL_STATES,
  type Approval,
  type Authorization,
  decisionOf,
  editOf,
  errorOf,
  REJECTION_REASONS,
  retryCause,
} from './approval.ts';
import { PRECEDENTS, precedentOf } from './precedent.ts';

const result = z.record(z.string(), z.unknown());

export const approvals = table(
  'approvals',
  {
    ownerId: text(),
    approvalId: text(),
    credentialId: text(),
    accountId: integer().orNull(),
    tool: text(),
    permissionGroup: oneOf(GROUPS),
    action: text().orNull(),
    state: oneOf(APPROVAL_STATES),
    reasons: texts(),
    approvedBy: oneOf(['owner', 'policy']).orNull(),
    createdAt: instant(),
    expiresAt: instant(),
    decidedAt: instant().orNull(),
    decidedIn: text().orNull(),
    rejection: oneOf(REJECTION_REASONS).orNull(),
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
    result: json((value) => result.parse(value)).orNull(),
    error: oneOf(APPROVAL_ERRORS).orNull(),
    messageBytes: integer().orNull(),
    limitBytes: integer().orNull(),
    requestHash: text(),
    similarHash: text(),
    /** `precedentOf`. */
    precedent: oneOf(PRECEDENTS).orNull(),
    precedentUntil: instant().orNull(),
    /** Filed as pending: it counts towards the quota of the day. */
    asked: flag(),
    /** It counts towards the send limit: a send that ran by policy and did not fail. */
    countsAsSend: flag(),
    /** On the store's clock. */
    filedAtMs: integer(),
    /** A notice covers it. */
    isCovered: flag().startingAt(false),
    /** The plan is not erased. */
    hasPlan: flag().startingAt(true),
    /** `signedDecision`. NULL: nobody has approved it. */
    decisionSignature: text().orNull(),
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
      approvals_same: {
        on: ['ownerId', 'requestHash', 'precedent', 'precedentUntil'],
        where: 'precedent IS NOT NULL',
      },
      approvals_edited: {
        on: ['ownerId', 'editedHash', 'precedent', 'precedentUntil'],
        where: 'edited_hash IS NOT NULL',
      },
      approvals_similar: {
        on: ['ownerId', 'similarHash', 'precedentUntil'],
        where: "precedent = 'rejected'",
      },
      approvals_asked: { on: ['ownerId', 'credentialId', 'filedAtMs'], where: 'asked' },
      approvals_direct_sends: { on: ['ownerId', 'credentialId', 'filedAtMs'], where: 'counts_as_send' },
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

/** What `approvalOf` reads. */
const APPROVAL = [
  'ownerId',
  'approvalId',
  'credentialId',
  'accountId',
  'tool',
  'permissionGroup',
  'action',
  'state',
  'reasons',
  'approvedBy',
  'createdAt',
  'expiresAt',
  'decidedAt',
  'decidedIn',
  'rejection',
  'sealedNote',
  'editedHash',
  'sealedDiff',
  'approvedAt',
  'startedAt',
  'executedAt',
  'endedAt',
  'fence',
  'leaseUntilMs',
  'digest',
  'result',
  'error',
  'messageBytes',
  'limitBytes',
] as const;
export const APPROVAL_COLUMNS = pick(approvals.columns, APPROVAL);
export type ApprovalRow = Pick<RowOf<typeof approvals>, (typeof APPROVAL)[number]>;

/** With the signature of its decision. */
export type SignedRow = ApprovalRow & Pick<RowOf<typeof approvals>, 'decisionSignature'>;

/** In the column of a lease's end: `restored`. It is 0 if there is no lease. */
export const RESTORED_LEASE_MS = -1;

/**
 * Reads any row. One that was changed outside Countersign may lack what its state has: then something else stands in for it.
 * Nothing runs because of that, since `isDecisionIntact` judges the row itself.
 */
export function approvalOf(row: ApprovalRow): Approval {
  const { state, startedAt, decidedIn } = row;
  const endedAt = row.endedAt ?? row.createdAt;
  switch (state) {
    case 'pending':
      return filedIn(row, { state });
    case 'approved': {
      const leaseUntilMs = row.leaseUntilMs === RESTORED_LEASE_MS ? 'restored' : row.leaseUntilMs;
      const leased = { state, authorization: authorizationIn(row), leaseUntilMs } as const;
      return startedAt === null
        ? filedIn(row, { ...leased, startedAt, error: retryCause(row.error) })
        : filedIn(row, { ...leased, startedAt, error: null });
    }
    case 'executed': {
      const authorization = authorizationIn(row);
      const error = row.error === 'sent_copy_refused' ? row.error : null;
      const result = row.result ?? {};
      return filedIn(row, { state, authorization, startedAt: startedAt ?? endedAt, endedAt, result, error });
    }
    case 'failed': {
      const authorization = authorizationIn(row);
      const error = row.error ?? 'altered';
      const sizes =
        row.messageBytes === null ? null : { bytes: row.messageBytes, limitBytes: row.limitBytes };
      return filedIn(row, { state, authorization, startedAt, endedAt, error, sizes });
    }
    case 'rejected': {
      const rejection = row.rejection === null ? null : { reason: row.rejection, sealedNote: row.sealedNote };
      return filedIn(row, { state, endedAt, decidedIn, rejection });
    }
    case 'expired':
      return filedIn(row, { state, endedAt });
    case 'cancelled':
      return filedIn(row, { state, endedAt, error: row.error ?? 'altered' });
    case 'outcome_unknown':
      return filedIn(row, { state, authorization: authorizationIn(row), startedAt, endedAt });
  }
}

/** The fields of every state, and those of one. */
function filedIn<Fields extends object>(row: ApprovalRow, fields: Fields) {
  // Not a spread: most calls read several approvals, and a spread of this many fields takes ten times as long.
  return Object.assign(
    {
      ownerId: row.ownerId,
      id: row.approvalId,
      credentialId: row.credentialId,
      accountId: row.accountId,
      tool: row.tool,
      group: row.permissionGroup,
      action: row.action,
      reasons: row.reasons,
      createdAt: row.createdAt,
      expiresAt: row.expiresAt,
      digest: row.digest,
      fence: row.fence,
    },
    fields,
  );
}

function authorizationIn(row: ApprovalRow): Authorization {
  const { approvedBy: by, decidedIn } = row;
  const at = row.approvedAt ?? row.createdAt;
  if (by === 'policy') return { by, at };
  const edit = row.editedHash === null ? null : { requestHash: row.editedHash, sealedDiff: row.sealedDiff };
  return { by: 'owner', at, decidedIn, edit };
}

/** The columns that `approvalOf` reads, and what follows from them. */
export function approvalColumns(approval: Approval) {
  const { ownerId, id: approvalId, credentialId, accountId, tool, group, action, reasons } = approval;
  const { createdAt, expiresAt } = approval;
  return {
    ...{ ownerId, approvalId, credentialId, accountId, tool, permissionGroup: group, action, reasons },
    ...{ createdAt, expiresAt },
    ...movedColumns(approval),
  };
}

/** The columns of an approval that change when it moves. */
export function movedColumns(approval: Approval) {
  const { state, digest, fence, expiresAt } = approval;
  const authorization = 'authorization' in approval ? approval.authorization : null;
  const decision = decisionOf(approval);
  const edit = editOf(approval);
  const rejection = approval.state === 'rejected' ? approval.rejection : null;
  const sizes = approval.state === 'failed' ? approval.sizes : null;
  const endedAt = 'endedAt' in approval ? approval.endedAt : null;
  const lease = approval.state === 'approved' ? approval.leaseUntilMs : 0;
  return {
    ...{ state, digest, fence, endedAt },
    approvedBy: authorization?.by ?? null,
    approvedAt: authorization?.at ?? null,
    decidedAt: decision?.at ?? null,
    decidedIn: decision?.decidedIn ?? null,
    rejection: rejection?.reason ?? null,
    sealedNote: rejection?.sealedNote ?? null,
    editedHash: edit?.requestHash ?? null,
    sealedDiff: edit?.sealedDiff ?? null,
    startedAt: 'startedAt' in approval ? approval.startedAt : null,
    executedAt: state === 'executed' ? endedAt : null,
    leaseUntilMs: lease === 'restored' ? RESTORED_LEASE_MS : lease,
    result: approval.state === 'executed' ? approval.result : null,
    error: errorOf(approval),
    messageBytes: sizes?.bytes ?? null,
    limitBytes: sizes?.limitBytes ?? null,
    ...precedentOf({ state, expiresAt, endedAt }),
    // A failed send was not sent. One with an unknown outcome may have been.
    ...(state === 'failed' ? { countsAsSend: false } : {}),
  };
}

export const approvalById = select(approvals, { by: ['ownerId', 'approvalId'], only: APPROVAL });
const approvalWithSignature = select(approvals, {
  by: ['ownerId', 'approvalId'],
  only: [...APPROVAL, 'decisionSignature'],
});
export const planOfApproval = select(plans, { by: ['ownerId', 'approvalId'], only: ['sealedPlan'] });
export const askedPlanOfApproval = select(plans, { by: ['ownerId', 'approvalId'], only: ['sealedAsked'] });
export const gistsOfApprovals = select(plans, {
  by: ['ownerId'],
  among: 'approvalId',
  only: ['approvalId', 'sealedGist'],
});
export const followUpOfApproval = select(followUps, { by: ['ownerId', 'approvalId'] });
export const targetsOfOwner = select(waitingTargets, { by: ['ownerId'], only: ['approvalId', 'target'] });

const { ownerId, credentialId, approvalId } = approvals.columns;
const ofKey = { ownerId, credentialId };
const { decisionSignature } = approvals.columns;
const withPlan = {
  ...APPROVAL_COLUMNS,
  decisionSignature,
  sealedPlan: plans.columns.sealedPlan.orNull(),
};
const reclaimed = { params: { runningList: listOf(text()), limit: integer() }, columns: { ownerId } };
const taken = {
  params: {
    ...{ ownerIdList: listOf(text()), runningList: listOf(text()) },
    /** By the store's clock. */
    dueBy: instant(),
    limit: integer(),
  },
  columns: withPlan,
};
/** A page of a list, newest first, behind a place. */
const place = { createdAt: instant(), id: text(), limit: integer() };
const ofOwner = { params: { ownerId, ...place }, columns: APPROVAL_COLUMNS };
const ofCredential = { params: { ...ofKey, ...place }, columns: APPROVAL_COLUMNS };

export const approvalStatements = statements({
  /** The approval's credential, with the plan and the limits of its owner. */
  key_status_of_approval: { params: { ownerId, approvalId }, columns: KEY_STATUS_COLUMNS },
  key_status: { params: ofKey, columns: KEY_STATUS_COLUMNS },
  pending_of_owner: { params: { ownerId }, columns: APPROVAL_COLUMNS },
  /** Approved requests that have not ended. */
  approved_of_owner: { params: { ownerId }, columns: { ...APPROVAL_COLUMNS, decisionSignature } },
  /** Approved requests of a credential that have not started. */
  unstarted: { params: ofKey, columns: APPROVAL_COLUMNS },

  /** The same request of the credential that is pending. */
  same_pending: { params: { ...ofKey, requestHash: text(), now: instant() }, columns: APPROVAL_COLUMNS },
  /** The newest same request of the credential that is unfinished. */
  same_unfinished: { params: { ...ofKey, requestHash: text(), now: instant() }, columns: APPROVAL_COLUMNS },
  /** A pending request of the credential for one of the targets. */
  target_pending: {
    params: { ...ofKey, targetList: listOf(text()), now: instant() },
    columns: APPROVAL_COLUMNS,
  },
  /**
   * Of the owner: until when the rejection of the same or a similar request counts; whether the same one was executed, or is
   * unfinished for another credential.
   */
  same_of_owner: {
    params: { ...ofKey, requestHash: text(), similarHash: text(), now: instant() },
    columns: { rejectedUntil: instant().orNull(), executed: flag(), unfinishedElsewhere: flag() },
  },
  /** How many sends of the credential count, in two spans of time up to now. */
  direct_sends: {
    params: { ...ofKey, daySendsMs: integer(), shortSendsMs: integer() },
    columns: { day: integer(), short: integer() },
  },
  /** Requests that were filed as pending since the last whole multiple of `dayMs`. */
  filed: { params: { ...ofKey, dayMs: integer() }, columns: { filed: integer() } },
  /** Pending requests before their end. */
  waiting: { params: { ...ofKey, now: instant() }, columns: { ofKey: integer(), ofOwner: integer() } },

  /** Owners with runs or follow-ups whose lease has ended, except those in `runningList`. */
  owners_of_lapsed: reclaimed,
  lapsed: taken,
  due_follow_ups: taken,
  owners_of_overdue: { params: { now: instant() }, columns: { ownerId } },
  overdue: { params: { ownerIdList: listOf(text()), now: instant() }, columns: APPROVAL_COLUMNS },

  approvals_of_owner: ofOwner,
  open_of_owner: ofOwner,
  ended_of_owner: ofOwner,
  approvals_of_credential: ofCredential,
  open_of_credential: ofCredential,
  ended_of_credential: ofCredential,
  /** The open approvals, and the newest one of each owner once more, with `isNewest`. */
  open_states: {
    params: { ownerIdList: listOf(text()) },
    columns: { ...pick(approvals.columns, ['ownerId', 'approvalId', 'state']), isNewest: flag() },
  },
});

export const approvalCommands = commands({
  /** Existing ones stay. */
  add_targets: { ownerId, approvalId, targetList: listOf(text()) },
});

/** An approval, and what decides about it now. */
export interface ApprovalFacts {
  readonly approval: Approval;
  readonly row: SignedRow;
  /** Of its credential. */
  readonly keyStatus: KeyStatus;
}

export function approvalQueries({ ownerId: owner, approvalId: id }: { ownerId: string; approvalId: string }) {
  const of = { ownerId: owner, approvalId: id };
  return {
    row: first(approvalWithSignature, of),
    keyStatus: first(approvalStatements.key_status_of_approval, of),
  };
}

/** Undefined: the owner has no such approval. */
export function approvalFacts({
  row,
  keyStatus,
}: ResultsOf<ReturnType<typeof approvalQueries>>): ApprovalFacts | undefined {
  if (row === undefined || keyStatus === undefined) return undefined;
  return { approval: approvalOf(row), row, keyStatus };
}
