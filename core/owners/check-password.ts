import { ServiceError } from '../contract/errors.ts';
import { normalAddress } from '../contract/schema.ts';
import { createAddressBudget } from '../keys/address-budget.ts';
import { addressGroup } from '../keys/address-group.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { PASSWORD_CHARS_MAX, passwordMatches } from '../secrets/password.ts';
import { createPasswordQueue } from '../secrets/password-queue.ts';
import { codePoints } from '../text/code-points.ts';
import { DEVICE_ID_BYTES, deviceHash, deviceValue, readDevice } from './device-cookie.ts';
import type { Owner } from './owner-state.ts';
import type { TriesRows } from './password-storage.ts';

interface PasswordAttempt {
  /** Whose password to check: by email at sign-in, by owner in a session. */
  readonly who: { readonly email: string } | { readonly ownerId: string };
  readonly password: string;
  /** The caller's network address. */
  readonly address: string;
  /** The value of the browser's device cookie, if it has one. */
  readonly device: string | undefined;
}

interface PasswordMatch {
  readonly owner: Owner;
  /** The hash that the password matched. */
  readonly passwordHash: string;
  /** The new value of the browser's device cookie. It grants no access. Undefined: a second step has to follow first. */
  readonly device: string | undefined;
}

/**
 * The only place that checks a password. Checks lengths first, then the budget of the address, then the queue, then the
 * tries (`judgePasswordTry`), and hashes only after that.
 * @returns undefined if the password does not match or nobody has that email
 * @throws ServiceError rate_limited (too many tries) or busy (too many at once), with details.retry_after_s
 */
export type CheckPassword = (attempt: PasswordAttempt) => Promise<PasswordMatch | undefined>;

const EMAIL_CHARS_MAX = 254;
/** Per address group, right or wrong. Keeps the rest away from the store. */
const TRIES_A_MINUTE = 30;
const BUSY_RETRY_S = 5;

export function createPasswordCheck(ports: Ports, keyring: Keyring): CheckPassword {
  const { storage, clock, log, random } = ports;
  const budget = createAddressBudget(TRIES_A_MINUTE);
  const queue = createPasswordQueue();

  async function check(attempt: {
    email: string;
    password: string;
    rows: TriesRows;
    device: Uint8Array | undefined;
  }): Promise<PasswordMatch | undefined> {
    const { email, password, rows } = attempt;
    const knownHash = attempt.device === undefined ? null : deviceHash(attempt.device);
    const taken = await storage.takePasswordTry({
      email,
      rows,
      deviceHash: knownHash,
      signer: keyring,
      now: clock.now(),
    });
    if (taken.kind === 'wait') {
      throw new ServiceError('rate_limited', { details: { retry_after_s: Math.ceil(taken.waitMs / 1000) } });
    }
    const { counted, found, isKnownDevice } = taken;
    if (found?.isAltered === true)
      log.error('a sign-in was changed outside Countersign, and is refused', { owner: found.owner.ownerId });
    const passwordHash = found?.passwordHash ?? null;
    const isRight = await passwordMatches(password, passwordHash);
    if (!isRight || found === undefined || passwordHash === null) return undefined;
    const { owner } = found;
    const device = isKnownDevice && attempt.device !== undefined ? attempt.device : random(DEVICE_ID_BYTES);
    const isStillRight = await storage.passwordMatched({
      ownerId: owner.ownerId,
      passwordHash,
      rows,
      counted,
      deviceHash: deviceHash(device),
      signer: keyring,
      now: clock.now(),
    });
    if (!isStillRight) return undefined;
    if (found.hasSecondStep) return { owner, passwordHash, device: undefined };
    return { owner, passwordHash, device: deviceValue(keyring, email, device) };
  }

  return async ({ who, password, address, device: value }) => {
    const email = 'email' in who ? who.email : (await storage.owner(who.ownerId))?.email;
    if (email === undefined || email.length > EMAIL_CHARS_MAX) return undefined;
    // Check UTF-16 units first: counting code points walks the whole text.
    if (password.length > 2 * PASSWORD_CHARS_MAX || codePoints(password) > PASSWORD_CHARS_MAX)
      return undefined;
    const device = readDevice(keyring, email, value);
    if (device === undefined) budget.spend(address, clock.now());
    const rows = triesRows(keyring, email, address);
    const [lane, key] =
      device === undefined
        ? (['strangers', addressGroup(address)] as const)
        : (['devices', deviceHash(device)] as const);
    const checked = queue.run(lane, key, () => check({ email, password, rows, device }));
    if (checked === undefined) throw new ServiceError('busy', { details: { retry_after_s: BUSY_RETRY_S } });
    return checked;
  };
}

const ROWS_OF_A_KIND = 2 ** 16;

/** The rows that count, chosen by a keyed hash, so outsiders cannot pick emails or addresses that share a row. */
function triesRows(keyring: Keyring, email: string, address: string): TriesRows {
  const rowOf = (text: string): number => {
    const [high = 0, low = 0] = keyring.mac('password-tries', text) ?? [];
    return high * 256 + low;
  };
  const ofEmail = rowOf(`email ${normalAddress(email)}`);
  return {
    address: rowOf(`address ${addressGroup(address)}`),
    newcomers: ROWS_OF_A_KIND + ofEmail,
    repeaters: 2 * ROWS_OF_A_KIND + ofEmail,
  };
}
