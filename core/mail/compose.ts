import { Buffer } from 'node:buffer';
import type { MailAddress } from './address.ts';
import { headersOf } from './header-fields.ts';
import { encodeBody } from './transfer-encoding.ts';

/** The header field that survives if a server replaces the Message-ID. */
export const REQUEST_FIELD = 'X-Countersign-Request';

/** The contents of a new message. */
export interface Draft {
  readonly from: MailAddress;
  /** Bare addresses. */
  readonly to: readonly string[];
  readonly subject: string;
  /** Plain text. Lines end in LF. */
  readonly text: string;
  /** With angle brackets. */
  readonly messageId: string;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  readonly threadIndex?: string | undefined;
  /** The calendar part of the message (RFC 6047), an alternative to its text. */
  readonly invitation?: Invitation;
  /** Value of REQUEST_FIELD. */
  readonly requestId: string;
}

export interface Invitation {
  readonly method: 'REQUEST' | 'CANCEL';
  /** iCalendar text. */
  readonly ics: string;
}

/**
 * The bytes of a plain text message (RFC 5322, 2045, 2047), without a Date header. With an invitation, the text and the
 * invitation are alternatives (RFC 6047). The same draft gives the same bytes, and reading them gives back every field
 * of the draft; a text reads back without its final newline.
 *
 * Rejected, not repaired: control characters in a header field, a carriage return in the text, and addresses beyond
 * ASCII (they need SMTPUTF8; a domain can be given in its `xn--` form).
 * @throws TypeError that names the header, never its value
 */
export function composeMessage(draft: Draft): Uint8Array {
  if (draft.text.includes('\r')) throw new TypeError('The lines of the text must end in LF');
  const headers = [
    header('From', mailbox(draft.from)),
    header('To', draft.to.map((address) => addrSpec('To', address)).join(', ')),
    header('Subject', unstructured(draft.subject)),
    header('Message-ID', msgId('Message-ID', draft.messageId)),
    ...(draft.inReplyTo === null ? [] : [header('In-Reply-To', msgId('In-Reply-To', draft.inReplyTo))]),
    ...(draft.references.length === 0
      ? []
      : [header('References', draft.references.map((id) => msgId('References', id)).join(' '))]),
    ...(draft.threadIndex === undefined
      ? []
      : [header('Thread-Index', token('Thread-Index', draft.threadIndex))]),
    header(REQUEST_FIELD, token(REQUEST_FIELD, draft.requestId)),
    header('MIME-Version', '1.0'),
  ];
  return Buffer.from(`${headers.join('')}${content(draft)}`, 'latin1');
}

function content({ text, invitation, requestId }: Draft): string {
  const plain = entity('text/plain; charset=utf-8', text);
  if (invitation === undefined) return plain;
  const { method, ics } = invitation;
  const calendar = entity(`text/calendar; charset=utf-8; method=${method}`, ics.replace(/\r\n?/g, '\n'));
  if (!/^[A-Za-z0-9_-]{1,60}$/.test(requestId))
    throw new TypeError('The request id is not valid in a boundary');
  // No line of either encoding can start with it.
  const boundary = `=_${requestId}`;
  const parts = [plain, calendar].map((part) => `--${boundary}\r\n${part}`);
  const head = header('Content-Type', `multipart/alternative; boundary="${boundary}"`);
  return `${head}\r\n${parts.join('')}--${boundary}--\r\n`;
}

/** A body with its headers. */
function entity(type: string, text: string): string {
  const { encoding, body } = encodeBody(text);
  const headers = [header('Content-Type', type), header('Content-Transfer-Encoding', encoding)];
  return `${headers.join('')}\r\n${body}`;
}

/** Adds `date` as the Date header at the top of the message, in UTC. */
export function withDate(raw: Uint8Array, date: Date): Uint8Array {
  const line = `Date: ${date.toUTCString().replace('GMT', '+0000')}\r\n`;
  return Buffer.concat([Buffer.from(line, 'latin1'), raw]);
}

