import { ServiceError } from '../contract/errors.ts';
import { secretHash } from '../keys/credential.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { readRecoveryCode } from '../secrets/recovery-code.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { totpSteps } from '../secrets/totp.ts';
import { DEVICE_ID_BYTES, deviceHash, deviceValue, readDevice } from './device-cookie.ts';
import type { Owner } from './owner-state.ts';
import type { SecondStep, SecondStepProof } from './second-step.ts';

interface SecondStepAttempt {
  readonly owner: Pick<Owner, 'ownerId' | 'email'>;
  /** What was entered (of the authenticator app, or a recovery code), or what a passkey proved. */
  readonly shown: { readonly code: string } | Extract<SecondStepProof, { kind: 'passkey' }>;
  /** The value of the browser's device cookie, if it has one. */
  readonly device: string | undefined;
}

/**
 * The only place that checks a second step. A code counts only after the right password; a passkey is enough by itself.
 * @returns the new value of the browser's device cookie; `off`: the owner has no second step any more
 * @throws ServiceError rate_limited, with details.retry_after_s
 */
export type CheckSecondStep = (
  attempt: SecondStepAttempt,
) => Promise<{ readonly device: string } | 'wrong' | 'off'>;

export function createSecondStepCheck(
  { storage, clock, log, random }: Ports,
  keyring: Keyring,
): CheckSecondStep {
  function proofOf(ownerId: string, { app }: SecondStep, entered: string): SecondStepProof {
    const code = entered.replaceAll(/[\s-]/g, '');
    if (/^\d{6}$/.test(code) && app !== null) {
      const { sealedSecret } = app;
      const secret = Buffer.from(keyring.open(STORED.totp, ownerId, sealedSecret), 'base64url');
      return { kind: 'app', sealedSecret, steps: totpSteps(secret, code, clock.now()) };
    }
    const recoveryCode = readRecoveryCode(code);
    if (recoveryCode === undefined) return { kind: 'none' };
    return { kind: 'recovery_code', hash: secretHash(recoveryCode) };
  }

  return async ({ owner: { ownerId, email }, shown, device: value }) => {
    const found = await storage.secondStep(ownerId);
    if (found === undefined || found.secondStep === null) return 'off';
    const device = readDevice(keyring, email, value);
    const newDevice = random(DEVICE_ID_BYTES);
    const end = await storage.takeSecondStep({
      ownerId,
      proof: 'code' in shown ? proofOf(ownerId, found.secondStep, shown.code) : shown,
      deviceHash: device === undefined ? null : deviceHash(device),
      newDeviceHash: deviceHash(newDevice),
      signer: keyring,
      now: clock.now(),
    });
    if (end.kind === 'wait') {
      throw new ServiceError('rate_limited', { details: { retry_after_s: Math.ceil(end.waitMs / 1000) } });
    }
    if (end.kind === 'altered') {
      log.error('a second step was changed outside Countersign, and is refused', { owner: ownerId });
      return 'wrong';
    }
    if (end.kind !== 'right') return end.kind;
    const id = end.isKnownDevice && device !== undefined ? device : newDevice;
    return { device: deviceValue(keyring, email, id) };
  };
}
