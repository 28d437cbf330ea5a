import type { TriesCounter } from '../gate/password-tries.ts';
import type { Owner } from './owner-storage.ts';

/** Tries at passwords, and known devices. Makes the same promises as Storage. */
export interface PasswordStorage {
  /**
   * Decides about one try at a password (`judgePasswordTry`) and counts it as failed, in one unit. Does the same
   * work whether or not an owner has the email.
   * @returns `check`: the password may be checked; `found` is undefined if no owner has the email, `isKnownDevice`
   *   tells whether `deviceHash` is one of the owner's devices
   */
  takePasswordTry(request: {
    /** In upper or lower case. */
    email: string;
    rows: TriesRows;
    deviceHash: string | null;
    now: Date;
  }): Promise<
    | { readonly kind: 'wait'; readonly waitMs: number }
    | {
        readonly kind: 'check';
        readonly counted: readonly TriesCounter[];
        readonly isKnownDevice: boolean;
        readonly found: OwnerToCheck | undefined;
      }
  >;

  /**
   * Takes back one counted failure of a try whose password was correct (`giveTryBack`). Makes the device the owner's
   * newest one if the owner has no second step; otherwise `takeSecondStep` does. The owner keeps the newest
   * `DEVICES_KEPT`.
   * @returns false, with no change, if the password hash has changed since
   */
  passwordMatched(request: {
    ownerId: string;
    passwordHash: string;
    rows: TriesRows;
    counted: readonly TriesCounter[];
    deviceHash: string;
    now: Date;
  }): Promise<boolean>;
}

/** Whose password is checked. */
export interface OwnerToCheck {
  readonly owner: Owner;
  /** Null: the owner has no password. */
  readonly passwordHash: string | null;
  /** Whether signing in takes more than the password. */
  readonly hasSecondStep: boolean;
}

/**
 * The numbers of the rows that count tries from unknown devices. They come from a fixed range, so that nobody can fill
 * the table. Two emails or two addresses may share a row.
 */
export type TriesRows = Readonly<Record<Exclude<TriesCounter, 'device'>, number>>;
