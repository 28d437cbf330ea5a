import { Buffer } from 'node:buffer';
import { receiverResults } from './authentication-results.ts';
import { boundedFields } from './bounded-fields.ts';
import { REQUEST_FIELD } from './compose.ts';
import { fingerprintOf } from './fingerprint.ts';
import { readHeaders } from './header-fields.ts';
import { headerAddresses, headerText } from './header-text.ts';
import {
  type ListedMessage,
  type MailFlag,
  type MessagePlace,
  RECEIPT_FIELDS,
  ROW_FIELDS,
} from './listed-message.ts';
import { messageIdOf } from './message-ids.ts';
import { dateOf, displayAddresses } from './row-text.ts';

/** A message in the form that a row of a list shows. */
export interface MessageRow extends HeaderFacts {
  readonly place: MessagePlace;
  /** EMAILID or X-GM-MSGID. Null if the server has none. */
  readonly stableId: string | null;
  readonly internalDate: Date;
  /** RFC822.SIZE. */
  readonly sizeBytes: number;
  readonly flags: ReadonlySet<MailFlag>;
  readonly labels?: readonly string[];
  readonly undeliverable?: true;
}

/** The facts that a move or a flag does not change. */
export interface HeaderFacts {
  /** SHA-256, hex, of Message-ID, From, Date, Subject, size and INTERNALDATE. */
  readonly fingerprint: string;
  readonly messageId: string | null;
  /** Display name and address as a person would read them: `Ada <ada@example.org>`. Empty if there is none. */
  readonly from: string;
  readonly subject: string;
  /** The Date header as it is written. Empty if there is none. */
  readonly dateField: string;
  /** ISO 8601 with the UTC offset of the Date header. INTERNALDATE if that header cannot be read. */
  readonly date: string;
  /** It carries the field of what Countersign sent: a server may have replaced its Message-ID. */
  readonly hasRequest?: true;
  /** As `receiverResults` returns them. Absent: there are none, or they were not fetched. */
  readonly receiverResults?: readonly string[];
}

/** What is remembered of a message to recognise it. */
interface KnownMessage extends Pick<MessageRow, 'stableId' | 'internalDate' | 'sizeBytes'> {
  /** The fingerprint, or how it begins. */
  readonly fingerprint: string;
}

/** Whether a message, wherever it is, is the known one. */
export function isMessage(row: MessageRow, known: KnownMessage): boolean {
  return row.stableId === known.stableId && row.fingerprint.startsWith(known.fingerprint);
}

/**
 * Whether the message at the known place, under the same UIDVALIDITY and UID, is still the known one. There its headers are
 * enough: servers that estimate the size of a message report another one later, and some another INTERNALDATE.
 */
export function isMessageInPlace(row: MessageRow, known: KnownMessage): boolean {
  const { messageId, from, subject, dateField: date } = row;
  const { sizeBytes, internalDate } = known;
  const fingerprint = fingerprintOf({ messageId, from, date, subject, sizeBytes, internalDate });
  return row.stableId === known.stableId && fingerprint.startsWith(known.fingerprint);
}

/** The limits on a header that is read whole, and on each field of a longer one. */
const HEADER_BYTES = 16 * 1024;
const FIELD_BYTES = 4 * 1024;

/** Adapters that keep messages in memory return the same bytes every time, so each header is read once. */
const KNOWN = new WeakMap<Uint8Array, HeaderFacts>();

/** Reads the header of a listed message. Never throws on any bytes. */
export function messageRow({
  place,
  stableId,
  header,
  internalDate,
  sizeBytes,
  flags,
  labels,
  undeliverable,
}: ListedMessage): MessageRow {
  const facts = KNOWN.get(header) ?? headerFacts(header, sizeBytes, internalDate);
  KNOWN.set(header, facts);
  return {
    place,
    stableId,
    ...facts,
    internalDate,
    sizeBytes,
    flags,
    ...(labels && { labels }),
    ...(undeliverable && { undeliverable }),
  };
}

function headerFacts(header: Uint8Array, sizeBytes: number, internalDate: Date): HeaderFacts {
  const fields = readHeaders(rowFields(header));
  const first = (name: string) => fields.find(({ key }) => key === name)?.value;
  const messageId = messageIdOf(first('message-id') ?? '');
  const from = displayAddresses(headerAddresses((first('from') ?? '').slice(0, FIELD_BYTES)));
  const subject = headerText(first('subject') ?? '');
  const date = first('date') ?? null;
  const results = receiverResults(fields);
  const dateField = date ?? '';
  return {
    fingerprint: fingerprintOf({ messageId, from, date: dateField, subject, sizeBytes, internalDate }),
    messageId,
    from,
    subject,
    dateField,
    date: dateOf(date, internalDate),
    ...(first(REQUEST_FIELD.toLowerCase()) !== undefined && { hasRequest: true }),
    ...(results.length > 0 && { receiverResults: results }),
  };
}

/** The whole header if it has a usual size. Otherwise the fields of a row. */
function rowFields(header: Uint8Array): Buffer {
  if (header.length > HEADER_BYTES)
    return boundedFields(header, [...ROW_FIELDS, ...RECEIPT_FIELDS], FIELD_BYTES);
  return Buffer.from(header.buffer, header.byteOffset, header.byteLength);
}
