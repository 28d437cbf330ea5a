import type { Signer } from '../secrets/keyring.ts';
import type { Approval } from './approval.ts';

/**
 * Signs who approved what, and when, with the keyring: a program that can write to the database, but not read the secret key,
 * cannot approve anything. Everything signed stays as it is once a request is approved. The number at the start is the
 * version of the encoding. Raise it if you add a value.
 */

/** @param approval  as approved */
export function signedDecision(approval: Approval, signer: Pick<Signer, 'sign'>): string {
  return signer.sign('decision', decisionText(approval));
}

/** Whether Countersign wrote this decision. @param signature  the one of its row */
export function isDecisionIntact(approval: Approval, signature: string | null, signer: Signer): boolean {
  return signer.isSigned('decision', decisionText(approval), signature);
}

/** Different decisions have different texts. */
export function decisionText(approval: Approval): string {
  const { ownerId, id, credentialId, accountId, tool, group, action, digest } = approval;
  const { approvedBy, approvedAt, decidedAt, decidedIn } = approval;
  const times = [approvedAt, decidedAt].map((time) => time?.getTime() ?? null);
  const what = [ownerId, id, credentialId, accountId, tool, group, action, digest];
  return JSON.stringify([1, ...what, approvedBy, decidedIn, ...times]);
}
