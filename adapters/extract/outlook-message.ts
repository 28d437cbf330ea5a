import { Buffer } from 'node:buffer';
import { CUT, htmlReader } from '../../core/html/html-text.ts';
import { attachmentFacts } from '../../core/mail/attachment-info.ts';
import { decodeText } from '../../core/mail/charset.ts';
import { parseHeaders } from '../../core/mail/message-headers.ts';
import { controlsAsSpaces, displayAddresses } from '../../core/mail/row-text.ts';
import { codePageCharset, localeCodePage } from '../../core/mime/code-page.ts';
import { rtfBody } from '../../core/mime/rtf-body.ts';
import type { CompoundFile } from './compound-file.ts';

/**
 * Reads the messages that Outlook saves as `.msg` (MS-OXMSG): a storage of properties, with storages for recipients and
 * attachments. Countersign's own, on the reader of compound files and the RTF reader that it has anyway.
 */

/** The stream that every message has: its properties of fixed size. */
export const OUTLOOK = '__properties_version1.0';

export interface OutlookMessage {
  /** As a person sees them; empty ones too. */
  readonly fields: Readonly<Record<'From' | 'To' | 'Cc' | 'Date' | 'Subject', string>>;
  /** @throws RangeError if lengths point outside the file */
  text(): string;
  readonly attachments: readonly OutlookFile[];
}

export interface OutlookFile {
  readonly name: string;
  readonly mime: string;
  /** A message within the message. */
  readonly message?: CompoundFile;
  bytes(): Buffer;
}

const MAX_FILES = 500;
const MAX_RECIPIENTS = 500;
/** Per property: a name or an address, and a text. */
const SHORT_BYTES = 4000;
const TEXT_BYTES = 8 * 1024 * 1024;

/** Properties of MS-OXPROPS. */
const SUBJECT = 0x0037;
const SENT_AT = 0x0039;
const RECEIVED_AT = 0x0e06;
const HEADERS = 0x007d;
const FROM = [
  [0x0042, [0x5d02, 0x0065]],
  [0x0c1a, [0x5d01, 0x0c1f]],
] as const;
const SHOWN_TO = 0x0e04;
const SHOWN_CC = 0x0e03;
const RECIPIENT_KIND = 0x0c15;
const NAME = 0x3001;
const ADDRESSES = [0x39fe, 0x3003] as const;
const PLAIN_BODY = 0x1000;
const RTF_BODY = 0x1009;
const HTML_BODY = 0x1013;
const CODE_PAGE = 0x3ffd;
const HTML_CODE_PAGE = 0x3fde;
const LOCALE = 0x3ff1;
const FILE_NAMES = [0x3707, 0x3704, 0x3001] as const;
const FILE_TYPE = 0x370e;
const FILE_DATA = 0x3701;

const TO = 1;
const CC = 2;

export function outlookMessage(storage: CompoundFile, place: 'file' | 'attachment' = 'file'): OutlookMessage {
  const fixed = fixedProperties(storage, place === 'file' ? 32 : 24);
  const charset = codePageCharset(
    fixed.number(CODE_PAGE) ?? fixed.number(HTML_CODE_PAGE) ?? localeCodePage(fixed.number(LOCALE) ?? 0),
  );
  const text = (id: number, most = SHORT_BYTES) => textOf(storage, id, charset, most);
  const headers = parseHeaders(Buffer.from(text(HEADERS, 64 * 1024)));
  const recipients = recipientsOf(storage, charset);
  const [from = ''] = FROM.map(([name, addresses]) =>
    person(
      text(name),
      addresses.map((id) => text(id)),
    ),
  ).filter((one) => one !== '');
  const listed = (kind: number, shown: string) =>
    recipients
      .filter((one) => one.kind === kind)
      .map((one) => one.shown)
      .join(', ') || shown;
  const { date } = headers;
  return {
    fields: {
      From: displayAddresses(headers.from) || from,
      To: listed(TO, displayAddresses(headers.to) || controlsAsSpaces(text(SHOWN_TO))),
      Cc: listed(CC, displayAddresses(headers.cc) || controlsAsSpaces(text(SHOWN_CC))),
      Date: controlsAsSpaces(date ?? fixed.time(SENT_AT) ?? fixed.time(RECEIVED_AT) ?? ''),
      Subject: controlsAsSpaces(text(SUBJECT)),
    },
    text() {
      const html = htmlOf(storage, codePageCharset(fixed.number(HTML_CODE_PAGE) ?? 65001), charset);
      if (html.trim() !== '') return htmlReader().read(html);
      const plain = text(PLAIN_BODY, TEXT_BYTES).replace(/\r\n?/g, '\n');
      if (plain.trim() !== '') return plain;
      const rtf = storage.has(streamName(RTF_BODY, BINARY))
        ? rtfBody(storage.stream(streamName(RTF_BODY, BINARY), TEXT_BYTES))
        : undefined;
      const written = rtf?.content.toString('utf8') ?? '';
      const shown = rtf?.type === 'text/html' ? htmlReader().read(written) : written;
      return rtf?.complete === false ? `${shown}\n\n${CUT}`.trimStart() : shown;
    },
    attachments: storagesIn(storage, '__attach_version1.0_#', MAX_FILES).map((one) => fileIn(one, charset)),
  };
}

