import * as oauth from 'oauth4webapi';
import * as z from 'zod';
import { checkOptions, type OptionTypes } from '../../core/contract/options.ts';
import { type MailProvider, ProviderError, type ProviderGrant } from '../../core/ports/mail-provider.ts';
import { isLoopback } from '../remote/mail-server.ts';
import { providerFailure } from './failure.ts';
import { limitedFetch } from './limited-fetch.ts';

/** A server of the provider's mailboxes. */
export interface ProviderServer {
  readonly host: string;
  /** Default: 993 for IMAP, 465 for SMTP; with `starttls` 143 and 587. */
  readonly port?: number;
  /** Default: `tls`. */
  readonly security?: 'tls' | 'starttls';
  /** The only accepted certificate: its SHA-256 in hex. Default: the certificate must verify. */
  readonly tlsFingerprint?: string;
}

/** The provider's endpoints, for a provider that does not publish them. */
export interface ProviderEndpoints {
  readonly authorization: string;
  readonly token: string;
  readonly deviceAuthorization?: string;
}

export interface ProviderOptions {
  /** Lower-case letters, digits and hyphens. It stays the same, because accounts refer to it. */
  readonly id: string;
  /** For people, to follow `Sign in with`. */
  readonly name: string;
  /** Its issuer, such as `https://id.example.org`. Its endpoints are found there, unless `endpoints` names them. */
  readonly issuer: string;
  readonly endpoints?: ProviderEndpoints;
  /** The issuers of its ID tokens, if each tenant has its own. Default: only `issuer`. */
  readonly tokenIssuers?: RegExp;
  /** Your client at the provider. */
  readonly clientId: string;
  /** Default: a public client, which has none. */
  readonly clientSecret?: string;
  /** What mail (and the calendar) needs. The owner must grant all of it. */
  readonly scopes: readonly string[];
  /** What else is asked for. Default: `openid`, `email` and `offline_access`. */
  readonly otherScopes?: readonly string[];
  /** Further parameters of the page where the owner signs in. Default: `prompt=consent`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The claims of an ID token that contain the address of the mailbox. Default: `email`. */
  readonly addressClaims?: readonly string[];
  /** Whether a device code signs in to mail. Default: if `endpoints` has one for it. */
  readonly device?: boolean;
  readonly imap: ProviderServer;
  readonly smtp: ProviderServer;
  /** The CalDAV address. `{email}` stands for the mailbox's address. Default: there is no calendar. */
  readonly caldav?: string;
  /** Domains whose mailboxes are here. Owners of others choose the provider themselves. */
  readonly domains?: readonly string[];
}

const OPTIONS: OptionTypes<ProviderOptions> = {
  id: ['required', 'string'],
  name: ['required', 'string'],
  issuer: ['required', 'string'],
  endpoints: ['optional', 'object'],
  tokenIssuers: ['optional', 'object'],
  clientId: ['required', 'string'],
  clientSecret: ['optional', 'string'],
  scopes: ['required', 'object'],
  otherScopes: ['optional', 'object'],
  parameters: ['optional', 'object'],
  addressClaims: ['optional', 'object'],
  device: ['optional', 'boolean'],
  imap: ['required', 'object'],
  smtp: ['required', 'object'],
  caldav: ['optional', 'string'],
  domains: ['optional', 'object'],
};

/** Clocks differ: by how much an ID token may be too early or too late. */
const CLOCK_TOLERANCE_S = 300;
/** RFC 8628, 3.5. */
const USUAL_INTERVAL_S = 5;
/** `openid` and the like may be granted without being listed. */
const USUAL_SCOPES = ['openid', 'email', 'offline_access'];

/**
 * A mail provider where owners sign in by OAuth 2.0: authorization code with PKCE, refresh tokens, and the device code.
 * @throws Error naming the option that is wrong
 */
