import type { Signer } from '../secrets/keyring.ts';
import type { ApprovalRow, SignedRow } from './approval-state.ts';

/**
 * Signs who approved what, and when, with the keyring: a program that can write to the database, but not read the secret key,
 * cannot approve anything. Everything signed stays as it is once a request is approved. The number at the start is the
 * version of the encoding. Raise it if you add a value.
 */

/** @param row  as approved */
export function signedDecision(
  row: ApprovalRow,
  signer: Pick<Signer, 'sign'>,
): { decisionSignature: string } {
  return { decisionSignature: signer.sign('decision', decisionText(row)) };
}

/** Whether Countersign wrote this decision. */
export function isDecisionIntact(row: SignedRow, signer: Signer): boolean {
  return signer.isSigned('decision', decisionText(row), row.decisionSignature);
}

/** Different decisions have different texts. */
export function decisionText(row: ApprovalRow): string {
  const { ownerId, approvalId, credentialId, accountId, tool, permissionGroup, action, digest } = row;
  const { approvedBy, approvedAt, decidedAt, decidedIn } = row;
  const times = [approvedAt, decidedAt].map((time) => time?.getTime() ?? null);
  const what = [ownerId, approvalId, credentialId, accountId, tool, permissionGroup, action, digest];
  return JSON.stringify([1, ...what, approvedBy, decidedIn, ...times]);
}
