import { createAddressBudget } from '../address-budget.ts';
import { ServiceError } from '../errors.ts';
import { passwordMatches } from '../password.ts';
import type { Ports } from '../ports/ports.ts';
import type { Owner } from '../ports/storage.ts';

export interface PasswordAttempt {
  /** Whose password it should be: by email for signing in, by owner for confirming it in a session. */
  readonly who: { readonly email: string } | { readonly ownerId: string };
  readonly password: string;
  /** The caller's network address. */
  readonly address: string;
  /** The value of the browser's device cookie; undefined without one. */
  readonly device: string | undefined;
}

export interface PasswordMatch {
  readonly owner: Owner;
  /** The value to set the browser's device cookie to. */
  readonly device: string;
}

/**
 * Checks a password. The only way to do so.
 * @returns undefined when it does not match, or nobody has that email
 * @throws ServiceError rate_limited (too many tries) or busy (too many at once), with details.retry_after_s
 */
export type CheckPassword = (attempt: PasswordAttempt) => Promise<PasswordMatch | undefined>;

const TRIES_A_MINUTE = 10;

export function createPasswordCheck({ storage, clock }: Ports): CheckPassword {
  const tries = {
    byAddress: createAddressBudget(TRIES_A_MINUTE),
    byEmail: createAddressBudget(TRIES_A_MINUTE),
  };
  // One check at a time: each takes 128 MB and most of a second of a core.
  let checking: Promise<unknown> = Promise.resolve();

  return async ({ who, password, address }) => {
    const now = clock.now();
    const email = 'email' in who ? who.email : (await storage.owner(who.ownerId))?.email;
    if (email === undefined) return undefined;
    for (const taken of [tries.byAddress.take(address, now), tries.byEmail.take(email.toLowerCase(), now)]) {
      if (!taken.within)
        throw new ServiceError('rate_limited', { details: { retry_after_s: taken.rate.resetS } });
    }
    const found = await storage.ownerByEmail(email);
    const check = checking.then(() => passwordMatches(password, found?.passwordHash ?? null));
    checking = check.catch(() => undefined);
    return (await check) && found !== undefined ? { owner: found.owner, device: '' } : undefined;
  };
}
