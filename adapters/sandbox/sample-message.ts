import { Buffer } from 'node:buffer';
import type { MailFlag } from '../../core/mail/listed-message.ts';
import { encodeBody } from '../../core/mail/transfer-encoding.ts';

/** A message in a new sandbox mailbox. */
export interface SampleMessage {
  readonly folder: string;
  /** Minutes before the sandbox was opened. */
  readonly minutesAgo: number;
  /** Unique; its Message-ID is `<id@sample.countersign.test>`. */
  readonly id: string;
  /** As in a header: `Ada <ada@example.org>`; the display name may be any text. */
  readonly from: string;
  readonly to: string;
  readonly cc?: string;
  readonly replyTo?: string;
  readonly subject: string;
  /** Ids of the earlier messages in its thread, oldest first. */
  readonly thread?: readonly string[];
  readonly text?: string;
  /** With `text`: the other alternative. */
  readonly html?: string;
  readonly attachments?: readonly SampleAttachment[];
  /** UTC offset of its Date header, in minutes. */
  readonly offsetMin?: number;
  /** Default: `seen`. An empty list means unread. */
  readonly flags?: readonly MailFlag[];
}

export interface SampleAttachment {
  readonly name: string;
  readonly mime: string;
  readonly content: Uint8Array;
}

/** The bytes of a sample message (RFC 5322), as received from outside. */
export function rawOf(sample: SampleMessage, sentAt: Date): Uint8Array {
  const { thread = [] } = sample;
  const headers = [
    `From: ${words(sample.from)}`,
    `To: ${words(sample.to)}`,
    ...(sample.cc === undefined ? [] : [`Cc: ${words(sample.cc)}`]),
    ...(sample.replyTo === undefined ? [] : [`Reply-To: ${words(sample.replyTo)}`]),
    `Subject: ${words(sample.subject)}`,
    `Date: ${dateHeader(sentAt, sample.offsetMin ?? 0)}`,
    `Message-ID: ${messageId(sample.id)}`,
    ...thread.slice(-1).map((id) => `In-Reply-To: ${messageId(id)}`),
    ...(thread.length === 0 ? [] : [`References: ${thread.map(messageId).join('\r\n ')}`]),
    'MIME-Version: 1.0',
  ];
  return Buffer.from(`${headers.join('\r\n')}\r\n${bodyOf(sample)}`, 'latin1');
}

function messageId(id: string): string {
  return `<${id}@sample.countersign.test>`;
}

/** Content headers, an empty line and the body. */
function bodyOf({ id, text, html, attachments = [] }: SampleMessage): string {
  const texts = [
    ...(text === undefined ? [] : [textPart('plain', text)]),
    ...(html === undefined ? [] : [textPart('html', html)]),
  ];
  const content = multipart('alternative', `text-${id}`, texts);
  return attachments.length === 0
    ? content
    : multipart('mixed', `all-${id}`, [content, ...attachments.map(attachmentPart)]);
}

function multipart(subtype: string, boundary: string, parts: readonly string[]): string {
  if (parts.length === 1) return parts.join('');
  const lines = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('');
  return `Content-Type: multipart/${subtype}; boundary="${boundary}"\r\n\r\n${lines}--${boundary}--\r\n`;
}

function textPart(subtype: string, text: string): string {
  const { encoding, body } = encodeBody(text);
  return `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`;
}

function attachmentPart({ name, mime, content }: SampleAttachment): string {
  const lines = Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n');
  const disposition = `attachment; filename*=utf-8''${encodeURIComponent(name)}`;
  return `Content-Type: ${mime}\r\nContent-Disposition: ${disposition}\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines}\r\n`;
}

/** Encodes non-ASCII words by RFC 2047; samples keep runs of them short. */
function words(value: string): string {
  if (/^[ -~]*$/.test(value)) return value;
  return value.replace(
    /\S*[^ -~]\S*(?: \S*[^ -~]\S*)*/g,
    (run) => `=?UTF-8?B?${Buffer.from(run, 'utf8').toString('base64')}?=`,
  );
}

function dateHeader(date: Date, offsetMin: number): string {
  const wall = new Date(date.getTime() + offsetMin * 60_000).toUTCString().replace(' GMT', '');
  const digits = (value: number) => String(value).padStart(2, '0');
  const abs = Math.abs(offsetMin);
  return `${wall} ${offsetMin < 0 ? '-' : '+'}${digits(Math.floor(abs / 60))}${digits(abs % 60)}`;
}