function fileIn(storage: CompoundFile, charset: string): OutlookFile {
  const text = (id: number) => textOf(storage, id, charset, SHORT_BYTES);
  const object = streamName(FILE_DATA, OBJECT);
  const inner = storage.has(object) ? storage.storage(object) : undefined;
  const isMessage = inner?.has(OUTLOOK) === true;
  const claimed = {
    name: FILE_NAMES.map(text).find((one) => one !== '') ?? '',
    mime: isMessage ? 'message/rfc822' : text(FILE_TYPE).toLowerCase(),
    charset: '',
  };
  const { name, mime } = attachmentFacts(claimed, 0);
  const data = streamName(FILE_DATA, BINARY);
  return {
    name,
    mime,
    ...(isMessage ? { message: inner } : {}),
    bytes: () => (storage.has(data) ? storage.stream(data) : Buffer.alloc(0)),
  };
}

function htmlOf(storage: CompoundFile, charset: string, textCharset: string): string {
  const binary = streamName(HTML_BODY, BINARY);
  if (storage.has(binary)) return decodeText(storage.stream(binary, TEXT_BYTES), charset);
  return textOf(storage, HTML_BODY, textCharset, TEXT_BYTES);
}

interface Recipient {
  readonly kind: number;
  readonly shown: string;
}

function recipientsOf(storage: CompoundFile, charset: string): Recipient[] {
  return storagesIn(storage, '__recip_version1.0_#', MAX_RECIPIENTS).map((one) => {
    const text = (id: number) => textOf(one, id, charset, SHORT_BYTES);
    return {
      kind: fixedProperties(one, 8).number(RECIPIENT_KIND) ?? 0,
      shown: person(text(NAME), ADDRESSES.map(text)),
    };
  });
}

/** Inside an organisation an address may be a path instead. */
function person(name: string, addresses: readonly string[]): string {
  const address = addresses.find((one) => one.includes('@')) ?? '';
  return displayAddresses(
    name === '' && address === ''
      ? []
      : [{ name: name === address ? '' : controlsAsSpaces(name), address: controlsAsSpaces(address) }],
  );
}

function storagesIn(storage: CompoundFile, prefix: string, most: number): CompoundFile[] {
  const names = storage.names().filter((name) => name.startsWith(prefix));
  return names
    .sort()
    .slice(0, most)
    .map((name) => storage.storage(name));
}

const STRING = 0x001e;
const UNICODE = 0x001f;
const BINARY = 0x0102;
const OBJECT = 0x000d;

function streamName(id: number, type: number): string {
  return `__substg1.0_${[id, type].map((one) => one.toString(16).padStart(4, '0')).join('')}`;
}

function textOf(storage: CompoundFile, id: number, charset: string, most: number): string {
  const wide = streamName(id, UNICODE);
  if (storage.has(wide)) return withoutEnd(storage.stream(wide, most).toString('utf16le'));
  const narrow = streamName(id, STRING);
  return storage.has(narrow) ? withoutEnd(decodeText(storage.stream(narrow, most), charset)) : '';
}

/** Some programs end a text with a NUL. */
function withoutEnd(text: string): string {
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}

const ENTRY_BYTES = 16;
const MAX_ENTRIES = 2000;

/** The properties of fixed size, by id: after a header, entries of type, id, flags and value (MS-OXMSG 2.4). */
function fixedProperties(
  storage: CompoundFile,
  headerBytes: number,
): { number(id: number): number | undefined; time(id: number): string | undefined } {
  const values = new Map<number, Buffer>();
  if (storage.has(OUTLOOK)) {
    const bytes = storage.stream(OUTLOOK, headerBytes + ENTRY_BYTES * MAX_ENTRIES);
    for (let at = headerBytes; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
      values.set(bytes.readUInt16LE(at + 2), bytes.subarray(at + 8, at + ENTRY_BYTES));
    }
  }
  return {
    number: (id) => values.get(id)?.readUInt32LE(0),
    time(id) {
      const ticks = values.get(id)?.readBigUInt64LE(0);
      if (ticks === undefined) return undefined;
      // In units of 100 ns, since 1601.
      const date = new Date(Number(ticks / 10_000n) + UTC_1601);
      return Number.isNaN(date.getTime()) ? undefined : date.toUTCString();
    },
  };
}

const UTC_1601 = Date.UTC(1601, 0, 1);
