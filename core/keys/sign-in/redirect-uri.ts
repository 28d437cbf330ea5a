/**
 * The address that the browser returns to after a sign-in. It receives the code, so its owner gets the access.
 * Sources: RFC 8252, 7 (native programs); RFC 9700, 2.1 and 4.1 (exact comparison).
 */

const URI_CHARS_MAX = 500;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);
/**
 * Schemes without a dot that are not of a program of one's own: of browsers and operating systems, and those that other
 * programs of many makers open (IANA's registry of URI schemes, as far as a desktop acts on them).
 */
const OTHERS_SCHEMES: ReadonlySet<string> = new Set(
  (
    'about acct adb admin afp afs aim app apt attachment bitcoin blob bluetooth callto cap chrome cid coap coaps ' +
    'content crid cvs data dav davs dict dns dntp drm edge ethereum facetime feed file filesystem finger firefox ' +
    'fish ftp ftps geo git gopher gtalk h323 ham hcp help hxxp iax icap icon imap imaps info intent ipn ipp ipps irc ' +
    'ircs iris jabber jar javascript jdbc jms jnlp keyparc lastfm ldap ldaps litecoin livescript local magnet ' +
    'mailbox mailserver mailto maps market message mid mms mmsh mmst mocha modem monero msnim mumble mvn news nfs ' +
    'nntp notes oid opaquelocktoken openid opera pack palm paparazzi pkcs11 platform pop pop3 pres prospero proxy ' +
    'psyc pwid query rdp redis rediss reload res resource rlogin rmi rsync rtmfp rtmp rtp rtsp rtsps safari search ' +
    'secondlife service session sftp sgn shell shortcuts shttp sieve sip sips skype smb sms smsto smtp smtps snews ' +
    'snmp soap sqlite ssh stun stuns submit svn tag teamspeak tel telnet tftp thismessage tip tn3270 tor turn turns ' +
    'udp unreal urn ut2004 vbscript view vnc voicemail wais wascript webcal webcals wpid wss wtai wyciwyg xcon xfire ' +
    'xmpp xri ymsgr'
  ).split(' '),
);
/** Of editors, with a hyphen. */
const EDITOR_SCHEMES: ReadonlySet<string> = new Set(['vscode-insiders']);

/**
 * Whether a client may name this address: https, http to a loopback address, or a scheme of a program of one's own. Such
 * a scheme has a dot (`com.example.app:`), as RFC 8252, 7.1, wants it, or it is one word with a host behind it
 * (`warp://auth/callback`), as editors and terminals register theirs: nobody owns such a name, so the owner's page shows it.
 * Schemes of operating systems have hyphens (`ms-settings:`) or are in OTHERS_SCHEMES. Without a fragment, a user or a
 * password.
 */
export function isRedirectUri(text: string): boolean {
  if (text.length > URI_CHARS_MAX || !/^[\x21-\x7e]+$/.test(text) || /[\\<>"'`{}|^#]/.test(text))
    return false;
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  // The parser accepts https:host as well; a person may read it differently.
  if (protocol === 'https:') return /^https:\/\/[^/]/i.test(text) && hostname !== '';
  if (protocol === 'http:') return /^http:\/\/[^/]/i.test(text) && LOOPBACK.has(hostname);
  const scheme = protocol.slice(0, -1);
  if (scheme.includes('.') || EDITOR_SCHEMES.has(scheme)) return true;
  return /^[a-z][a-z0-9]{2,30}$/.test(scheme) && hostname !== '' && !OTHERS_SCHEMES.has(scheme);
}

/**
 * Whether a request may use the address: it equals a registered one character by character. The port of a loopback
 * address may differ, because a program listens on any free port (RFC 8252, 7.3).
 * @param registered addresses that `isRedirectUri` accepts
 */
export function isRegistered(requested: string, registered: readonly string[]): boolean {
  if (registered.includes(requested)) return true;
  const bare = withoutLoopbackPort(requested);
  return bare !== undefined && registered.some((one) => withoutLoopbackPort(one) === bare);
}

function withoutLoopbackPort(text: string): string | undefined {
  if (!isRedirectUri(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:') return undefined;
  const [, path = ''] = /^http:\/\/[^/?]*(.*)$/i.exec(text) ?? [];
  return `http://${url.hostname}${path}`;
}

/** Returns the host that receives the code. Undefined: a program on the computer of the browser. */
export function receivingHost(redirectUri: string): string | undefined {
  const { protocol, host } = new URL(redirectUri);
  return protocol === 'https:' ? host : undefined;
}

/** Returns the scheme by which a program on the computer gets the code, with its colon. Undefined: over the network. */
export function programScheme(redirectUri: string): string | undefined {
  const { protocol } = new URL(redirectUri);
  return protocol === 'https:' || protocol === 'http:' ? undefined : protocol;
}

/** Adds parameters and leaves those of the client unchanged. */
export function withParameters(redirectUri: string, parameters: Readonly<Record<string, string>>): string {
  const mark = redirectUri.includes('?') ? '&' : '?';
  return `${redirectUri}${mark}${new URLSearchParams(parameters).toString()}`;
}
