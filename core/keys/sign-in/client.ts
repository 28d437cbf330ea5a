import * as z from 'zod';
import { withoutNullFields } from '../../contract/result.ts';
import type { Keyring } from '../../secrets/keyring.ts';
import { oneLine } from '../../text/one-line.ts';
import { shortened } from '../../text/shortened.ts';
import { secretHash } from '../credential.ts';
import { isRedirectUri } from './redirect-uri.ts';
import { type Refusal, refused } from './refusal.ts';
import { instantMs, sealed } from './sealed.ts';

/**
 * The program that asks for a sign-in. Only public clients: none has a secret. Either it publishes a document at its
 * client_id (draft-ietf-oauth-client-id-metadata-document), or it registers itself (RFC 7591).
 */
export interface Client {
  /** SHA-256 of its client_id, hex. */
  readonly idHash: string;
  /** What it calls itself. Nobody has checked it. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The host that published the document. Null: the client registered itself, and nobody vouches for it. */
  readonly documentHost: string | null;
}

const NAME_CHARS = 60;
const DOCUMENT_URL_CHARS_MAX = 500;
const REDIRECT_URIS_MAX = 10;
/** Of all addresses together: they become part of the client_id, which travels in URLs. */
const REDIRECT_CHARS_MAX = 1500;

const metadata = z.looseObject({
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string()).min(1).max(REDIRECT_URIS_MAX),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});

const document = metadata.extend({
  client_id: z.string(),
  token_endpoint_auth_method: z.literal('none').optional(),
});

const registered = sealed(
  'sign-in client',
  'svc_client_',
  z.strictObject({ name: z.string(), redirectUris: z.array(z.string()).readonly(), issuedMs: instantMs }),
);

/** What the client registered, and the id that it gets. Nothing is stored: the id contains everything. */
export interface Registration {
  readonly kind: 'registered';
  readonly clientId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/** @param given the JSON of the request */
export function registerClient(given: unknown, keyring: Keyring, now: Date): Registration | Refusal {
  const parsed = metadata.safeParse(withoutNullFields(given));
  if (!parsed.success) return refused('invalid_client_metadata', metadataFault(parsed.error));
  const client = clientIn(parsed.data);
  if ('kind' in client) return client;
  return {
    kind: 'registered',
    clientId: registered.seal(keyring, { ...client, issuedMs: now.getTime() }),
    ...client,
  };
}

function metadataFault({ issues: [first] }: z.ZodError): string {
  const [field = ''] = first?.path ?? [];
  if (field === 'client_name') return 'client_name must be text.';
  if (field === 'grant_types' || field === 'response_types') return `${field} must be a list of texts.`;
  return `redirect_uris must be a list of 1 to ${REDIRECT_URIS_MAX} addresses.`;
}

/** Undefined: the id was not issued here. */
export function registeredClient(clientId: string, keyring: Keyring): Client | undefined {
  const client = registered.open(keyring, clientId);
  if (client === undefined) return undefined;
  const { name, redirectUris } = client;
  return { idHash: secretHash(clientId), name, redirectUris, documentHost: null };
}

/** Whether a client_id names a document: an https URL with a path, in its normal form, without user or fragment. */
export function isDocumentUrl(clientId: string): boolean {
  if (clientId.length > DOCUMENT_URL_CHARS_MAX || !URL.canParse(clientId)) return false;
  const { protocol, pathname, username, password, hash, href } = new URL(clientId);
  return (
    protocol === 'https:' &&
    pathname !== '/' &&
    username === '' &&
    password === '' &&
    hash === '' &&
    href === clientId
  );
}

/** @param clientId the URL that the document was fetched from */
export function documentedClient(clientId: string, body: Uint8Array): Client | Refusal {
  const parsed = document.safeParse(withoutNullFields(jsonOf(body)));
  if (!parsed.success || parsed.data.client_id !== clientId) {
    return refused(
      'invalid_client',
      'The document at client_id must be JSON with the same client_id, redirect_uris, and no client secret.',
    );
  }
  const client = clientIn(parsed.data);
  if ('kind' in client) return client;
  return { idHash: secretHash(clientId), ...client, documentHost: new URL(clientId).host };
}

/**
 * The name and the addresses of the client. One address that is not taken costs it no other, and the answer to a registration
 * lists those that are (RFC 7591, 3.2.1).
 */
function clientIn({
  client_name,
  redirect_uris,
  grant_types,
  response_types,
}: z.infer<typeof metadata>): Pick<Client, 'name' | 'redirectUris'> | Refusal {
  const redirectUris = redirect_uris.filter(isRedirectUri);
  if (redirectUris.length === 0 || redirectUris.join('').length > REDIRECT_CHARS_MAX) {
    return refused(
      'invalid_redirect_uri',
      'A redirect address must be https, http to a loopback address, or of a scheme of your own (com.example.app:/callback, app://callback), without a fragment.',
    );
  }
  if (grant_types?.includes('authorization_code') === false) {
    return refused('invalid_client_metadata', 'grant_types must contain authorization_code.');
  }
  if (response_types?.includes('code') === false) {
    return refused('invalid_client_metadata', 'response_types must contain code.');
  }
  return { name: nameOf(client_name), redirectUris };
}

/** Without quotation marks, in which pages show it. */
function nameOf(text = ''): string {
  const name = shortened(oneLine(text.slice(0, 10 * NAME_CHARS).replace(/["“”„‟«»]/g, '')), NAME_CHARS);
  return name === '' ? 'without a name' : name;
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // A document that is not JSON fails validation.
    return undefined;
  }
}
