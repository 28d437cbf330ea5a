import type { AuthenticatorApp, Passkey, SecondStep, SecondStepProof } from '../gate/second-step.ts';
import type { Owner } from './owner-storage.ts';

/** What owners show besides the password. Makes the same promises as Storage. */
export interface SecondStepStorage {
  /** Undefined: no such owner. `secondStep` null: the owner signs in with the password alone. */
  secondStep(ownerId: string): Promise<
    | {
        readonly owner: Owner;
        readonly passwordHash: string | null;
        readonly secondStep: SecondStep | null;
      }
    | undefined
  >;
  /** The owner whose passkeys have this handle (`passkeyHandle`). Undefined: none. */
  ownerByPasskeyHandle(handle: string): Promise<Owner | undefined>;
  /** Changes what the owner has. @returns the record as it is now; undefined: no such owner */
  changeSecondStep(
    ownerId: string,
    change: SecondStepChange,
  ): Promise<{ readonly secondStep: SecondStep | null } | undefined>;
  /**
   * Decides about one try (`judgeSecondStep`), uses up what was right and counts what was wrong, in one unit. If it is
   * right, the device becomes the owner's newest known one.
   * @param request  `deviceHash`: null if the browser has no device cookie; `newDeviceHash`: for a browser that is not
   *   known yet
   * @returns `off`: the owner has no second step any more; `isKnownDevice`: whether `deviceHash` stays the device's
   */
  takeSecondStep(request: {
    ownerId: string;
    proof: SecondStepProof;
    deviceHash: string | null;
    newDeviceHash: string;
    now: Date;
  }): Promise<SecondStepEnd>;
}

export type SecondStepEnd =
  | { readonly kind: 'wait'; readonly waitMs: number }
  | { readonly kind: 'right'; readonly isKnownDevice: boolean }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'off' };

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
