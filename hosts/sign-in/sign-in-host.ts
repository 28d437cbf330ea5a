import { type Failure, failure } from '../../core/call/outcome.ts';
import type { OAuthError, Refusal } from '../../core/keys/sign-in/refusal.ts';
import type { Service } from '../../core/service/service.ts';
import { isEncoded } from '../http/body-rules.ts';
import { trustedProxies } from '../http/client-address.ts';
import { entryFailure } from '../http/entry-rules.ts';
import { ownAddress } from '../http/host-name.ts';
import { revokeLeakedKeys } from '../http/leaked-keys.ts';
import { publicBase } from '../http/public-base.ts';
import { codedBody, failureStatus, type Reply } from '../http/reply.ts';
import {
  type Answered,
  type AnswerRequest,
  type ApiOptions,
  type ApiRequest,
  type ApiService,
  answerFailure,
  completeReply,
  receiveRequest,
} from '../http/request.ts';
import {
  allowedMethods,
  answeredMethod,
  bearerToken,
  headerOf,
  isMcpPath,
  targetOf,
} from '../http/request-head.ts';
import { mcpEndpoint } from '../mcp/mcp-endpoint.ts';
import {
  challenge,
  RESOURCE_METADATA,
  resourceMetadata,
  SERVER_METADATA,
  serverMetadata,
} from './metadata.ts';

/** The part of the service that the sign-in host needs. */
export type SignInService = Pick<Service, 'signIns' | 'keys' | 'mcpUrl' | 'dashboardUrl'>;

const FORM_BYTES_MAX = 16 * 1024;

/** How a path is answered, for each method that it accepts. `issuer`: the address of this host as the caller knows it. */
type Route = Readonly<Record<string, (request: ApiRequest, issuer: string) => Reply | Promise<Reply>>>;

/**
 * The host where assistants sign in: `/mcp` for access tokens, and the OAuth 2.1 authorization server that issues them.
 * It never reads a cookie, and it never redirects a browser to an address that a client named: only the owner's page
 * does, after the owner has answered.
 * @throws Error if the service has no `mcpUrl`, or an option is wrong
 */
