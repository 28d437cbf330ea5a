import { documentOf } from './document-grammar.ts';
import { htmlPage } from './html-grammar.ts';
import { calendarObject } from './ics-grammar.ts';
import { mimeMessage } from './mime-grammar.ts';
import { multistatusText } from './multistatus-grammar.ts';
import { below, type Dice, dice, mutated, oneOf } from './mutation.ts';
import type { Kind, SampleName } from './protocol.ts';
import type { DocumentSeed, Seeds } from './seeds.ts';

/** The scale of the larger sample in a comparison. */
export const LARGER = 4;

/**
 * The bytes of a sample: a message, a calendar object or a calendar server's response. Half of the messages are damaged
 * real ones; everything else comes from grammars.
 * @param scale how large: 1, or LARGER for the same with more of the same content
 */
export function sampleOf(seeds: Seeds, { kind, seed }: SampleName, scale = 1): Buffer {
  const roll = dice(Math.imul(seed, 0x9e3779b1) ^ KIND_SALT[kind]);
  const isDamaged = roll() < 0.5;
  switch (kind) {
    case 'mime':
      if (!isDamaged) return mimeMessage(roll, scale);
      if (roll() < 0.2) return asBody('text/plain; charset=utf-8', Buffer.from(anyText(roll)));
      return mutated(roll, oneOf(roll, seeds.messages), seeds.messages);
    case 'html':
      if (!isDamaged) return asBody('text/html; charset=utf-8', Buffer.from(htmlPage(roll, scale)));
      return asBody('text/html; charset=utf-8', mutated(roll, oneOf(roll, seeds.pages), seeds.pages));
    case 'document':
      return withAttachment(roll, isDamaged ? damagedDocument(roll, seeds) : documentOf(roll, scale), seeds);
    case 'ics':
      return damagedSometimes(roll, calendarObject(roll, scale));
    case 'caldav':
      return damagedSometimes(roll, multistatusText(roll, scale));
  }
}

const KIND_SALT: Readonly<Record<Kind, number>> = {
  mime: 0x1b56c4e9,
  html: 0x2545f491,
  ics: 0x3c6ef372,
  caldav: 0x4f1bbcdd,
  document: 0x5bd1e995,
};

/** The n-th sample of a soak; the kinds take turns. */
export function nthSample(kinds: readonly Kind[], seed: number, n: number): SampleName {
  const kind = kinds[n % kinds.length];
  if (kind === undefined) throw new Error('there is no kind to play');
  return { kind, seed: (Math.imul(seed, 0x85ebca6b) + n) >>> 0 };
}

function damagedSometimes(roll: Dice, text: string): Buffer {
  const whole = Buffer.from(text);
  return roll() < 0.3 ? mutated(roll, whole, [whole]) : whole;
}

function damagedDocument(roll: Dice, { documents }: Seeds): DocumentSeed {
  const document = oneOf(roll, documents);
  const others = documents.map(({ bytes }) => bytes);
  return { ...document, bytes: mutated(roll, document.bytes, others) };
}

function withAttachment(roll: Dice, document: DocumentSeed, { documents }: Seeds): Buffer {
  // Some claim a different type.
  const claims = roll() < 0.1 ? oneOf(roll, documents) : document;
  return Buffer.from(
    [
      ...HEAD,
      'Content-Type: multipart/mixed; boundary=soak',
      '',
      '--soak',
      '',
      'the text',
      '--soak',
      `Content-Type: ${claims.mime}`,
      `Content-Disposition: attachment; filename="${claims.name}"`,
      'Content-Transfer-Encoding: base64',
      '',
      document.bytes.toString('base64').replace(/.{76}/g, '$&\r\n'),
      '--soak--',
      '',
    ].join('\r\n'),
  );
}

function asBody(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([...HEAD, `Content-Type: ${type}`, '', ''].join('\r\n')), body]);
}

const HEAD = ['From: Ada <ada@example.org>', 'Subject: soak', 'MIME-Version: 1.0'];

/** Visible and invisible characters, and bidi controls. */
const RANGES = [
  [0x20, 0x7e],
  [0x80, 0x24f],
  [0x590, 0x6ff],
  [0x900, 0xdff],
  [0x2000, 0x206f],
  [0xfe00, 0xfe0f],
  [0xfff0, 0xfffd],
  [0x1f300, 0x1faff],
  [0xe0000, 0xe01ef],
  [0, 0x10ffff],
] as const;

function anyText(roll: Dice): string {
  const length = below(roll, roll() < 0.05 ? 60_000 : 600);
  const characters = Array.from({ length }, () => {
    const [from, to] = oneOf(roll, RANGES);
    const code = from + below(roll, to - from + 1);
    return code >= 0xd800 && code <= 0xdfff ? '\n' : String.fromCodePoint(code);
  });
  return characters.join('');
}