export function oauthProvider(options: ProviderOptions): MailProvider {
  checkOptions('oauthProvider', options, OPTIONS);
  const { id, name, endpoints, clientId, clientSecret, scopes, otherScopes = USUAL_SCOPES } = options;
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(id))
    throw new Error('oauthProvider: id must be 1 to 40 lower-case letters, digits and hyphens.');
  const { authorization, token, deviceAuthorization } = endpoints ?? {};
  if (![options.issuer, authorization, token, deviceAuthorization].every(isSafe))
    throw new Error('oauthProvider: the issuer and the endpoints must be addresses with https:.');
  const { addressClaims = ['email'], device = endpoints?.deviceAuthorization !== undefined } = options;
  const issuer = new URL(options.issuer);
  const scope = [...otherScopes, ...scopes].join(' ');
  const client: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE_S };
  const request = {
    [oauth.customFetch]: (url: string, init: oauth.CustomFetchOptions<string, BodyInit | null | undefined>) =>
      limitedFetch(url, init),
    [oauth.allowInsecureRequests]: issuer.protocol === 'http:',
  };
  let found: Promise<oauth.AuthorizationServer> | undefined;

  function server(): Promise<oauth.AuthorizationServer> {
    found ??= discover().catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  }

  async function discover(): Promise<oauth.AuthorizationServer> {
    if (endpoints !== undefined) {
      return {
        issuer: options.issuer,
        authorization_endpoint: endpoints.authorization,
        token_endpoint: endpoints.token,
        ...(endpoints.deviceAuthorization === undefined
          ? {}
          : { device_authorization_endpoint: endpoints.deviceAuthorization }),
      };
    }
    const response = await oauth.discoveryRequest(issuer, request);
    const as = await oauth.processDiscoveryResponse(issuer, response);
    const published = [
      as.authorization_endpoint,
      as.token_endpoint,
      as.device_authorization_endpoint,
      as.userinfo_endpoint,
    ];
    if (published.every(isSafe)) return as;
    throw new ProviderError('refused', `${name} publishes endpoints without https:.`);
  }

  function authentication(as: oauth.AuthorizationServer): oauth.ClientAuth {
    if (clientSecret === undefined) return oauth.None();
    const methods = as.token_endpoint_auth_methods_supported ?? ['client_secret_post'];
    return methods.includes('client_secret_post')
      ? oauth.ClientSecretPost(clientSecret)
      : oauth.ClientSecretBasic(clientSecret);
  }

  async function grantIn(
    as: oauth.AuthorizationServer,
    tokens: oauth.TokenEndpointResponse,
  ): Promise<ProviderGrant> {
    const granted = tokens.scope?.toLowerCase().split(' ');
    const missing = scopes.filter((one) => granted?.includes(one.toLowerCase()) === false);
    if (missing.length > 0) {
      const text = `${name} did not grant everything that mail needs. Sign in again, and allow all of it.`;
      throw new ProviderError('missing_scope', text);
    }
    return { ...tokensIn(tokens), addresses: await addressesOf(as, tokens) };
  }

  async function addressesOf(
    as: oauth.AuthorizationServer,
    tokens: oauth.TokenEndpointResponse,
  ): Promise<readonly string[]> {
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    const inToken = claims === undefined ? [] : addressesIn(claims);
    if (claims === undefined || inToken.length > 0 || as.userinfo_endpoint === undefined) return inToken;
    const response = await oauth.userInfoRequest(as, client, tokens.access_token, request);
    return addressesIn(await oauth.processUserInfoResponse(as, client, claims.sub, response));
  }

  function addressesIn(claims: Readonly<Record<string, unknown>>): readonly string[] {
    return addressClaims.flatMap((claim) => {
      const value = claims[claim];
      // Some providers write it as a text.
      const isUnproven = claim === 'email' && String(claims.email_verified) === 'false';
      return typeof value === 'string' && value.includes('@') && !isUnproven ? [value.toLowerCase()] : [];
    });
  }

  /** The server as the issuer of this answer's ID token, if that is one of its issuers. */
  async function issuerOf(
    as: oauth.AuthorizationServer,
    response: Response,
  ): Promise<oauth.AuthorizationServer> {
    if (options.tokenIssuers === undefined) return as;
    const issuer = claimedIssuer(await response.clone().text());
    return issuer !== undefined && options.tokenIssuers.test(issuer) ? { ...as, issuer } : as;
  }

  const translated = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw providerFailure(name, error);
    }
  };

  return {
    id,
    name,
    domains: (options.domains ?? []).map((domain) => domain.toLowerCase()),
    offersDevice: device,

    settingsFor(email) {
      const { imap, smtp, caldav } = options;
      const settingsOf = (server: ProviderServer, ports: { tls: number; starttls: number }) => {
        const { security = 'tls' } = server;
        return { port: ports[security], ...server, security, user: email, oauth: true };
      };
      return {
        imap: settingsOf(imap, { tls: 993, starttls: 143 }),
        smtp: settingsOf(smtp, { tls: 465, starttls: 587 }),
        ...(caldav === undefined
          ? {}
          : {
              caldav: {
                url: caldav.replaceAll('{email}', encodeURIComponent(email)),
                user: email,
                oauth: true,
              },
            }),
      };
    },

    authorizationUrl: ({ redirectUri, state, codeVerifier, email }) =>
      translated(async () => {
        const { authorization_endpoint: endpoint } = await server();
        if (endpoint === undefined) throw new ProviderError('refused', `${name} has no page to sign in at`);
        const url = new URL(endpoint);
        const parameters = {
          ...(options.parameters ?? { prompt: 'consent' }),
          client_id: clientId,
          response_type: 'code',
          redirect_uri: redirectUri,
          scope,
          state,
          code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          login_hint: email,
        };
        for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
        return url.href;
      }),

    redeem: ({ redirectUri, parameters, state, codeVerifier }) =>
      translated(async () => {
        const as = await server();
        const answer = oauth.validateAuthResponse(as, client, parameters, state);
        const auth = authentication(as);
        const response = await oauth.authorizationCodeGrantRequest(
          ...[as, client, auth, answer, redirectUri, codeVerifier, request],
        );
        const issuing = await issuerOf(as, response);
        const tokens = await oauth.processAuthorizationCodeResponse(issuing, client, response);
        return grantIn(as, tokens);
      }).catch((error: unknown) => {
        // Of a code, not of a grant.
        if (!(error instanceof ProviderError) || error.code !== 'withdrawn') throw error;
        const text = `${name} does not accept the end of this sign-in: it was used before, or took too long.`;
        throw new ProviderError('invalid_sign_in', text, { cause: error });
      }),

    refresh: (refreshToken) =>
      translated(async () => {
        const as = await server();
        const auth = authentication(as);
        const response = await oauth.refreshTokenGrantRequest(as, client, auth, refreshToken, request);
        const issuing = await issuerOf(as, response);
        return tokensIn(await oauth.processRefreshTokenResponse(issuing, client, response));
      }),

    startDevice: () =>
      translated(async () => {
        const as = await server();
        const response = await oauth.deviceAuthorizationRequest(
          ...[as, client, authentication(as), { scope }, request],
        );
        const started = await oauth.processDeviceAuthorizationResponse(as, client, response);
        return {
          deviceCode: started.device_code,
          userCode: started.user_code,
          verificationUri: started.verification_uri,
          expiresInS: started.expires_in,
          intervalS: Math.max(1, started.interval ?? USUAL_INTERVAL_S),
        };
      }),

    pollDevice: (deviceCode) =>
      translated(async () => {
        const as = await server();
        const auth = authentication(as);
        const response = await oauth.deviceCodeGrantRequest(as, client, auth, deviceCode, request);
        try {
          const issuing = await issuerOf(as, response);
          return await grantIn(as, await oauth.processDeviceCodeResponse(issuing, client, response));
        } catch (error) {
          if (!(error instanceof oauth.ResponseBodyError)) throw error;
          if (error.error === 'authorization_pending') return 'pending';
          if (error.error === 'slow_down') return 'slow_down';
          throw error;
        }
      }),

    async close() {},
  };
}

const withIdToken = z.object({ id_token: z.string() });
const withIssuer = z.object({ iss: z.string() });

/** The issuer that an ID token names. Undefined: there is none, and the library says what is wrong with the answer. */
function claimedIssuer(body: string): string | undefined {
  try {
    const [, payload = ''] = withIdToken.parse(JSON.parse(body)).id_token.split('.');
    return withIssuer.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))).iss;
  } catch {
    return undefined;
  }
}

/** @throws ProviderError if a token could not be sent in a header */
function tokensIn(tokens: oauth.TokenEndpointResponse) {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresInS } = tokens;
  for (const token of [accessToken, refreshToken ?? 'none']) {
    if (!/^[\x21-\x7e]{1,16000}$/.test(token))
      throw new ProviderError('unavailable', 'the provider sent a token that cannot be used');
  }
  return { accessToken, refreshToken, expiresInS };
}

/** Whether secrets may be sent there. */
function isSafe(address: string | undefined): boolean {
  if (address === undefined) return true;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return (
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, '')))
  );
}
