import { judgeSecondStep, NO_SECOND_STEP, PASSKEYS_MAX, type SecondStep } from '../gate/second-step.ts';
import type { SecondStepChange, SecondStepEnd } from '../ports/second-step-storage.ts';
import type { Storage } from '../ports/storage.ts';
import type { Change, Judged, SecondStepFacts } from '../ports/store.ts';
import { accessChange } from './access-change.ts';
import { newestDevice } from './password-tries.ts';

type Facts = SecondStepFacts | undefined;

export function changeSecondStep(
  facts: Facts,
  ownerId: string,
  change: SecondStepChange,
  storeNowMs: number,
): Judged<{ readonly secondStep: SecondStep | null } | undefined> {
  if (facts === undefined) return { answer: undefined, changes: [] };
  const secondStep = changed(facts.secondStep, change);
  const saved: Change = { type: 'save_second_step', ownerId, secondStep };
  const isSame = secondStep === facts.secondStep || change.type === 'rename_passkey';
  const changes = isSame ? [saved] : [saved, accessChange(ownerId, 'second_step', storeNowMs)];
  return { answer: { secondStep }, changes };
}

function changed(before: SecondStep | null, change: SecondStepChange): SecondStep | null {
  switch (change.type) {
    case 'add_app': {
      const { app, recoveryHashes } = change;
      return before === null ? { ...NO_SECOND_STEP, app, recoveryHashes } : { ...before, app };
    }
    case 'remove_app':
      return before && orNull({ ...before, app: null });
    case 'add_passkey': {
      const { passkey, recoveryHashes } = change;
      const { passkeys } = before ?? NO_SECOND_STEP;
      if (passkeys.length >= PASSKEYS_MAX || passkeys.some(({ id }) => id === passkey.id)) return before;
      return { ...(before ?? { ...NO_SECOND_STEP, recoveryHashes }), passkeys: [...passkeys, passkey] };
    }
    case 'remove_passkey':
      return before && orNull({ ...before, passkeys: before.passkeys.filter(({ id }) => id !== change.id) });
    case 'rename_passkey': {
      const { id, name } = change;
      if (before === null) return null;
      return { ...before, passkeys: before.passkeys.map((one) => (one.id === id ? { ...one, name } : one)) };
    }
    case 'remove_all':
      return null;
    case 'set_recovery_codes':
      return before && { ...before, recoveryHashes: change.recoveryHashes };
  }
}

/** Recovery codes alone are not a second step. */
function orNull(secondStep: SecondStep): SecondStep | null {
  return secondStep.app === null && secondStep.passkeys.length === 0 ? null : secondStep;
}

/** Decides about one try at the second step. */
export function takeSecondStep(
  facts: Facts,
  { ownerId, proof, deviceHash, newDeviceHash, now }: Parameters<Storage['takeSecondStep']>[0],
  storeNowMs: number,
): Judged<SecondStepEnd> {
  if (facts === undefined || facts.secondStep === null) return { answer: { kind: 'off' }, changes: [] };
  const known = facts.devices.find((device) => device.deviceHash === deviceHash);
  const verdict = judgeSecondStep(facts.secondStep, proof, known, now);
  if (verdict.kind === 'wait') return { answer: verdict, changes: [] };
  const { secondStep } = verdict;
  const saved: Change = { type: 'save_second_step', ownerId, secondStep };
  if (verdict.kind === 'wrong') {
    const { device } = verdict;
    if (known === undefined || device === null) return { answer: { kind: 'wrong' }, changes: [saved] };
    const counted: Change = { type: 'save_device', ownerId, device: { ...known, ...device } };
    return { answer: { kind: 'wrong' }, changes: [counted] };
  }
  const device = {
    ...(known ?? { deviceHash: newDeviceHash, failures: 0, lastMs: 0 }),
    lastSignInMs: now.getTime(),
  };
  return {
    answer: { kind: 'right', isKnownDevice: known !== undefined },
    changes: [
      ...(proof.kind === 'recovery_code' ? [accessChange(ownerId, proof.kind, storeNowMs)] : []),
      saved,
      ...newestDevice(facts.devices, ownerId, device),
    ],
  };
}
