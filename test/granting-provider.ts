import type { SignInPurpose } from '../core/accounts/mail-sign-ins.ts';
import type { MailProvider, ProviderGrant } from '../core/ports/mail-provider.ts';
import type { Service } from '../core/service/service.ts';

/** A provider of mailboxes that grants what the test says to everybody who comes back from it. */
export interface GrantingProvider extends MailProvider {
  /** What the next sign-in gets. */
  grants: ProviderGrant | Error;
  /** How often an answer was redeemed. */
  redeemed: number;
}

export function grantingProvider(id: string): GrantingProvider {
  const provider: GrantingProvider = {
    ...{ id, name: `${id} mail`, domains: [], offersDevice: false, redeemed: 0 },
    grants: {
      ...{ accessToken: `access at ${id}`, refreshToken: `refresh at ${id}` },
      ...{ expiresInS: 3600, addresses: [] },
    },
    settingsFor: (email) => ({ of: email, at: id }),
    authorizationUrl: async ({ state }) => `https://${id}.example.org/?state=${state}`,
    async redeem() {
      provider.redeemed += 1;
      return granted();
    },
    refresh: async () => granted(),
    startDevice: async () => {
      throw new Error('it offers no device codes');
    },
    pollDevice: async () => 'pending',
    close: async () => undefined,
  };
  const granted = () => {
    if (provider.grants instanceof Error) throw provider.grants;
    return provider.grants;
  };
  return provider;
}

/** Begins a sign-in. @returns what the provider sends back with the browser */
export async function answerOf(
  service: Service,
  request: { ownerId: string; sessionId?: string; providerId: string; purpose: SignInPurpose },
): Promise<URLSearchParams> {
  const redirectUri = `http://127.0.0.1:8788/accounts/sign-in/${request.providerId}/callback`;
  const url = await service.mailSignIns.begin({ sessionId: 'session', redirectUri, ...request });
  const state = new URL(url).searchParams.get('state') ?? '';
  return new URLSearchParams({ state, code: 'code' });
}
