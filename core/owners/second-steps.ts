import { ServiceError } from '../contract/errors.ts';
import { notFound } from '../contract/not-found.ts';
import { invalidArgument, line } from '../contract/schema.ts';
import { secretHash } from '../keys/credential.ts';
import type { Ports } from '../ports/ports.ts';
import { base32 } from '../secrets/base32.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { recoveryCodes } from '../secrets/recovery-code.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { TOTP_SECRET_BYTES, totpSteps, totpUri } from '../secrets/totp.ts';
import { type PasskeyPlace, passkeyHandle, readNewPasskey } from '../secrets/webauthn.ts';
import type { PasskeyChallenges } from './passkey-challenges.ts';
import type { Passkey } from './second-step.ts';
import type { SecondStepChange } from './second-step-storage.ts';

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
  /** Removes the app; the recovery codes too if nothing is left. @throws ServiceError not_found */
  removeApp(ownerId: string): Promise<void>;
  /** Creates what a passkey has to sign, for ten minutes. @param binding  what only this browser sends, for this purpose */
  challenge(binding: string): string;
  /** Facts for the browser that creates a passkey. @throws ServiceError not_found */
  newPasskey(ownerId: string, binding: string): Promise<PasskeyRequest>;
  /**
   * Adds a passkey that a browser created. Returns recovery codes like `addApp`.
   * @param passkey  `answer`: as the page's script sends it; `name`: 1 to 60 characters
   * @returns `not_accepted`: it cannot be used; `limit`: the owner has ten
   * @throws ServiceError not_found, invalid_arguments (`name`)
   */
  addPasskey(
    ownerId: string,
    passkey: { answer: string; place: PasskeyPlace; binding: string; name: string },
  ): Promise<{ readonly recoveryCodes: readonly string[] | null } | 'not_accepted' | 'limit'>;
  /**
   * Names a passkey anew. Does nothing if the owner has no such passkey.
   * @param name  1 to 60 characters
   * @throws ServiceError not_found (the owner), invalid_arguments (`name`)
   */
  renamePasskey(ownerId: string, passkeyId: string, name: string): Promise<void>;
  /** Removes a passkey; the recovery codes too if nothing is left. @throws ServiceError not_found (the owner) */
  removePasskey(ownerId: string, passkeyId: string): Promise<void>;
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
  /** Oldest first. */
  readonly passkeys: readonly Pick<Passkey, 'id' | 'name' | 'host' | 'addedAt' | 'lastUsedAt'>[];
  readonly recoveryCodesLeft: number;
}

export interface PasskeyRequest {
  readonly challenge: string;
  /** Names the owner to the authenticator, hex. */
  readonly handle: string;
  /** The passkeys that the owner has: an authenticator adds no second one. */
  readonly exclude: readonly string[];
}

export interface NewAuthenticatorApp {
  /** The sealed secret, for `addApp`. */
  readonly setup: string;
  /** In base32, to type. */
  readonly secret: string;
  /** For a QR code. */
  readonly uri: string;
}

const ALTERED =
  'The second step of this owner was changed outside Countersign. Remove it: countersign owner second-step-off';

const nameText = line({ min: 1, max: 60, description: '' });

export function createSecondSteps(
  { storage, clock, random }: Ports,
  keyring: Keyring,
  challenges: PasskeyChallenges,
): SecondSteps {
  async function find(ownerId: string) {
    const found = await storage.secondStep(ownerId);
    if (found === undefined) throw notFound('owner');
    return found;
  }

  async function change(ownerId: string, what: SecondStepChange) {
    const changed = await storage.changeSecondStep(ownerId, what, keyring);
    if (changed === undefined) throw notFound('owner');
    if (changed.isAltered) throw new ServiceError('internal_error', { details: { remedy: ALTERED } });
    return changed.secondStep;
  }

  function newCodes() {
    const codes = recoveryCodes(random);
    return { codes, recoveryHashes: codes.map(secretHash) };
  }

  return {
    async show(ownerId) {
      const { secondStep } = await find(ownerId);
      if (secondStep === null) return null;
      const { app, passkeys, recoveryHashes } = secondStep;
      return {
        app: app && { addedAt: app.addedAt },
        passkeys: passkeys.map(({ id, name, host, addedAt, lastUsedAt }) => ({
          id,
          name,
          host,
          addedAt,
          lastUsedAt,
        })),
        recoveryCodesLeft: recoveryHashes.length,
      };
    },
    async newApp(ownerId) {
      const { owner } = await find(ownerId);
      const bytes = random(TOTP_SECRET_BYTES);
      const secret = base32(bytes);
      return {
        setup: keyring.seal(STORED.totp, ownerId, Buffer.from(bytes).toString('base64url')),
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
      const { codes, recoveryHashes } = newCodes();
      const app = { sealedSecret: setup, lastStep, addedAt: now };
      const saved = await change(ownerId, { type: 'add_app', app, recoveryHashes });
      const isNew = saved?.recoveryHashes[0] === recoveryHashes[0];
      return { recoveryCodes: isNew ? codes : null };
    },
    async removeApp(ownerId) {
      await change(ownerId, { type: 'remove_app' });
    },
    challenge: (binding) => challenges.create(binding),
    async newPasskey(ownerId, binding) {
      const { secondStep } = await find(ownerId);
      return {
        challenge: challenges.create(binding),
        handle: passkeyHandle(ownerId),
        exclude: (secondStep?.passkeys ?? []).map(({ id }) => id),
      };
    },
    async addPasskey(ownerId, { answer, place, binding, name }) {
      checkName(name);
      const read = readNewPasskey(answer, place);
      const challengeMs = read && challenges.read(read.challenge, binding);
      if (read === undefined || challengeMs === undefined) return 'not_accepted';
      const { id, publicKey, signCount } = read;
      const { host } = place;
      const passkey = {
        id,
        publicKey,
        host,
        name,
        signCount,
        lastChallengeMs: challengeMs,
        addedAt: clock.now(),
        lastUsedAt: null,
      };
      const { codes, recoveryHashes } = newCodes();
      const saved = await change(ownerId, { type: 'add_passkey', passkey, recoveryHashes });
      const added = saved?.passkeys.find((one) => one.id === id);
      if (added === undefined) return 'limit';
      if (added.lastChallengeMs !== challengeMs) return 'not_accepted';
      return { recoveryCodes: saved?.recoveryHashes[0] === recoveryHashes[0] ? codes : null };
    },
    async renamePasskey(ownerId, id, name) {
      checkName(name);
      await change(ownerId, { type: 'rename_passkey', id, name });
    },
    async removePasskey(ownerId, id) {
      await change(ownerId, { type: 'remove_passkey', id });
    },
    async newRecoveryCodes(ownerId) {
      const { codes, recoveryHashes } = newCodes();
      const saved = await change(ownerId, { type: 'set_recovery_codes', recoveryHashes });
      return saved === null ? undefined : codes;
    },
    async removeAll(ownerId) {
      await change(ownerId, { type: 'remove_all' });
    },
  };
}

/** @throws ServiceError invalid_arguments */
function checkName(name: string): void {
  if (!nameText.safeParse(name).success)
    throw invalidArgument('name', 'length', 'must be one line of 1 to 60 characters');
}

/** Undefined: it was not sealed for this owner, or with a key that is no longer used. */
function openSetup(keyring: Keyring, ownerId: string, setup: string): Uint8Array | undefined {
  try {
    return Buffer.from(keyring.open(STORED.totp, ownerId, setup), 'base64url');
  } catch {
    // The browser sent it, so it may be anything.
    return undefined;
  }
}
