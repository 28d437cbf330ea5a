import type { Reader, ReadingFor } from '../../core/ports/reader.ts';
import type { XmlElement } from '../../core/reading/xml-shapes.ts';
import { childrenOf, eachXmlPart } from '../remote/xml.ts';
import type { ServerSettings } from './discovery.ts';
import { hostName } from './domain.ts';

export type Autoconfig =
  | { readonly kind: 'servers'; readonly imap: ServerSettings; readonly smtp: ServerSettings }
  /** The document is valid, but lists no server that Countersign can use. */
  | { readonly kind: 'unusable'; readonly reason: string };

type Protocol = 'imap' | 'smtp';

/** `plain` and `secure` are the older names of the first two. */
const PASSWORD = new Set(['password-cleartext', 'password-encrypted', 'plain', 'secure']);
const SECURITY: ReadonlyMap<string, ServerSettings['security']> = new Map([
  ['SSL', 'tls'],
  ['STARTTLS', 'starttls'],
]);

/** Visible characters only. */
const USER = /^[^\p{C}\p{Z}]{1,320}$/u;

/**
 * Reads the settings that a domain publishes. Picks the first server of each protocol that takes a password over TLS.
 * Source: draft-ietf-mailmaint-autoconfig, `config-v1.1.xml`.
 * @throws Error if the document cannot be read; the message says why in plain words
 */
export async function readAutoconfig(
  document: Uint8Array,
  email: string,
  reader: Reader,
  options: ReadingFor,
): Promise<Autoconfig> {
  const parts: XmlElement[] = [];
  const input = { document: [document], contentType: '', root: 'clientConfig' };
  await eachXmlPart(reader, input, options, (part) => parts.push(part));
  const provider = parts.find(({ name }) => name === 'emailProvider');
  if (provider === undefined) throw new Error('it contains no mail provider settings');
  const imap = serverOf(provider, 'imap', email);
  const smtp = serverOf(provider, 'smtp', email);
  if (typeof imap === 'string') return { kind: 'unusable', reason: imap };
  if (typeof smtp === 'string') return { kind: 'unusable', reason: smtp };
  return { kind: 'servers', imap, smtp };
}

/** @returns the first usable server, or why there is none */
function serverOf(provider: XmlElement, protocol: Protocol, email: string): ServerSettings | string {
  const offered = childrenOf(provider, protocol === 'imap' ? 'incomingServer' : 'outgoingServer').filter(
    ({ attributes }) => attributes.type === protocol,
  );
  const name = protocol.toUpperCase();
  if (offered.length === 0) return `it offers no ${name}`;
  const byPassword = offered.filter(takesPassword);
  if (byPassword.length === 0) return `its ${name} server does not take a password`;
  for (const server of byPassword) {
    const settings = settingsOf(server, email);
    if (settings !== undefined) return settings;
  }
  return `it lists no ${name} server with TLS`;
}

function takesPassword(server: XmlElement): boolean {
  const ways = childrenOf(server, 'authentication');
  return ways.length === 0 || ways.some(({ text }) => PASSWORD.has(text.trim()));
}

function settingsOf(server: XmlElement, email: string): ServerSettings | undefined {
  const host = hostName(filledIn(textOf(server, 'hostname'), email));
  const portText = textOf(server, 'port');
  const security = SECURITY.get(textOf(server, 'socketType'));
  const user = filledIn(textOf(server, 'username'), email) || email;
  const port = /^\d{1,5}$/.test(portText) ? Number(portText) : 0;
  if (host === undefined || security === undefined || port < 1 || port > 65_535) return undefined;
  // An unknown placeholder, or characters nobody would type.
  if (/%[A-Z]+%/.test(user) || !USER.test(user)) return undefined;
  return { host, port, security, user };
}

function filledIn(text: string, email: string): string {
  const at = email.lastIndexOf('@');
  return text
    .replaceAll('%EMAILADDRESS%', () => email)
    .replaceAll('%EMAILLOCALPART%', () => email.slice(0, at))
    .replaceAll('%EMAILDOMAIN%', () => email.slice(at + 1));
}

function textOf(element: XmlElement, name: string): string {
  return childrenOf(element, name)[0]?.text.trim() ?? '';
}
