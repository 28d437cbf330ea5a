import { chownSync, existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import type { Dovecot } from '../../servers/dovecot.ts';
import { addressOf } from '../../servers/mail-users.ts';

/** Debian's `mail` user, who owns the mail files. */
const MAIL_UID = 8;
const MAIL_GID = 8;

const NEWEST = Date.parse('2026-11-20T12:00:00Z');
const MINUTE_MS = 60_000;

/** A message to put into a folder. */
export interface Letter {
  readonly raw: Buffer;
  readonly receivedS: number;
  readonly seen: boolean;
}

/** Creates a user whose inbox has `count` messages. @returns the user's name */
export function seedInbox(dovecot: Dovecot, count: number): string {
  const user = dovecot.addUser();
  seedFolder(dovecot, user, 'INBOX', manyLetters(user, count));
  return user;
}

/** Messages seven minutes apart, newest last. @param series  distinguishes them from those of other folders */
export function* manyLetters(user: string, count: number, series = 'bench'): Generator<Letter> {
  for (let number = 1; number <= count; number += 1) {
    const receivedS = (NEWEST - (count - number) * 7 * MINUTE_MS) / 1000;
    const raw = messageOf(number, user, new Date(receivedS * 1000), series);
    yield { raw, receivedS, seen: number % 3 !== 0 };
  }
}

/** Fills a folder by writing the files that Dovecot would write. Call it before the user's first login. */
export function seedFolder(dovecot: Dovecot, user: string, path: string, letters: Iterable<Letter>): void {
  const home = `${dovecot.folder}/mail/${user}`;
  // Maildir++: the inbox is the folder itself; other folders are inside it and start with a dot.
  const maildir = `${home}/Maildir${path === 'INBOX' ? '' : `/.${path}`}`;
  for (const folder of [
    home,
    `${home}/Maildir`,
    maildir,
    ...['cur', 'new', 'tmp'].map((name) => `${maildir}/${name}`),
  ]) {
    if (existsSync(folder)) continue;
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, MAIL_UID, MAIL_GID);
  }
  let number = 0;
  for (const { raw, receivedS, seen } of letters) {
    number += 1;
    // Both sizes are equal, because the lines already end in CRLF.
    const name = `${receivedS}.M${number}P1.bench,S=${raw.length},W=${raw.length}:2,${seen ? 'S' : ''}`;
    const file = `${maildir}/cur/${name}`;
    writeFileSync(file, raw, { mode: 0o600 });
    chownSync(file, MAIL_UID, MAIL_GID);
    utimesSync(file, receivedS, receivedS);
  }
}

const FIRST_NAMES = ['Ada', 'Grace', 'Søren', 'Zoë', 'Håkon', 'Mei', 'José', 'Olu'];
const WORDS =
  'account agenda answer audit budget calendar contract deadline delivery draft estimate invoice meeting offer order parcel project quarter release report review schedule ticket travel update workshop'.split(
    ' ',
  );

/** Of ten messages, six are plain text, three also have HTML, and one has an attachment of 30 KB. */
function messageOf(number: number, user: string, date: Date, series: string): Buffer {
  const name = FIRST_NAMES[number % FIRST_NAMES.length] ?? '';
  const word = (at: number) => WORDS[(number * 7 + at * 11) % WORDS.length] ?? '';
  const subject = `Re: ${word(1)} ${word(2)} ${number} für ${name}`;
  const paragraph = Array.from({ length: 90 }, (_, at) => word(at) + (at % 12 === 11 ? '.\r\n' : '')).join(
    ' ',
  );
  const text = Array.from({ length: 1 + (number % 4) }, () => paragraph).join('\r\n\r\n');
  const html = `<html><body>${text.split('\r\n').join('</p>\r\n<p style="margin:0 0 1em">')}</body></html>`;
  const head = [
    `Return-Path: <person${number % 200}@example.org>`,
    `Received: from mx.example.org (mx.example.org [192.0.2.7]) by mail.example.test; ${date.toUTCString()}`,
    `From: ${encoded(`${name} Example`)} <person${number % 200}@example.org>`,
    `To: ${addressOf(user)}, "Team" <team@example.org>`,
    `Cc: office@example.org`,
    `Subject: ${encoded(subject)}`,
    `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${series}-${number}@example.org>`,
    `In-Reply-To: <${series}-${Math.max(1, number - 1)}@example.org>`,
    'MIME-Version: 1.0',
  ];
  const plainPart = ['Content-Type: text/plain; charset=utf-8', '', text];
  const htmlPart = ['Content-Type: text/html; charset=utf-8', '', html];
  const filePart = [
    'Content-Type: application/pdf; name="report.pdf"',
    'Content-Disposition: attachment; filename="report.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.alloc(30_000, number).toString('base64').replace(/.{76}/g, '$&\r\n'),
  ];
  const kind = number % 10;
  const body =
    kind < 6
      ? plainPart
      : multipart(kind < 9 ? 'alternative' : 'mixed', [plainPart, kind < 9 ? htmlPart : filePart]);
  return Buffer.from([...head, ...body, ''].join('\r\n'));
}

function multipart(kind: string, parts: readonly (readonly string[])[]): string[] {
  const inner = parts.flatMap((part) => ['--bench-boundary', ...part]);
  return [`Content-Type: multipart/${kind}; boundary="bench-boundary"`, '', ...inner, '--bench-boundary--'];
}

/** RFC 2047. */
function encoded(text: string): string {
  return /^[ -~]*$/.test(text) ? text : `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
}