export function signInHost(service: SignInService, options: ApiOptions): AnswerRequest {
  const { signIns, mcpUrl } = service;
  if (mcpUrl === undefined) throw new Error('The sign-in host needs the option mcpUrl of createService.');
  const { calls } = signIns;
  const door: ApiService = { baseUrl: mcpUrl, setting: 'mcpUrl', calls, keys: service.keys };
  const mcp = mcpEndpoint(door, options);
  const isTrusted = trustedProxies(options.trustedProxies ?? []);

  const ofResource: Route = { GET: (_request, issuer) => json(200, resourceMetadata(issuer)) };
  const routes: Readonly<Record<string, Route>> = {
    [RESOURCE_METADATA]: ofResource,
    [`${RESOURCE_METADATA}/mcp`]: ofResource,
    [`${RESOURCE_METADATA}/mcp/`]: ofResource,
    [SERVER_METADATA]: {
      GET: (_request, issuer) => json(200, serverMetadata(issuer, signIns.fetchesDocuments)),
    },
    '/authorize': { GET: authorize },
    '/register': { POST: register },
    '/token': { POST: token },
    '/revoke': { POST: revoke },
  };

  return async (head, readBody, gone) => {
    const issuer = issuerAt(targetOf(head).authority, mcpUrl);
    if (isMcpPath(targetOf(head).path)) {
      const reply = await mcp(head, readBody, gone);
      if (reply?.status !== 401) return reply;
      const headers = { 'WWW-Authenticate': challenge(issuer, bearerToken(head) !== undefined) };
      return { ...reply, headers: { ...reply.headers, ...headers } };
    }
    const request = receiveRequest(head, readBody, gone, isTrusted);
    let answered: Answered;
    try {
      await revokeLeakedKeys(door, request.leakedKeys);
      answered = await answer(request, issuer);
    } catch (cause) {
      answered = await answerFailure(door, options, request, cause, refusal);
    }
    return completeReply(door, request, answered);
  };

  async function answer(request: ApiRequest, issuer: string): Promise<Answered> {
    const { head, address } = request;
    const admission = await calls.admitCaller({ token: undefined, address });
    if (admission.kind === 'admitted') throw new Error('a request without a token was admitted');
    const { rate } = admission;
    const wrong = entryFailure(request, door);
    if (wrong !== undefined) return { ...refusal(wrong), rate };
    const { path } = targetOf(head);
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (route === undefined) return { ...refusal(failure('not_found', { reason: 'route' })), rate };
    const method = answeredMethod(head);
    const act = Object.hasOwn(route, method) ? route[method] : undefined;
    if (act === undefined) {
      const reply = refusal(failure('method_not_allowed'));
      return { ...reply, headers: { ...reply.headers, Allow: allowedMethods(Object.keys(route)) }, rate };
    }
    if (admission.failure.code === 'rate_limited') return { ...refusal(admission.failure), rate };
    return { ...(await act(request, issuer)), rate };
  }

  /** For a browser, so a refusal is text for a person. */
  async function authorize({ head, address }: ApiRequest, issuer: string): Promise<Reply> {
    const found = await signIns.authorize(targetOf(head).query, issuer, address);
    if (found.kind === 'refused') {
      const text = `This sign-in cannot continue. Nothing was granted.\n\n${found.error}: ${found.description}\n`;
      return answerText(found.error === 'temporarily_unavailable' ? 503 : 400, text);
    }
    const dashboard = ownAddress(service.dashboardUrl) ?? service.dashboardUrl;
    return {
      status: 302,
      headers: { ...BROWSER_HEADERS, Location: `${dashboard}${found.page}` },
      body: '',
    };
  }

  async function register(request: ApiRequest): Promise<Reply> {
    const text = await bodyOf(request, 'application/json');
    if (typeof text !== 'string') return text;
    const registered = signIns.register(jsonOf(text));
    if (registered.kind === 'refused') return oauthRefusal(registered);
    return json(201, {
      client_id: registered.clientId,
      client_name: registered.name,
      redirect_uris: registered.redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  }

  async function token(request: ApiRequest, issuer: string): Promise<Reply> {
    const form = await formOf(request);
    if (!(form instanceof URLSearchParams)) return form;
    const end = await signIns.issueTokens(form, issuer);
    if (end.kind === 'refused') return oauthRefusal(end);
    return json(200, {
      access_token: end.accessToken,
      token_type: 'Bearer',
      expires_in: end.expiresInS,
      refresh_token: end.refreshToken,
      scope: end.scope.join(' '),
    });
  }

  /** Answers 200 for unknown tokens too (RFC 7009, 2.2). */
  async function revoke(request: ApiRequest): Promise<Reply> {
    const form = await formOf(request);
    if (!(form instanceof URLSearchParams)) return form;
    const [given, ...more] = form.getAll('token');
    if (given === undefined || more.length > 0) {
      return json(400, { error: 'invalid_request', error_description: 'One token is required.' });
    }
    await signIns.revoke(given);
    return json(200, {});
  }
}

const LOOPBACK_ALIAS = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/** The three names of the loopback host count as one, and a client compares the issuer with the name that it used. */
function issuerAt(authority: string | undefined, mcpUrl: string): string {
  const { protocol, host } = new URL(mcpUrl);
  const isAlias = LOOPBACK_ALIAS.test(host) && LOOPBACK_ALIAS.test(authority ?? '');
  const { origin } = new URL(isAlias ? `${protocol}//${authority}` : mcpUrl);
  return `${origin}${publicBase(mcpUrl).path('')}`;
}

/** The body, or the reply that refuses it. */
async function bodyOf({ head, readBody }: ApiRequest, type: string): Promise<string | Reply> {
  const length = headerOf(head, 'content-length');
  if (headerOf(head, 'transfer-encoding') !== undefined || length === undefined) {
    return refusal(failure('length_required'));
  }
  if (!/^\d+$/.test(length)) return refusal(failure('invalid_content_length'));
  if (Number(length) > FORM_BYTES_MAX)
    return refusal(failure('payload_too_large', { max_bytes: FORM_BYTES_MAX }));
  const [given = ''] = (headerOf(head, 'content-type') ?? '').split(';');
  const isReadable = given.trim().toLowerCase() === type && !isEncoded(head);
  if (!isReadable) return refusal(failure('unsupported_media_type'));
  return Buffer.from(await readBody()).toString('utf8');
}

/** The form of a public client, or the reply that refuses it: a client that sends a secret expects it to be checked. */
async function formOf(request: ApiRequest): Promise<URLSearchParams | Reply> {
  const text = await bodyOf(request, 'application/x-www-form-urlencoded');
  if (typeof text !== 'string') return text;
  const form = new URLSearchParams(text);
  const named = basicClientId(headerOf(request.head, 'authorization'));
  const isPublic =
    named !== undefined &&
    form.getAll('client_secret').every((secret) => secret === '') &&
    !form.has('client_assertion');
  if (!isPublic) {
    const description = 'Only public clients are known here: send client_id, and no secret.';
    return json(401, { error: 'invalid_client', error_description: description });
  }
  form.delete('client_secret');
  if (named !== '' && !form.getAll('client_id').includes(named)) form.append('client_id', named);
  return form;
}

/**
 * The client_id of a Basic Authorization header whose password is empty: programs that always send one mean no secret
 * (RFC 6749, 2.3.1). Empty: there is no header, or no name. Undefined: a secret, or another scheme.
 */
function basicClientId(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return '';
  const [, encoded] = /^basic +([a-z0-9+/]+={0,2}) *$/i.exec(authorization) ?? [];
  const [, id] = /^([^:]*):$/.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  // Both halves are form-encoded; what cannot be decoded is left as it is, and no client has such an id.
  return id && (new URLSearchParams(`id=${id.replaceAll('&', '%26')}`).get('id') ?? undefined);
}

const STATUS: Partial<Record<OAuthError, number>> = { invalid_client: 401, temporarily_unavailable: 503 };

function oauthRefusal({ error, description }: Refusal): Reply {
  return json(STATUS[error] ?? 400, { error, error_description: description });
}

function refusal(why: Failure): Reply {
  return { ...failureStatus(why), body: codedBody(why) };
}

function json(status: number, value: object): Reply {
  return { status, headers: {}, body: JSON.stringify(value) };
}

const BROWSER_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};

function answerText(status: number, body: string): Reply {
  return { status, headers: { ...BROWSER_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' }, body };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is not JSON fails validation.
    return undefined;
  }
}
