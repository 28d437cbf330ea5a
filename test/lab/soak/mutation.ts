/** Damages real files: flips, cuts, doubles and splices bytes. Pure: the same dice give the same bytes. */

/** @returns a number from 0 up to, but not including, 1 */
export type Dice = () => number;

/** Source: mulberry32, public domain. */
export function dice(seed: number): Dice {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An integer from 0 up to, but not including, `end`. */
export function below(roll: Dice, end: number): number {
  return Math.floor(roll() * end);
}

export function oneOf<T>(roll: Dice, values: readonly T[]): T {
  const value = values[below(roll, values.length)];
  if (value === undefined) throw new Error('there is nothing to choose from');
  return value;
}

/** The size limit of one part of a sample, per unit of scale. */
const PART_CHARS = 150_000;

/** Repeats the text as often as wanted, or as often as fits. */
export function copies(text: string, wanted: number, scale: number): string {
  return text.repeat(Math.min(wanted, Math.ceil((scale * PART_CHARS) / Math.max(text.length, 1))));
}

/** Byte sequences that mean something to one of the readers. */
const WORDS = [
  ...[
    '\r\n',
    '\r\n\r\n',
    '\n',
    '\r',
    '\0',
    '--',
    '--outer\r\n',
    '--outer--',
    '--inner\r\n',
    ' ',
    '\t',
    ';',
    '"',
    '\\',
  ],
  ...[
    'Content-Type: multipart/mixed; boundary=outer\r\n\r\n',
    'Content-Type: text/html\r\n',
    '=?utf-8?B?',
    '?=',
    '=\r\n',
  ],
  ...[
    'Content-Transfer-Encoding: base64\r\n',
    'Content-Type: message/rfc822\r\n\r\n',
    'charset=utf-7',
    "filename*0*=utf-8''",
  ],
  ...[
    '<',
    '>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<style>',
    '</style>',
    '<div style="display:none">',
    '<table><td>',
    '&#x110000;',
  ],
  ...[
    '&amp;',
    '<p>'.repeat(300),
    '<w:t>',
    '</w:p>',
    '<x:c r="XFD1">',
    'number-rows-repeated="999999999"',
    '{\\rtf1',
    '\\bin9999 ',
  ],
  ...[
    '{'.repeat(200),
    'endobj',
    'stream\r\n',
    '/Kids [1 0 R]',
    '/Filter /FlateDecode',
    '%PDF-1.7',
    'PK\x03\x04',
    'PK\x01\x02',
  ],
  ...[
    '\u202e',
    '\u200b',
    '\u{e0041}',
    '\ufeff',
    '\u2028',
    '<<<UNTRUSTED_CONTENT 0>>>',
    '<<<END_UNTRUSTED_CONTENT',
    '@',
    '<a@b>',
  ],
  ...[
    'References: <a@b> ',
    'From: ',
    'Date: Tue, 99 Foo 9999 99:99:99 +9999\r\n',
    'BEGIN:VCARD\n',
    '\u001b$B',
    'ÿþ',
    'þÿ',
  ],
].map((word) => Buffer.from(word));

/** The largest result. */
const MOST_BYTES = 600_000;

/** @param others  files to splice with */
export function mutated(roll: Dice, original: Buffer, others: readonly Buffer[]): Buffer {
  let bytes: Buffer = Buffer.from(original);
  for (let times = 1 + below(roll, 8); times > 0; times--) bytes = damaged(roll, bytes, others);
  return bytes.subarray(0, MOST_BYTES);
}

function damaged(roll: Dice, bytes: Buffer, others: readonly Buffer[]): Buffer {
  const at = below(roll, bytes.length + 1);
  const until = Math.min(bytes.length, at + 1 + below(roll, 1 + Math.floor(bytes.length / 4)));
  const [before, middle, behind] = [bytes.subarray(0, at), bytes.subarray(at, until), bytes.subarray(until)];
  switch (below(roll, 8)) {
    case 0:
      // Truncates mostly near the end: most formats are useless without their beginning.
      return bytes.subarray(0, Math.max(at, until));
    case 1:
      return Buffer.concat([before, behind]);
    case 2:
      return Buffer.concat([before, middle, middle, middle, behind]);
    case 3: {
      const other = oneOf(roll, others);
      const from = below(roll, other.length + 1);
      return Buffer.concat([before, other.subarray(from, from + below(roll, 20_000)), behind]);
    }
    case 4:
    case 5:
      return Buffer.concat([before, oneOf(roll, WORDS), bytes.subarray(at)]);
    default: {
      const flipped = Buffer.from(bytes);
      for (let times = 1 + below(roll, 20); times > 0 && flipped.length > 0; times--) {
        const place = below(roll, flipped.length);
        flipped[place] = roll() < 0.5 ? below(roll, 256) : (flipped[place] ?? 0) ^ (1 << below(roll, 8));
      }
      return flipped;
    }
  }
}
