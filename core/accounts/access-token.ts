import type { Account, StoredGrant } from '../ports/account.ts';
import type { Clock } from '../ports/clock.ts';
import { errorName } from '../ports/log.ts';
import { type AccessToken, MailError, SignInWithdrawn } from '../ports/mail.ts';
import { type MailProvider, ProviderError } from '../ports/mail-provider.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { type Grant, grantOf, openGrant, sealGrant, tokenState } from './grant.ts';

/** What the tokens of accounts need from outside. */
export type TokenPorts = Pick<Ports, 'storage' | 'clock' | 'log' | 'mailProviders'>;

/** Longer than a provider may take to answer. A process that dies meanwhile holds others up for this long. */
const LEASE_MS = 60_000;
/** Between two looks at whether another process has got the new tokens. */
const LOOK_MS = 200;
/** For saving tokens that only this process has. */
const SAVE_TRIES = 5;
const SAVE_PAUSE_MS = 1000;

/**
 * The access tokens of an account whose owner signed in at its provider. One process at a time gets new ones, because a
 * provider with single-use refresh tokens takes a second use for theft.
 * @param account  as it was loaded; what has changed since is found when it matters
 */
export function accessTokens(ports: TokenPorts, keyring: Keyring, account: Account): AccessToken {
  const { storage, clock } = ports;
  const { ownerId, accountId } = account;
  const read = ({ sealed }: StoredGrant) => openGrant(keyring, ownerId, accountId, sealed);
  let stored = account.grant;

  async function current(refused: string | undefined): Promise<string> {
    for (;;) {
      if (stored !== null && stored.withdrawnAt === null) {
        const grant = read(stored);
        if (tokenState(grant, refused, clock.now()) === 'good') return grant.accessToken;
      }
      const leased = await storage.leaseGrant({ ownerId, accountId, leaseMs: LEASE_MS });
      if (leased === undefined) throw new MailError('refused', 'the account is no longer connected');
      stored = leased.grant;
      const grant = read(stored);
      if (!leased.isLeased) {
        // Somebody else gets new ones. Those that end soon are good enough until then.
        if (stored.withdrawnAt === null && tokenState(grant, refused, clock.now()) === 'ending')
          return grant.accessToken;
        await wait(clock, LOOK_MS);
        continue;
      }
      const next = await withLease(ports, keyring, account, stored, grant, refused);
      if (next !== undefined) {
        stored = next.stored;
        return next.accessToken;
      }
    }
  }

  return async (refused) => {
    try {
      return await current(refused);
    } catch (error) {
      if (error instanceof MailError) throw error;
      throw new MailError('unavailable', 'the sign-in of this account cannot be read', { cause: error });
    }
  };
}

function wait(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

interface Next {
  readonly stored: StoredGrant;
  readonly accessToken: string;
}

/** Gets new tokens if they are still due, and ends the lease. Undefined: the owner has signed in again meanwhile. */
async function withLease(
  ports: TokenPorts,
  keyring: Keyring,
  account: Account,
  stored: StoredGrant,
  grant: Grant,
  refused: string | undefined,
): Promise<Next | undefined> {
  const { clock } = ports;
  const save = async (content: Grant, withdrawnAt: Date | null): Promise<Next | undefined> => {
    const { ownerId, accountId } = account;
    const sealed = content === grant ? stored.sealed : sealGrant(keyring, ownerId, accountId, content);
    const { fence } = stored;
    const isSaved = await saved(ports, { ownerId, accountId, fence, sealed, withdrawnAt });
    if (!isSaved) return undefined;
    return { stored: { sealed, withdrawnAt, fence, leaseUntilMs: 0 }, accessToken: content.accessToken };
  };
  if (stored.withdrawnAt !== null) {
    await save(grant, stored.withdrawnAt);
    throw new SignInWithdrawn();
  }
  if (tokenState(grant, refused, clock.now()) === 'good') return save(grant, null);
  try {
    const tokens = await providerOf(ports, grant.providerId).refresh(grant.refreshToken);
    return await save(grantOf(grant.providerId, tokens, grant.refreshToken, clock.now()), null);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.code === 'withdrawn') {
      if ((await save(grant, clock.now())) === undefined) return undefined;
      throw new SignInWithdrawn({ cause: error });
    }
    const unchanged = await save(grant, null);
    if (unchanged === undefined || tokenState(grant, refused, clock.now()) === 'ending') return unchanged;
    const code = error.code === 'unavailable' ? 'unavailable' : 'refused';
    throw new MailError(code, error.message, { cause: error });
  }
}

/** Saves tokens that nobody else has, in several tries. @throws the store's error of the last try */
async function saved(
  { storage, clock, log }: TokenPorts,
  request: Parameters<TokenPorts['storage']['saveGrant']>[0],
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await storage.saveGrant(request);
    } catch (error) {
      log.warn('new tokens of a provider could not be saved', {
        ...errorName(error),
        account: request.accountId,
      });
      if (tries === SAVE_TRIES) throw error;
      await wait(clock, SAVE_PAUSE_MS);
    }
  }
}

/** @throws ProviderError `refused` if the operator has removed the provider */
function providerOf({ mailProviders = [] }: TokenPorts, providerId: string): MailProvider {
  const provider = mailProviders.find(({ id }) => id === providerId);
  if (provider !== undefined) return provider;
  throw new ProviderError(
    'refused',
    'this installation no longer offers the sign-in at the provider of this account',
  );
}
