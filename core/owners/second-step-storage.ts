import type { Signer } from '../secrets/keyring.ts';
import { passkeyHandle } from '../secrets/webauthn.ts';
import { type RowChange, update } from '../state/change.ts';
import { all, first } from '../state/query.ts';
import { type StateStore, unchanged, type Verdict } from '../state/store.ts';
import { notedAccessChange } from './access-change-state.ts';
import {
  type Owner,
  type OwnerWithAccess,
  ownerByPasskeyHandle,
  ownerIn,
  owners,
  ownerWithAccess,
} from './owner-state.ts';
import { type Device, devicesOfOwner } from './password-state.ts';
import { newestDevice, savedDevice } from './password-storage.ts';
import {
  type AuthenticatorApp,
  judgeSecondStep,
  NO_SECOND_STEP,
  PASSKEYS_MAX,
  type Passkey,
  type SecondStep,
  type SecondStepProof,
} from './second-step.ts';
import { isSecondStepIntact, signedSecondStep } from './signed-access.ts';

export type SecondStepEnd =
  | { readonly kind: 'wait'; readonly waitMs: number }
  | { readonly kind: 'right'; readonly isKnownDevice: boolean }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'off' }
  /** It was changed outside Countersign. */
  | { readonly kind: 'altered' };

export type SecondStepChange =
  /** Replaces the app. `recoveryHashes`: kept only if the owner has no second step yet. */
  | {
      readonly type: 'add_app';
      readonly app: AuthenticatorApp;
      readonly recoveryHashes: readonly string[];
    }
  | { readonly type: 'remove_app' }
  /** `recoveryHashes` as above. Does nothing if there are `PASSKEYS_MAX`, or if the owner has this passkey. */
  | {
      readonly type: 'add_passkey';
      readonly passkey: Passkey;
      readonly recoveryHashes: readonly string[];
    }
  | { readonly type: 'remove_passkey'; readonly id: string }
  | { readonly type: 'rename_passkey'; readonly id: string; readonly name: string }
  /** Replaces all of them. Does nothing if the owner has no second step. */
  | { readonly type: 'set_recovery_codes'; readonly recoveryHashes: readonly string[] }
  /** Removes everything. */
  | { readonly type: 'remove_all' };

interface ChangedSecondStep {
  readonly secondStep: SecondStep | null;
  readonly isAltered: boolean;
}

/** What owners show besides the password. */
export type SecondStepStorage = ReturnType<typeof secondStepStorage>;

export function secondStepStorage({ unit, look }: StateStore) {
  return {
    /** Undefined: no such owner. `secondStep` null: the owner signs in with the password alone. */
    async secondStep(ownerId: string): Promise<
      | {
          readonly owner: Owner;
          readonly passwordHash: string | null;
          readonly secondStep: SecondStep | null;
        }
      | undefined
    > {
      const { found } = await look({ found: first(ownerWithAccess, { ownerId }) });
      if (found === undefined) return undefined;
      const { passwordHash, secondStep } = found;
      return { owner: ownerIn(found), passwordHash, secondStep };
    },

    /** The owner whose passkeys have this handle (`passkeyHandle`). Undefined: none. */
    async ownerByPasskeyHandle(handle: string): Promise<Owner | undefined> {
      return (await look({ owner: first(ownerByPasskeyHandle, { passkeyHandle: handle }) })).owner;
    },

    /**
     * Changes what the owner has.
     * @returns the record as it is now; `isAltered`: it was changed outside Countersign, so nothing but `remove_all` changes it;
     *   undefined: no such owner
     */
    changeSecondStep: (
      ownerId: string,
      change: SecondStepChange,
      signer: Signer,
    ): Promise<ChangedSecondStep | undefined> =>
      unit(
        'durable',
        { ownerId },
        { owner: first(ownerWithAccess, { ownerId }) },
        ({ owner }, storeNowMs): Verdict<ChangedSecondStep | undefined> => {
          if (owner === undefined) return unchanged(undefined);
          // Signing it again would make a change from outside look like the owner's.
          if (change.type !== 'remove_all' && !isSecondStepIntact(owner, signer))
            return unchanged({ secondStep: owner.secondStep, isAltered: true });
          const secondStep = changed(owner.secondStep, change);
          const saved = savedSecondStep(ownerId, secondStep, signer);
          const isSame = secondStep === owner.secondStep || change.type === 'rename_passkey';
          const changes = isSame ? [saved] : [saved, notedAccessChange(ownerId, 'second_step', storeNowMs)];
          return { answer: { secondStep, isAltered: false }, changes };
        },
      ),

    /**
     * Decides about one try (`judgeSecondStep`), uses up what was right and counts what was wrong, in one unit. If it is
     * right, the device becomes the owner's newest known one.
     * @param request  `deviceHash`: null if the browser has no device cookie; `newDeviceHash`: for a browser that is not
     *   known yet
     * @returns `off`: the owner has no second step any more; `isKnownDevice`: whether `deviceHash` stays the device's
     */
    takeSecondStep: (request: SecondStepTry): Promise<SecondStepEnd> => {
      const { ownerId } = request;
      const facts = {
        owner: first(ownerWithAccess, { ownerId }),
        devices: all(devicesOfOwner, { ownerId }),
      };
      return unit('durable', { ownerId }, facts, ({ owner, devices }, storeNowMs) =>
        owner === undefined
          ? unchanged<SecondStepEnd>({ kind: 'off' })
          : takeSecondStep(owner, devices, request, storeNowMs),
      );
    },
  };
}

interface SecondStepTry {
  ownerId: string;
  proof: SecondStepProof;
  deviceHash: string | null;
  newDeviceHash: string;
  signer: Signer;
  now: Date;
}

function savedSecondStep(ownerId: string, secondStep: SecondStep | null, signer: Signer): RowChange {
  const hasPasskey = (secondStep?.passkeys.length ?? 0) > 0;
  const handle = hasPasskey ? passkeyHandle(ownerId) : null;
  const columns = { ...signedSecondStep(ownerId, secondStep, signer), passkeyHandle: handle };
  return update(owners, { ownerId }, columns);
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
function takeSecondStep(
  owner: OwnerWithAccess,
  devices: readonly Device[],
  { ownerId, proof, deviceHash, newDeviceHash, signer, now }: SecondStepTry,
  storeNowMs: number,
): Verdict<SecondStepEnd> {
  if (!isSecondStepIntact(owner, signer)) return unchanged({ kind: 'altered' });
  const { secondStep } = owner;
  if (secondStep === null) return unchanged({ kind: 'off' });
  const known = devices.find((one) => one.deviceHash === deviceHash);
  const verdict = judgeSecondStep(secondStep, proof, known, now);
  if (verdict.kind === 'wait') return unchanged(verdict);
  const saved = savedSecondStep(ownerId, verdict.secondStep, signer);
  if (verdict.kind === 'wrong') {
    const { device } = verdict;
    const counted =
      known === undefined || device === null ? saved : savedDevice(ownerId, { ...known, ...device });
    return { answer: { kind: 'wrong' }, changes: [counted] };
  }
  const device = {
    ...(known ?? { deviceHash: newDeviceHash, failures: 0, lastMs: 0 }),
    lastSignInMs: now.getTime(),
  };
  return {
    answer: { kind: 'right', isKnownDevice: known !== undefined },
    changes: [
      ...(proof.kind === 'recovery_code' ? [notedAccessChange(ownerId, proof.kind, storeNowMs)] : []),
      saved,
      ...newestDevice(devices, ownerId, device),
    ],
  };
}
