import { notFound } from '../contract/not-found.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { credentialId as newCredentialId } from '../secrets/record-ids.ts';
import { HOUR_MS } from '../time/durations.ts';
import { changedModes, fencedAccounts, lifetimeMs, modesOfPreset } from './chosen-permissions.ts';
import { createClientDocuments } from './client-documents.ts';
import { newAccessToken, secretHash } from './credential.ts';
import { NO_FENCES } from './fences.ts';
import type { Credential } from './live-key.ts';
import { GROUPS, type Group, type Modes, type Preset } from './permissions.ts';
import {
  type Client,
  isDocumentUrl,
  type Registration,
  registerClient,
  registeredClient,
} from './sign-in/client.ts';
import { redeemable, sealCode } from './sign-in/code.ts';
import { newRefreshToken, openRefreshToken } from './sign-in/refresh-token.ts';
import { openRefreshed, type RefreshedTokens, sealRefreshed } from './sign-in/refreshed-tokens.ts';
import { type Refusal, readParameters, refused } from './sign-in/refusal.ts';
import {
  answerUri,
  checkRequest,
  isResource,
  openRequest,
  resourceOf,
  type SignInRequest,
  sealRequest,
  signInName,
} from './sign-in/request.ts';

/**
 * The sign-ins of assistants: OAuth 2.1 with PKCE, for public clients. A sign-in is a credential of kind `oauth`; `Keys`
 * lists, changes and revokes it like a key.
 */
export interface SignIns {
  /** Whether a client may publish its document instead of registering. False without the port `documentSource`. */
  readonly fetchesDocuments: boolean;
  /**
   * Issues an id for a client. Stores nothing.
   * @param metadata  the client's JSON
   */
  register(metadata: unknown): Registration | Refusal;
  /**
   * Checks an authorization request. Fetches the client's document if its id is a URL.
   * @param issuer  the address of the authorization server, as the client knows it
   * @param address  the caller's
   * @returns `page`: the path of the owner's page on the dashboard
   */
  authorize(
    parameters: URLSearchParams,
    issuer: string,
    address: string,
  ): Promise<{ readonly kind: 'page'; readonly page: string } | Refusal>;
  /** Returns the request of the owner's page. Undefined: it was not checked here, or too long ago. */
  find(request: string): SignInRequest | undefined;
  /**
   * Lets the client in as the owner chose.
   * @param consent  `days`: 1 to 180; `modes`: changes to the preset; `accounts`: the only ones that it may use; default: all
   * @returns the address to which the owner's browser goes; undefined if there is no such request, as for `find`
   * @throws ServiceError not_found (the owner), invalid_arguments
   */
  allow(consent: {
    ownerId: string;
    request: string;
    preset: Preset;
    modes?: Partial<Modes>;
    accounts?: readonly number[] | null;
    days: number;
  }): Promise<{ readonly goTo: string } | undefined>;
  /** Returns the address to which the owner's browser goes. Undefined: as for `find`. */
  deny(request: string): { readonly goTo: string } | undefined;
  /** Redeems a code or a refresh token. @param issuer as above */
  issueTokens(parameters: URLSearchParams, issuer: string): Promise<IssuedTokens | Refusal>;
  /** Revokes the sign-in with this access token or refresh token. Does nothing if there is none. */
  revoke(token: string): Promise<void>;
}

export interface IssuedTokens {
  readonly kind: 'issued';
  readonly accessToken: string;
  /** Until the access token ends. */
  readonly expiresInS: number;
  readonly refreshToken: string;
  /** The groups that are on. */
  readonly scope: readonly Group[];
}

/** How long a stolen access token is of use. */
export const ACCESS_TOKEN_MS = HOUR_MS;

