import { secretHash } from '../gate/credential.ts';
import type { Ports } from '../ports/ports.ts';
import type { SecondStepChange } from '../ports/second-step-storage.ts';
import { base32 } from '../secrets/base32.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { recoveryCodes } from '../secrets/recovery-code.ts';
import { TOTP_SECRET_BYTES, totpSteps, totpUri } from '../secrets/totp.ts';
import { APP_SECRET } from './check-second-step.ts';
import { notFound } from './not-found.ts';

/** What owners show besides the password when they sign in, and when Countersign asks for the password again. */
export interface SecondSteps {
  /** @returns null: the owner signs in with the password alone. @throws ServiceError not_found */
  show(ownerId: string): Promise<SecondStepView | null>;
  /** Creates the secret of an authenticator app. Saves nothing: `addApp` does. @throws ServiceError not_found */
  newApp(ownerId: string): Promise<NewAuthenticatorApp>;
  /**
   * Adds the app once it shows the right code. It replaces the one before.
   * @param setup  `setup` of `newApp`
   * @returns recovery codes, shown only this once, if the owner had no second step; `wrong_code`; `over`: start again
   * @throws ServiceError not_found
   */
  addApp(
    ownerId: string,
    setup: string,
    code: string,
  ): Promise<{ readonly recoveryCodes: readonly string[] | null } | 'wrong_code' | 'over'>;
  /** Removes the app and the recovery codes. @throws ServiceError not_found */
  removeApp(ownerId: string): Promise<void>;
  /**
   * Creates new recovery codes, shown only this once. The ones before are no longer valid.
   * @returns undefined if the owner has no second step. @throws ServiceError not_found
   */
  newRecoveryCodes(ownerId: string): Promise<readonly string[] | undefined>;
  /** For an owner who has lost everything: the password alone is enough again. @throws ServiceError not_found */
  removeAll(ownerId: string): Promise<void>;
}

export interface SecondStepView {
  /** Null: none. */
  readonly app: { readonly addedAt: Date } | null;
  readonly recoveryCodesLeft: number;
}

export interface NewAuthenticatorApp {
  /** The sealed secret, for `addApp`. */
  readonly setup: string;
  /** In base32, to type. */
  readonly secret: string;
  /** For a QR code. */
  readonly uri: string;
}

export function createSecondSteps({ storage, clock, random }: Ports, keyring: Keyring): SecondSteps {
  async function find(ownerId: string) {
    const found = await storage.secondStep(ownerId);
    if (found === undefined) throw notFound('owner');
    return found;
  }

  async function change(ownerId: string, what: SecondStepChange) {
    const changed = await storage.changeSecondStep(ownerId, what);
    if (changed === undefined) throw notFound('owner');
    return changed.secondStep;
  }

  return {
    async show(ownerId) {
      const { secondStep } = await find(ownerId);
      if (secondStep === null) return null;
      const { app, recoveryHashes } = secondStep;
      return { app: app && { addedAt: app.addedAt }, recoveryCodesLeft: recoveryHashes.length };
    },
    async newApp(ownerId) {
      const { owner } = await find(ownerId);
      const bytes = random(TOTP_SECRET_BYTES);
      const secret = base32(bytes);
      return {
        setup: keyring.seal(APP_SECRET, ownerId, Buffer.from(bytes).toString('base64url')),
        secret,
        uri: totpUri(secret, 'Countersign', owner.email),
      };
    },
    async addApp(ownerId, setup, code) {
      const secret = openSetup(keyring, ownerId, setup);
      if (secret === undefined) return 'over';
      const now = clock.now();
      const lastStep = totpSteps(secret, code.replaceAll(/[\s-]/g, ''), now).at(-1);
      if (lastStep === undefined) return 'wrong_code';
      const codes = recoveryCodes(random);
      const recoveryHashes = codes.map(secretHash);
      const app = { sealedSecret: setup, lastStep, addedAt: now };
      const saved = await change(ownerId, { type: 'add_app', app, recoveryHashes });
      const isNew = saved?.recoveryHashes[0] === recoveryHashes[0];
      return { recoveryCodes: isNew ? codes : null };
    },
    async removeApp(ownerId) {
      await change(ownerId, { type: 'remove_app' });
    },
    async newRecoveryCodes(ownerId) {
      const codes = recoveryCodes(random);
      const saved = await change(ownerId, {
        type: 'set_recovery_codes',
        recoveryHashes: codes.map(secretHash),
      });
      return saved === null ? undefined : codes;
    },
    async removeAll(ownerId) {
      await change(ownerId, { type: 'remove_all' });
    },
  };
}

/** Undefined: it was not sealed for this owner, or with a key that is no longer used. */
function openSetup(keyring: Keyring, ownerId: string, setup: string): Uint8Array | undefined {
  try {
    return Buffer.from(keyring.open(APP_SECRET, ownerId, setup), 'base64url');
  } catch {
    // The browser sent it, so it may be anything.
    return undefined;
  }
}
