import { createHash } from 'node:crypto';
import * as z from 'zod';
import { notFound } from '../contract/not-found.ts';
import type { Account } from '../ports/account.ts';
import type { Clock } from '../ports/clock.ts';
import {
  type DeviceSignIn,
  type MailProvider,
  ProviderError,
  type ProviderGrant,
} from '../ports/mail-provider.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { spelled, UNSEEN } from '../text/seen-text.ts';
import { MINUTE_MS } from '../time/durations.ts';
import type { GrantedAccounts } from './accounts.ts';
import { findAccount } from './find-account.ts';
import { grantOf, openGrant } from './grant.ts';
import { openSettings } from './mail-call.ts';
import type { FinishedSignIn, MailSignIns, SignInPurpose } from './mail-sign-ins.ts';

/** Enough for a sign-in with a second step, and with a search for the other device. */
const PENDING_MS = 15 * MINUTE_MS;
const SECRET_BYTES = 32;

const pendingSignIn = z.strictObject({
  sessionId: z.string(),
  providerId: z.string(),
  redirectUri: z.string(),
  codeVerifier: z.string(),
  purpose: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('connect'),
      email: z.string(),
      label: z.string().exactOptional(),
      displayName: z.string().exactOptional(),
      signature: z.string().exactOptional(),
    }),
    z.strictObject({ kind: z.literal('again'), accountId: z.int() }),
  ]),
});

export function createMailSignIns(ports: Ports, keyring: Keyring, accounts: GrantedAccounts): MailSignIns {
  const { storage, clock, random, mailProviders = [] } = ports;

  function findProvider(providerId: string): MailProvider {
    const provider = mailProviders.find(({ id }) => id === providerId);
    if (provider !== undefined) return provider;
    throw new ProviderError('refused', 'This installation offers no sign-in at that provider.');
  }

  /** The account that signs in again. Its servers get the tokens, so it must have signed in at this provider before. */
  async function accountAgain(ownerId: string, accountId: number, provider: MailProvider): Promise<Account> {
    const account = await findAccount(storage, ownerId, accountId);
    if (account === undefined || account.grant === null) throw notFound('account');
    const { providerId } = openGrant(keyring, ownerId, accountId, account.grant.sealed);
    if (providerId !== provider.id) throw notFound('account');
    return account;
  }

  async function emailOf(ownerId: string, purpose: SignInPurpose, provider: MailProvider): Promise<string> {
    if (purpose.kind === 'again') return (await accountAgain(ownerId, purpose.accountId, provider)).email;
    if ((await storage.owner(ownerId)) === undefined) throw notFound('owner');
    return purpose.email;
  }

  async function save(
    ownerId: string,
    provider: MailProvider,
    purpose: SignInPurpose,
    granted: ProviderGrant,
  ): Promise<FinishedSignIn> {
    const email = await emailOf(ownerId, purpose, provider);
    checkMailbox(provider, email, granted.addresses);
    const { refreshToken } = granted;
    if (refreshToken === undefined) {
      const text = `${provider.name} gave no lasting permission. Its operator must check the client's settings there.`;
      throw new ProviderError('refused', text);
    }
    const grant = grantOf(provider.id, granted, refreshToken, clock.now());
    if (purpose.kind === 'again') {
      const account = await accountAgain(ownerId, purpose.accountId, provider);
      await accounts.replaceGrant(account, openSettings(keyring, account), grant);
      return { kind: 'again', accountId: account.accountId };
    }
    const { kind, ...fields } = purpose;
    const settings = provider.settingsFor(email);
    const { accountId } = await accounts.connect({ ownerId, ...fields, settings, grant });
    return { kind, accountId };
  }

  return {
    providers: () =>
      mailProviders.map(({ id, name, domains, offersDevice }) => ({ id, name, domains, offersDevice })),

    stateOf({ ownerId, accountId, grant }) {
      if (grant === null) return undefined;
      const providerId = providerIdIn(() => openGrant(keyring, ownerId, accountId, grant.sealed));
      if (providerId === undefined) return undefined;
      const name = mailProviders.find(({ id }) => id === providerId)?.name ?? providerId;
      return { providerId, name, isWithdrawn: grant.withdrawnAt !== null };
    },

    async begin({ ownerId, sessionId, providerId, redirectUri, purpose }) {
      const provider = findProvider(providerId);
      const email = await emailOf(ownerId, purpose, provider);
      const state = secretText(random(SECRET_BYTES));
      const codeVerifier = secretText(random(SECRET_BYTES));
      const url = await provider.authorizationUrl({ redirectUri, state, codeVerifier, email });
      const pending: z.infer<typeof pendingSignIn> = {
        sessionId,
        providerId,
        redirectUri,
        codeVerifier,
        purpose,
      };
      const now = clock.now();
      await storage.addPendingGrant({
        ownerId,
        pending: {
          stateHash: hashOf(state),
          sealed: keyring.seal(STORED.pendingGrant, ownerId, JSON.stringify(pending)),
          expiresAt: new Date(now.getTime() + PENDING_MS),
        },
        now,
      });
      return url;
    },

    async takeAnswer({ ownerId, sessionId, providerId, parameters }) {
      const provider = findProvider(providerId);
      const [state, second] = parameters.getAll('state');
      if (state === undefined || second !== undefined) throw invalidSignIn();
      const found = await storage.takePendingGrant({ ownerId, stateHash: hashOf(state), now: clock.now() });
      if (found === undefined) throw invalidSignIn();
      const opened: unknown = JSON.parse(keyring.open(STORED.pendingGrant, ownerId, found.sealed));
      const pending = pendingSignIn.parse(opened);
      // The redirect address has the provider's id: a code of one provider is never sent to another.
      if (pending.sessionId !== sessionId || pending.providerId !== providerId) throw invalidSignIn();
      const { redirectUri, codeVerifier, purpose } = pending;
      return {
        purpose,
        async finish() {
          const granted = await provider.redeem({ redirectUri, parameters, state, codeVerifier });
          return save(ownerId, provider, purpose, granted);
        },
      };
    },

    async beginDevice({ ownerId, providerId, purpose }) {
      const provider = findProvider(providerId);
      await emailOf(ownerId, purpose, provider);
      const device = await provider.startDevice();
      const { userCode, verificationUri } = device;
      return {
        userCode,
        verificationUri,
        finish: async () => save(ownerId, provider, purpose, await grantOfDevice(provider, device, clock)),
      };
    },
  };
}