export function createSignIns({ storage, clock, random, documentSource }: Ports, keyring: Keyring): SignIns {
  const documentOf = createClientDocuments(documentSource, clock);

  async function clientOf(clientId: string, address: string): Promise<Client | Refusal> {
    if (isDocumentUrl(clientId)) return documentOf(clientId, address);
    const client = registeredClient(clientId, keyring);
    return client ?? refused('invalid_client', 'client_id is unknown here: register the client again.');
  }

  const find = (request: string) => openRequest(request, keyring, clock.now());

  /** Creates the next two tokens of a sign-in. Storage keeps their hashes. */
  function nextTokens(of: { ownerId: string; credentialId: string; clientHash: string }, now: Date) {
    const accessToken = newAccessToken(random);
    const refreshToken = newRefreshToken(of, keyring);
    const accessEndsMs = now.getTime() + ACCESS_TOKEN_MS;
    return {
      texts: { accessToken, refreshToken, accessEndsMs },
      tokens: {
        accessHash: secretHash(accessToken),
        accessExpiresAt: new Date(accessEndsMs),
        refreshHash: secretHash(refreshToken),
      },
    };
  }

  function issued(
    { accessToken, refreshToken, accessEndsMs }: RefreshedTokens,
    { expiresAt, modes }: Credential,
    now: Date,
  ): IssuedTokens {
    const leftMs = Math.min(accessEndsMs, expiresAt.getTime()) - now.getTime();
    const expiresInS = Math.floor(leftMs / 1000);
    return { kind: 'issued', accessToken, refreshToken, expiresInS, scope: groupsThatAreOn(modes) };
  }

  async function redeem(parameters: ReadonlyMap<string, string>): Promise<IssuedTokens | Refusal> {
    const now = clock.now();
    const found = redeemable(parameters, keyring, now);
    if (found.kind === 'refused') return found;
    const { ownerId, credentialId, clientHash, name, modes, accounts, endsMs } = found.consent;
    const { texts, tokens } = nextTokens({ ownerId, credentialId, clientHash }, now);
    const expiresAt = new Date(endsMs);
    const fences = { ...NO_FENCES, accounts };
    const signIn = { ownerId, credentialId, name, modes, fences, expiresAt, tokens, signer: keyring, now };
    const added = await storage.addSignIn(signIn);
    if (added === undefined) {
      return refused('invalid_grant', 'The code was used before, so its sign-in is withdrawn.');
    }
    return issued(texts, added, now);
  }

  async function refresh(parameters: ReadonlyMap<string, string>): Promise<IssuedTokens | Refusal> {
    const now = clock.now();
    const refreshToken = parameters.get('refresh_token') ?? '';
    const opened = openRefreshToken(refreshToken, keyring);
    if (opened === undefined || secretHash(parameters.get('client_id') ?? '') !== opened.clientHash) {
      return refused('invalid_grant', 'The refresh token is unknown, or belongs to another client_id.');
    }
    const { ownerId, credentialId } = opened;
    const { texts, tokens } = nextTokens(opened, now);
    const used = { ownerId, credentialId, refreshHash: secretHash(refreshToken) };
    const sealedTokens = sealRefreshed(texts, used, keyring);
    const end = await storage.refreshSignIn({ ...used, tokens, sealedTokens, signer: keyring, now });
    switch (end.kind) {
      case 'refreshed':
        return issued(texts, end.credential, now);
      case 'repeated':
        return issued(openRefreshed(end.sealedTokens, used, keyring), end.credential, now);
      case 'reused':
        return refused('invalid_grant', 'The refresh token was used before, so its sign-in is withdrawn.');
      case 'ended':
        return refused('invalid_grant', 'The sign-in has ended: ask the owner again.');
    }
  }

  return {
    fetchesDocuments: documentSource !== undefined,
    register: (metadata) => registerClient(metadata, keyring, clock.now()),

    async authorize(given, issuer, address) {
      const parameters = readParameters(given);
      if ('kind' in parameters) return parameters;
      const client = await clientOf(parameters.get('client_id') ?? '', address);
      if ('kind' in client) return client;
      const checked = checkRequest(parameters, client, issuer, clock.now());
      if (checked.kind === 'refused') return checked;
      return { kind: 'page', page: `/integrations/sign-in/${sealRequest(checked.request, keyring)}` };
    },

    find,

    async allow({ ownerId, request, preset, modes = {}, accounts = null, days }) {
      const asked = find(request);
      if (asked === undefined) return undefined;
      const lastsMs = lifetimeMs(days);
      const chosen = changedModes(modesOfPreset(preset), modes);
      if ((await storage.owner(ownerId)) === undefined) throw notFound('owner');
      const nowMs = clock.now().getTime();
      const consent = {
        ownerId,
        credentialId: newCredentialId(random),
        clientHash: asked.clientHash,
        redirectHash: secretHash(asked.redirectUri),
        challenge: asked.challenge,
        name: signInName(asked),
        modes: chosen,
        accounts: await fencedAccounts(storage, ownerId, accounts),
        endsMs: nowMs + lastsMs,
        issuedMs: nowMs,
      };
      return { goTo: answerUri(asked, { code: sealCode(consent, keyring) }) };
    },

    deny(request) {
      const asked = find(request);
      return asked && { goTo: answerUri(asked, { error: 'access_denied' }) };
    },

    async issueTokens(given, issuer) {
      const parameters = readParameters(given);
      if ('kind' in parameters) return parameters;
      if (!isResource(parameters.get('resource'), issuer)) {
        return refused('invalid_target', `resource must be ${resourceOf(issuer)}.`);
      }
      switch (parameters.get('grant_type')) {
        case 'authorization_code':
          return redeem(parameters);
        case 'refresh_token':
          return refresh(parameters);
        default:
          return refused('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
      }
    },

    async revoke(token) {
      await storage.revokeBySecret({ secretHash: secretHash(token), signer: keyring, now: clock.now() });
    },
  };
}

function groupsThatAreOn(modes: Modes) {
  return GROUPS.filter((group) => modes[group] !== 'off');
}
