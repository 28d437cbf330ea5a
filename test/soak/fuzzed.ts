import { below, type Dice, dice, mutated, oneOf } from './mutation.ts';
import type { DocumentSeed, Seeds } from './seeds.ts';

const KINDS = ['message', 'document', 'page', 'text'] as const;

/** A fuzzed message: one that was damaged itself, or a whole one that carries what was. */
export interface Fuzzed {
  readonly kind: (typeof KINDS)[number];
  readonly raw: Buffer;
}

/** The same for the same seed and number, on the same seeds. */
export function fuzzed(seeds: Seeds, seed: number, number: number): Fuzzed {
  const roll = dice(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b));
  const kind = oneOf(roll, [
    'message',
    'message',
    'message',
    'document',
    'document',
    'page',
    'text',
  ] as const);
  switch (kind) {
    case 'message':
      return { kind, raw: mutated(roll, oneOf(roll, seeds.messages), seeds.messages) };
    case 'document':
      return { kind, raw: withAttachment(roll, seeds.documents) };
    case 'page':
      return {
        kind,
        raw: asBody('text/html; charset=utf-8', mutated(roll, oneOf(roll, seeds.pages), seeds.pages)),
      };
    case 'text':
      return { kind, raw: asBody('text/plain; charset=utf-8', Buffer.from(anyText(roll))) };
  }
}

function withAttachment(roll: Dice, documents: readonly DocumentSeed[]): Buffer {
  const document = oneOf(roll, documents);
  // Some pretend to be of another type.
  const claims = roll() < 0.1 ? oneOf(roll, documents) : document;
  const bytes = mutated(
    roll,
    document.bytes,
    documents.map((other) => other.bytes),
  );
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
      bytes.toString('base64').replace(/.{76}/g, '$&\r\n'),
      '--soak--',
      '',
    ].join('\r\n'),
  );
}

function asBody(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([...HEAD, `Content-Type: ${type}`, '', ''].join('\r\n')), body]);
}

const HEAD = ['From: Ada <ada@example.org>', 'Subject: soak', 'MIME-Version: 1.0'];

/** Characters that show, that do not, and that turn others around. */
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