/** Undefined: the grant was sealed with a secret key that is gone. */
function providerIdIn(open: () => { readonly providerId: string }): string | undefined {
  try {
    return open().providerId;
  } catch {
    return undefined;
  }
}

/** RFC 8628, 3.5. */
const SLOW_DOWN_S = 5;

async function grantOfDevice(
  provider: MailProvider,
  { deviceCode, expiresInS, intervalS }: DeviceSignIn,
  clock: Clock,
): Promise<ProviderGrant> {
  const endMs = clock.now().getTime() + expiresInS * 1000;
  let pauseS = intervalS;
  while (clock.now().getTime() < endMs) {
    await new Promise<void>((resolve) => clock.after(pauseS * 1000, resolve));
    try {
      const answer = await provider.pollDevice(deviceCode);
      if (typeof answer === 'object') return answer;
      if (answer === 'slow_down') pauseS += SLOW_DOWN_S;
    } catch (error) {
      if (!(error instanceof ProviderError) || error.code !== 'unavailable') throw error;
    }
  }
  throw new ProviderError('invalid_sign_in', 'The sign-in took too long. Begin again.');
}

/** @throws ProviderError `other_mailbox`. A provider that reports no address leaves the check to its mail servers. */
function checkMailbox({ name }: MailProvider, email: string, addresses: readonly string[]): void {
  if (addresses.length === 0 || addresses.includes(email.toLowerCase())) return;
  const [shown = ''] = addresses;
  const text = `You signed in at ${name} as ${shown.replace(UNSEEN, spelled)}, and not as ${email}. Sign in with the mailbox that you want to connect.`;
  throw new ProviderError('other_mailbox', text);
}

function invalidSignIn(): ProviderError {
  const text =
    'This sign-in was finished before, took too long, or was begun in another session. Begin again.';
  return new ProviderError('invalid_sign_in', text);
}

function hashOf(state: string): string {
  return createHash('sha256').update(state, 'utf8').digest('hex');
}

function secretText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