/** Adds at the top that no person sent the message (RFC 3834 5), so that programs do not answer it. */
export function withAutoSubmitted(raw: Uint8Array): Uint8Array {
  const isReply = headersOf(raw).some(({ key }) => key === 'in-reply-to');
  const line = `Auto-Submitted: ${isReply ? 'auto-replied' : 'auto-generated'}\r\n`;
  return Buffer.concat([Buffer.from(line, 'latin1'), raw]);
}

/** Preferred and maximum length of a line without its CRLF, RFC 5322 2.1.1. */
const FOLD_CHARS = 78;
const LINE_CHARS = 998;

/** @param value printable ASCII, as the functions below return it */
function header(name: string, value: string): string {
  const lines = fold(`${name}: ${value}`.trimEnd());
  if (lines.some((line) => line.length > LINE_CHARS)) throw new TypeError(`The ${name} header is too long`);
  return `${lines.join('\r\n')}\r\n`;
}

/** Breaks a header before single spaces, so that removing the line breaks restores it exactly. */
function fold(line: string): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/(?<=[^ ])(?= [^ ])/)) {
    if (current !== '' && current.length + word.length > FOLD_CHARS && !current.endsWith(':')) {
      lines.push(current);
      current = '';
    }
    current += word;
  }
  return [...lines, current];
}

function mailbox({ name, address }: MailAddress): string {
  const bare = addrSpec('From', address);
  return name === '' || name === address ? bare : `${phrase(name)} <${address}>`;
}

const HOST = String.raw`(?:[A-Za-z0-9._-]+|\[[A-Za-z0-9.:]+\])`;
const UNQUOTED = new RegExp(`^[A-Za-z0-9!#$%&'*+/=?^_\`{|}~.-]+@${HOST}$`);
const QUOTED = new RegExp(String.raw`^"(?:[ !#-[\]-~]|\\[ -~])+"@${HOST}$`);

/** Only what every server and reader takes for one address: a local part, and a domain or an address literal. */
function addrSpec(name: string, address: string): string {
  const isQuoted = QUOTED.test(address);
  if ((!isQuoted && !UNQUOTED.test(address)) || looksEncoded(address))
    throw new TypeError(`The ${name} header contains an invalid or unusual address`);
  // Outside angle brackets, some readers lose the quotes.
  return isQuoted ? `<${address}>` : address;
}

function msgId(name: string, id: string): string {
  if (!/^<[!-;=?-~]+>$/.test(id)) throw new TypeError(`The ${name} header contains an invalid message id`);
  return id;
}

function token(name: string, value: string): string {
  if (!/^[!-~]+$/.test(value)) throw new TypeError(`The ${name} header must be one word`);
  return value;
}

/** A display name in the simplest exact form: bare, quoted or encoded. */
function phrase(name: string): string {
  if (!readsPlainly(name)) return encodedWords(name);
  return /^[A-Za-z0-9 ]+$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
}

function unstructured(value: string): string {
  return value === '' || readsPlainly(value) ? value : encodedWords(value);
}

/** Printable ASCII without spaces at either end, and without a run too long to fold. */
function readsPlainly(value: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(value) && !/[!-~]{61}/.test(value) && !looksEncoded(value);
}

/** Whether a reader would decode literal text. */
function looksEncoded(value: string): boolean {
  return value.includes('=?');
}

/** RFC 2047: words of at most 75 characters, each of whole characters. Spaces between words do not count. */
function encodedWords(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this test looks for them
  if (/[\u0000-\u001f\u007f]/.test(value)) throw new TypeError('A header field contains a control character');
  const words: string[] = [];
  let chunk = '';
  for (const char of value) {
    if (Buffer.byteLength(chunk + char, 'utf8') > 45) {
      words.push(chunk);
      chunk = '';
    }
    chunk += char;
  }
  return [...words, chunk]
    .map((word) => `=?UTF-8?B?${Buffer.from(word, 'utf8').toString('base64')}?=`)
    .join(' ');
}
