import { oauthProvider } from '../../../adapters/oauth/providers.ts';
import type { MailProvider } from '../../../core/ports/mail-provider.ts';

/** The provider of tests, as an operator describes it. */
export function ownProvider(client: {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}): MailProvider {
  const { issuer, clientId, clientSecret } = client;
  const servers = { imap: { host: 'imap.example.test' }, smtp: { host: 'smtp.example.test' } };
  return oauthProvider({
    ...{ id: 'own', name: 'Own', issuer, clientId, clientSecret, scopes: ['mail'] },
    ...servers,
  });
}
