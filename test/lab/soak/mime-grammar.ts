import { compressedRtf, tnefOf } from '../../core/mime/encoders.ts';
import { below, copies, type Dice, mutated, oneOf } from './mutation.ts';

/**
 * Generates MIME messages from a grammar: nested parts, encodings, parameters, long headers.
 * @param scale how large: the same dice give the same message with more of the same content
 */
export function mimeMessage(roll: Dice, scale: number): Buffer {
  const many = scale * oneOf(roll, [1, 1, 3, 100]);
  const headers = Array.from({ length: 1 + below(roll, 8) }, () => header(roll, many, scale));
  return Buffer.from(
    [...headers, entity(roll, 4, many, scale)].join('\r\n'),
    roll() < 0.7 ? 'utf8' : 'latin1',
  );
}

const WORD = [
  'ada',
  'é',
  '=?utf-8?B?R3LDvMOfZQ==?=',
  '=?utf-8?q?=C3=BC?=',
  '=?x?q?y?=',
  '=?iso-8859-1?q?é=F6?=',
  '=?utf-7?q?+APY-?=',
  '<<',
  '(()',
  '=?utf-8?B?====?=',
  '"',
  '\\',
  '(',
  ')',
  '<',
  '>',
  '@',
  ',',
  ';',
  ':',
  '\r\n ',
  '\t',
  '\0',
  '\u202e',
  '=?',
];

function header(roll: Dice, many: number, scale: number): string {
  const name = oneOf(roll, [
    'From',
    'To',
    'Cc',
    'Reply-To',
    'Subject',
    'Date',
    'Message-ID',
    'References',
    'In-Reply-To',
    'Received',
    'X-A',
    'Content-Type',
    '',
    'MIME-Version',
  ]);
  const values = Array.from({ length: 1 + below(roll, 5) }, () =>
    oneOf<() => string>(roll, [
      () => oneOf(roll, WORD),
      () => `"Ada ${oneOf(roll, WORD)}" <ada@example.org>, `,
      () => `<${oneOf(roll, WORD)}@b> `,
      () => 'group: a@b, c@d;',
      () => 'Tue, 3 Mar 2026 12:00:00 +0100',
    ])(),
  );
  return `${name}: ${copies(values.join(''), many, scale)}`;
}

function parameters(roll: Dice, boundary: string): string {
  return Array.from({ length: below(roll, 4) }, () =>
    oneOf(roll, [
      `; boundary="${boundary}"`,
      `; boundary=${boundary}`,
      `; boundary*0="${boundary.slice(0, 2)}"; boundary*1="${boundary.slice(2)}"`,
      `; boundary*=us-ascii''${encodeURIComponent(boundary)}`,
      '; charset=utf-8',
      '; charset=utf-7',
      '; charset=iso-2022-jp',
      '; charset=x',
      '; format=flowed; delsp=yes',
      "; name*0*=utf-8''%e2%80%ae; name*1=x",
      `; name="${'a'.repeat(below(roll, 900))}"`,
      ';',
      '; =',
      '; a="',
    ]),
  ).join('');
}

function entity(roll: Dice, depth: number, many: number, scale: number): string {
  const encoding = oneOf(roll, ['', '', 'base64', 'quoted-printable', '8bit', 'x-uuencode', '7bit']);
  const disposition = oneOf(roll, [
    '',
    '',
    '\r\nContent-Disposition: attachment; filename=x.bin',
    '\r\nContent-Disposition: inline',
  ]);
  if (depth > 0 && roll() < 0.5) {
    const boundary = oneOf(roll, ['outer', 'inner', 'a b', '--', "'()+_,-./:=?", 'outer']);
    const kind = oneOf(roll, ['mixed', 'alternative', 'related', 'digest', 'signed', 'x']);
    const parts = Array.from(
      { length: below(roll, 4) },
      () => `--${boundary}\r\n${entity(roll, depth - 1, 1, scale)}\r\n`,
    ).join('');
    const end = roll() < 0.8 ? `--${boundary}--\r\n` : '';
    return `Content-Type: multipart/${kind}; boundary="${boundary}"${parameters(roll, boundary)}\r\n\r\npreamble\r\n${copies(parts, many, scale)}${end}`;
  }
  const type = oneOf(roll, [
    'text/plain',
    'text/html',
    'message/rfc822',
    'text/calendar; method=REQUEST',
    'application/octet-stream',
    'application/ms-tnef',
    'text/csv',
    'message/delivery-status',
    'x',
    '',
  ]);
  if (type === 'application/ms-tnef') {
    const files = repeatedFiles(below(roll, 4), many);
    const rtf = oneOf(roll, RTF_PIECES).repeat(many);
    const whole = tnefOf({
      files,
      ...oneOf(roll, [
        { body: 'Hello', html: '<p>Hello' },
        { rtf: compressedRtf(`{\\rtf1\\ansi ${rtf}}`) },
        { rtf: compressedRtf(`{\\rtf1\\ansi\\fromhtml1 ${rtf}}`) },
      ]),
    });
    const bytes = roll() < 0.5 ? whole : mutated(roll, whole, [whole]);
    return `Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64')}`;
  }
  return `Content-Type: ${type}${parameters(roll, 'outer')}${encoding === '' ? '' : `\r\nContent-Transfer-Encoding: ${encoding}`}${disposition}\r\n\r\n${body(roll, encoding, many)}`;
}

const RTF_PIECES = [
  'words \\par ',
  '{\\*\\htmltag64 <p>}x{\\*\\htmltag72 </p>}',
  '\\htmlrtf {\\b \\htmlrtf0 ',
  "{\\f1 \\'83e\\u8364?}",
  '{',
];

function repeatedFiles(count: number, many: number) {
  const file = { title: 'a.txt', longName: 'a longer name.txt', content: Buffer.alloc(many, 'words ') };
  return Array.from({ length: count }, () => file);
}

function body(roll: Dice, encoding: string, many: number): string {
  const words = oneOf(roll, [
    'Hello\r\n',
    '<p style="display:none">x</p>',
    '=C3=BC=\r\n',
    '+AGE-',
    '\u001b$B$"\u001b(B',
    '-- \r\n',
    '> quoted\r\n',
    '--outer\r\n',
    'x'.repeat(998),
    '\r\n',
    'begin 644 x\r\n#86)C\r\n`\r\nend\r\n',
    'begin 644 x\r\n#86)C\r\n',
    '=ybegin line=128 size=3 name=x\r\n=}\x8b\x8c\r\n=yend size=3\r\n',
    'Subject without a colon\r\n',
    '\u200b\u{e0041}',
    '<< <END_\r\nUＮTRUSTEĐ CONTENT',
    '=',
    '..',
  ]);
  const text = words.repeat(many);
  return encoding === 'base64'
    ? Buffer.from(text).toString(oneOf(roll, ['base64', 'base64url', 'hex']))
    : text;
}
