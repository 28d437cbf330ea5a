import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import type { LimitOverrides } from '../../../core/keys/limits.ts';
import type { Modes, Preset } from '../../../core/keys/permissions.ts';
import type { DocumentSource } from '../../../core/ports/document-source.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import type { Service } from '../../../core/service/service.ts';
import { nodeHandler } from '../../../hosts/node/node-handler.ts';
import { openTestService, type TestClock, type TestService } from '../../open-service.ts';

export const OWNER = { email: 'owner@example.org', password: 'correct horse battery' };

/** The host where assistants sign in, and the dashboard beside it, on the sandbox. */
export interface SignInHost extends TestService {
  readonly mcpUrl: string;
  readonly apiUrl: string;
  readonly dashboardUrl: string;
  close(): Promise<void>;
}

interface SignInHostOptions {
  readonly documentSource?: DocumentSource;
  readonly mcpUrl?: string;
  readonly limits?: LimitOverrides;
  readonly mail?: Mail;
  readonly clock?: TestClock;
  /** What stands between the doors for tools and the service. */
  readonly between?: (service: Service) => Service;
}

export async function openSignInHost({
  between = (service) => service,
  ...given
}: SignInHostOptions = {}): Promise<SignInHost> {
  let [answerSignIn, answerPages, answerCalls]: RequestListener[] = [() => {}, () => {}, () => {}];
  const signIn = await listening((req, res) => answerSignIn?.(req, res));
  const pages = await listening((req, res) => answerPages?.(req, res));
  const api = await listening((req, res) => answerCalls?.(req, res));
  const { mcpUrl = signIn.url, ...others } = given;
  const opened = await openTestService({
    email: OWNER.email,
    mcpUrl,
    baseUrl: api.url,
    dashboardUrl: pages.url,
    ...others,
  });
  const { service } = opened;
  answerSignIn = nodeHandler(between(service), { doors: ['sign-in'], trustedProxies: ['127.0.0.1'] });
  answerPages = nodeHandler(service, { doors: ['dashboard'] });
  answerCalls = nodeHandler(between(service), { doors: ['rest', 'mcp'] });
  return {
    ...opened,
    mcpUrl: signIn.url,
    apiUrl: api.url,
    dashboardUrl: pages.url,
    async close() {
      for (const { server } of [signIn, pages, api]) {
        server.closeAllConnections();
        server.close();
      }
      await service.stop();
    },
  };
}

async function listening(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** What signs in without a browser needs of a host. */
type SignInAt = Pick<SignInHost, 'mcpUrl' | 'ownerId' | 'service'>;

let callers = 0;

/** A different caller for each request, so that the budget of an address ends no test. */
export function caller(): Record<string, string> {
  callers += 1;
  return { 'x-forwarded-for': `198.51.${Math.floor(callers / 256)}.${callers % 256}` };
}

export const REDIRECT = 'https://assistant.example/callback';
export const VERIFIER = 'a'.repeat(43);

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

const registration = z.object({ client_id: z.string() });

/** Registers a client. @returns its client_id */
export async function register(host: SignInAt, redirectUri = REDIRECT): Promise<string> {
  const answer = await fetch(`${host.mcpUrl}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...caller() },
    body: JSON.stringify({ client_name: 'Assistant', redirect_uris: [redirectUri] }),
  });
  return registration.parse(await answer.json()).client_id;
}

export type Changes = Readonly<Record<string, string | undefined>>;

function withChanges(parameters: Record<string, string>, changes: Changes): URLSearchParams {
  return new URLSearchParams(
    Object.entries({ ...parameters, ...changes }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** Requests an authorization, as a browser does. Undefined in `changes` leaves a parameter out. */
export function authorize(host: SignInAt, clientId: string, changes: Changes = {}): Promise<Response> {
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: challengeOf(VERIFIER),
    code_challenge_method: 'S256',
    resource: `${host.mcpUrl}/mcp`,
    state: 'of the client',
  };
  return fetch(`${host.mcpUrl}/authorize?${withChanges(parameters, changes).toString()}`, {
    redirect: 'manual',
    headers: caller(),
  });
}

/** What the owner chooses on the page. */
interface Chosen {
  readonly preset?: Preset;
  readonly modes?: Partial<Modes>;
  readonly days?: number;
}

/** Returns the request in the address of the owner's page, to which an authorization redirects. */
export function requestIn(answer: Response): string {
  return /\/integrations\/sign-in\/(.*)$/.exec(answer.headers.get('location') ?? '')?.[1] ?? '';
}

/** Requests an authorization and lets the assistant in. @returns the code */
export async function codeFor(
  host: SignInAt,
  clientId: string,
  { preset = 'read', modes = {}, days = 30 }: Chosen = {},
  changes: Changes = {},
): Promise<string> {
  const answer = await authorize(host, clientId, changes);
  const request = requestIn(answer);
  const allowed = await host.service.signIns.allow({ ownerId: host.ownerId, request, preset, modes, days });
  return new URL(allowed?.goTo ?? 'none:').searchParams.get('code') ?? 'none';
}

export const tokens = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.number(),
  refresh_token: z.string(),
  scope: z.string(),
});

/** Posts to the token endpoint. */
export function postToken(
  host: SignInAt,
  form: Changes,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${host.mcpUrl}/token`, {
    method: 'POST',
    headers: { ...caller(), ...headers },
    body: withChanges({}, form),
  });
}

export function redeem(
  host: SignInAt,
  clientId: string,
  code: string,
  changes: Changes = {},
): Promise<Response> {
  return postToken(host, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    resource: `${host.mcpUrl}/mcp`,
    ...changes,
  });
}

export function refresh(
  host: SignInAt,
  clientId: string,
  refreshToken: string,
  changes: Changes = {},
): Promise<Response> {
  return postToken(host, {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: refreshToken,
    ...changes,
  });
}

/** A whole sign-in without a browser. */
export async function signedIn(
  host: SignInAt,
  consent: Chosen = {},
): Promise<z.infer<typeof tokens> & { clientId: string }> {
  const clientId = await register(host);
  const answer = await redeem(host, clientId, await codeFor(host, clientId, consent));
  return { ...tokens.parse(await answer.json()), clientId };
}

/** Lists the tools at the sign-in host. @returns the response */
export function listTools(host: SignInHost, token: string | undefined, headers: Record<string, string> = {}) {
  return fetch(`${host.mcpUrl}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...caller(),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: randomBytes(4).readUInt32BE(), method: 'tools/list' }),
  });
}
