import * as z from 'zod';
import type { Keyring } from '../../secrets/keyring.ts';
import { MINUTE_MS } from '../../time/durations.ts';
import type { Client } from './client.ts';
import { isChallenge } from './pkce.ts';
import { isRegistered, receivingHost, withParameters } from './redirect-uri.ts';
import { type Refusal, refused } from './refusal.ts';
import { hashText, instantMs, sealed } from './sealed.ts';

/** A checked authorization request, on its way through the browser to the owner's page. */
export interface SignInRequest {
  readonly clientHash: string;
  /** What the client calls itself. */
  readonly clientName: string;
  /** The host that published the client's document; null if the client registered itself. */
  readonly documentHost: string | null;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly state: string | null;
  /** The address of this authorization server as the client knows it. */
  readonly issuer: string;
  readonly issuedMs: number;
}

const STATE_CHARS_MAX = 1000;
/** Long enough to find the password. */
const REQUEST_MS = 30 * MINUTE_MS;

const format = sealed(
  'sign-in request',
  '',
  z.strictObject({
    clientHash: hashText,
    clientName: z.string(),
    documentHost: z.string().nullable(),
    redirectUri: z.string(),
    challenge: z.string(),
    state: z.string().nullable(),
    issuer: z.string(),
    issuedMs: instantMs,
  }),
);

/**
 * Checks an authorization request of a known client. Sources: RFC 6749, 4.1.1; RFC 7636, 4.3; RFC 8707, 2.
 * @param issuer  as the client knows it
 */
export function checkRequest(
  parameters: ReadonlyMap<string, string>,
  client: Client,
  issuer: string,
  now: Date,
): { readonly kind: 'checked'; readonly request: SignInRequest } | Refusal {
  const redirectUri = parameters.get('redirect_uri');
  if (redirectUri === undefined || !isRegistered(redirectUri, client.redirectUris)) {
    return refused('invalid_request', 'redirect_uri is not one of the addresses of this client.');
  }
  if (parameters.get('response_type') !== 'code') {
    return refused('unsupported_response_type', 'response_type must be code.');
  }
  const challenge = parameters.get('code_challenge') ?? '';
  if (parameters.get('code_challenge_method') !== 'S256' || !isChallenge(challenge)) {
    return refused('invalid_request', 'code_challenge is required, with code_challenge_method S256.');
  }
  if (!isResource(parameters.get('resource'), issuer)) {
    return refused('invalid_target', `resource must be ${resourceOf(issuer)}.`);
  }
  const state = parameters.get('state') ?? null;
  if (state !== null && state.length > STATE_CHARS_MAX) {
    return refused('invalid_request', `state has at most ${STATE_CHARS_MAX} characters.`);
  }
  const { idHash: clientHash, name: clientName, documentHost } = client;
  const asked = { redirectUri, challenge, state, issuer, issuedMs: now.getTime() };
  return { kind: 'checked', request: { clientHash, clientName, documentHost, ...asked } };
}

export function sealRequest(request: SignInRequest, keyring: Keyring): string {
  return format.seal(keyring, request);
}

/** Undefined: it was not checked here, or too long ago. */
export function openRequest(text: string, keyring: Keyring, now: Date): SignInRequest | undefined {
  const request = format.open(keyring, text);
  return request !== undefined && isRecent(request.issuedMs, REQUEST_MS, now) ? request : undefined;
}

/** Whether less than `ms` have passed. A time in the future counts as too old: the clock was set back. */
export function isRecent(issuedMs: number, ms: number, now: Date): boolean {
  const agoMs = now.getTime() - issuedMs;
  return agoMs >= 0 && agoMs < ms;
}

/** Returns the only resource that tokens are for. */
export function resourceOf(issuer: string): string {
  return `${issuer}/mcp`;
}

/** Whether the client asks for this server. Undefined: an older client, which names none. */
export function isResource(given: string | undefined, issuer: string): boolean {
  if (given === undefined) return true;
  if (!URL.canParse(given)) return false;
  return new URL(given).href.replace(/\/$/, '') === new URL(resourceOf(issuer)).href;
}

/**
 * Returns the host that certainly gets the access: the one that vouches for the client, or the one that receives the
 * code. Undefined: a program on the computer of the browser, and any program there can claim to be another.
 */
function certainHost({ documentHost, redirectUri }: SignInRequest): string | undefined {
  const receiver = receivingHost(redirectUri);
  return receiver === undefined ? undefined : (documentHost ?? receiver);
}

/** Returns the name of the sign-in on the owner's pages: first what is certain, then what the client says. */
export function signInName(request: SignInRequest): string {
  return `${certainHost(request) ?? 'A program on your computer'} (“${request.clientName}”)`;
}

/** Returns the address that carries the owner's answer to the client, with the issuer (RFC 9207). */
export function answerUri(
  { redirectUri, state, issuer }: SignInRequest,
  answer: { readonly code: string } | { readonly error: 'access_denied' },
): string {
  return withParameters(redirectUri, { ...answer, ...(state === null ? {} : { state }), iss: issuer });
}
