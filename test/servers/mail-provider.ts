import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { addressOf } from './mail-users.ts';

/** A mail provider that people sign in at: a real OpenID provider (oidc-provider) on the loopback interface. */
export interface MailProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Answers `{"username"}` for a live token with the scope `mail`. Dovecot asks it. The token follows the address. */
  readonly tokenInfoUrl: string;
  /** The requests to the token endpoint: their form fields. */
  readonly tokenRequests: URLSearchParams[];
  /** Answers requests to the token endpoint in the provider's place until it is called without a function. */
  answerTokenRequests(answer?: (response: ServerResponse) => void): void;
  /** A new grant of a user, as if the user had signed in. @param user  as in mail-users.ts */
  grant(
    user: string,
    options?: { scope?: string },
  ): Promise<{ readonly accessToken: string; readonly refreshToken: string }>;
  /** Ends an access token before its time. */
  endAccessToken(token: string): Promise<void>;
  /** Withdraws every grant of a user. */
  withdraw(user: string): Promise<void>;
  stop(): Promise<void>;
}

const CLIENT = { client_id: 'countersign', client_secret: 'the operator chose this secret' };
const SCOPE = 'openid offline_access email mail';

/**
 * Starts the provider. A refresh token is good for one use: a second use withdraws the whole grant.
 * @param redirectPaths  of the client, on any port of 127.0.0.1
 */
export async function startMailProvider(
  redirectPaths: readonly string[] = ['/'],
  { accessTokenS = 3600 }: { readonly accessTokenS?: number } = {},
): Promise<MailProvider> {
  const tokenRequests: URLSearchParams[] = [];
  let answerInstead: ((response: ServerResponse) => void) | undefined;
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, configuration(redirectPaths, accessTokenS));
  const answerAsProvider = provider.callback();
  /** Of every access token, by user. */
  const grantIds = new Map<string, Set<string>>();
  provider.on('access_token.saved', ({ accountId, grantId }) => {
    grantIds.set(accountId, new Set([...(grantIds.get(accountId) ?? []), grantId]));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === '/token-info') {
      const token = await provider.AccessToken.find(url.searchParams.get('access_token') ?? '');
      const isForMail = token?.isValid === true && token.scope?.split(' ').includes('mail') === true;
      const username = isForMail ? token.accountId : undefined;
      response.writeHead(username === undefined ? 401 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(username === undefined ? {} : { username }));
      return;
    }
    if (url.pathname === '/token') {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString('utf8');
      tokenRequests.push(new URLSearchParams(body));
      if (answerInstead !== undefined) {
        answerInstead(response);
        return;
      }
      // The provider takes a body that was read before it.
      Object.assign(request, { body });
    }
    answerAsProvider(request, response);
  }

  return {
    issuer,
    clientId: CLIENT.client_id,
    clientSecret: CLIENT.client_secret,
    tokenInfoUrl: `${issuer}/token-info?access_token=`,
    tokenRequests,
    answerTokenRequests(instead) {
      answerInstead = instead;
    },
    async grant(user, { scope = SCOPE } = {}) {
      const accountId = addressOf(user);
      const client = await provider.Client.find(CLIENT.client_id);
      if (client === undefined) throw new Error('The provider has lost its client');
      const grant = new provider.Grant({ accountId, clientId: client.clientId });
      grant.addOIDCScope(scope);
      const grantId = await grant.save();
      const fields = { accountId, client, grantId, scope, gty: 'authorization_code' };
      return {
        accessToken: await new provider.AccessToken(fields).save(),
        refreshToken: await new provider.RefreshToken({
          ...fields,
          rotations: 0,
          iiat: Date.now() / 1000,
        }).save(),
      };
    },
    async endAccessToken(token) {
      await (await provider.AccessToken.find(token))?.destroy();
    },
    async withdraw(user) {
      for (const grantId of grantIds.get(addressOf(user)) ?? []) {
        await provider.AccessToken.revokeByGrantId(grantId);
        await provider.RefreshToken.revokeByGrantId(grantId);
        await (await provider.Grant.find(grantId))?.destroy();
      }
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function configuration(redirectPaths: readonly string[], accessTokenS: number) {
  return {
    clients: [
      {
        ...CLIENT,
        // A loopback address of a native program is good for any port.
        application_type: 'native',
        redirect_uris: redirectPaths.map((path) => `http://127.0.0.1${path}`),
        response_types: ['code'],
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      },
    ],
    scopes: SCOPE.split(' '),
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    cookies: { keys: ['only for tests'] },
    features: { devInteractions: { enabled: true }, deviceFlow: { enabled: true } },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, email: accountId, email_verified: true }),
    }),
    rotateRefreshToken: true,
    ttl: { AccessToken: accessTokenS, RefreshToken: 86_400, Grant: 86_400, IdToken: 3600, Session: 3600 },
  };
}
