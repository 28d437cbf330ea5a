import { crossedFence, type Reach } from '../keys/fences.ts';
import type { KeyStatus } from '../keys/key-state.ts';
import { type Limits, limitsOf } from '../keys/limits.ts';
import { isOn } from '../keys/live-key.ts';
import { effectiveMode, type Group, type Mode } from '../keys/permissions.ts';
import type { Signer } from '../secrets/keyring.ts';
import { type Approval, type ApprovalError, isByPolicy } from './approval.ts';

/** Returns the mode that counts for the group. Undefined if the credential is off. */
export function modeNow(keyStatus: KeyStatus, group: Group, signer: Signer, now: Date): Mode | undefined {
  if (!isOn(keyStatus, signer, now)) return undefined;
  return effectiveMode(group, keyStatus.modes[group], keyStatus.plan);
}

/**
 * Why a request may not be approved or started now. Undefined: it may. A pause does not stop what the owner approves:
 * it ends earlier approvals, so every approval by the owner that exists during a pause is later than the pause.
 * @param reach null: its plan cannot be read, so it will not run
 */
export function refusalNow(
  keyStatus: KeyStatus,
  approval: Approval,
  reach: Reach | null,
  signer: Signer,
  now: Date,
): ApprovalError | undefined {
  const mode = modeNow(keyStatus, approval.group, signer, now);
  if (mode === undefined || mode === 'off') return 'credential_off';
  const { pausedAt, fences } = keyStatus;
  if (pausedAt !== null && isByPolicy(approval)) return 'credential_paused';
  return reach !== null && crossedFence(fences, reach, now) !== undefined ? 'outside_fence' : undefined;
}

export function limitsNow({ plan, limits }: KeyStatus): Limits {
  return limitsOf(plan, limits);
}
