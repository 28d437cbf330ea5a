const MAIL_BYTES = 10 * 1024 * 1024;
const HTML = 'Content-Type: text/html; charset=utf-8\r\n\r\n';
const TEXT = 'Content-Type: text/plain; charset=utf-8\r\n\r\n';
const MIXED = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';

/** The inputs that take longest to read, 10 MB each. */
export const HOSTILE_MAILS: Readonly<Record<string, () => Buffer>> = {
  'nested style sheets': () => filled(`${HTML}<style>${'a&&&&,b{'.repeat(400)}color:red`, '&,'),
  'style rules': () => filled(`${HTML}<style>`, 'a b>c~d:not(e){color:red}\r\n', '</style><p class=a>text'),
  'deep HTML': () => filled(HTML, '<div><b>'),
  'a huge table': () => filled(`${HTML}<table>`, '<tr><td>a<td>b\r\n'),
  'lists in lists': () => filled(HTML, '<ul><li>a\r\n'),
  'attributes without end': () => filled(`${HTML}<p `, 'a="b" '),
  boundaries: () => filled(MIXED, '--b\r\n\r\n'),
  'what looks like a boundary': () => filled(MIXED, '\r\n--bx'),
  'invisible characters': () => filled(TEXT, '\u200b\u202e'),
  'direction marks': () => filled(TEXT, '\u05d0\u200f!'),
  'base64 with padding': () => filled('Content-Transfer-Encoding: base64\r\n\r\n', 'QQ=='),
  'escapes of quoted-printable': () => filled('Content-Transfer-Encoding: quoted-printable\r\n\r\n', '=41'),
  'flowed lines': () => filled('Content-Type: text/plain; format=flowed\r\n\r\n', 'a \r\n'),
  'shifts of a charset': () => filled('Content-Type: text/plain; charset=utf-7-imap\r\n\r\n', '&AOQ-'),
  'one line of dashes': () => filled(TEXT, '-', 'a'),
  'lines of dashes': () => filled(TEXT, `${'-'.repeat(900)}a\r\n`),
  'a subject of dashes': () => filled(`Subject: ${'-'.repeat(30_000)}\r\n${TEXT}`, 'text\r\n'),
  'a sender of at signs': () => filled(`From: <${'@'.repeat(30_000)}\r\n${TEXT}`, 'text\r\n'),
  'a header without end': () => filled('Subject: x\r\nTo: ', 'a:b,'),
};

/** Texts that take longest to compare with what was read, of a given length. */
export const HOSTILE_TEXTS: Readonly<Record<string, (chars: number) => string>> = {
  dashes: (chars) => `${'-'.repeat(chars - 1)}a`,
  'at signs': (chars) => '@'.repeat(chars),
  'one host': (chars) => repeated('x.co ', chars),
  'many hosts': (chars) => numbered((n) => `h${n}.co `, chars),
  'one address': (chars) => repeated('a@b.co ', chars),
  'many addresses': (chars) => numbered((n) => `u${n}@b.co `, chars),
  'many account numbers': (chars) => numbered((n) => `account no. ${10_000_000 + n} `, chars),
  amounts: (chars) => repeated('€1 ', chars),
  digits: (chars) => repeated('1 ', chars),
  'letters beyond ASCII': (chars) => repeated('数', chars),
};

/** A shown text has 100,000 characters at most, and one that a program writes 50,000. */
export const SHOWN_CHARS = 100_000;
export const WRITTEN_CHARS = 50_000;

/** A stranger's message with this text. */
export function mailOf(text: string): Buffer {
  return Buffer.from(`From: a@stranger.example\r\n${TEXT}${text}\r\n`);
}

function repeated(unit: string, chars: number): string {
  return unit.repeat(chars / unit.length);
}

function numbered(unit: (n: number) => string, chars: number): string {
  let text = '';
  for (let n = 0; text.length < chars; n++) text += unit(n);
  return text.slice(0, chars);
}

function filled(head: string, unit: string, tail = ''): Buffer {
  const end = Buffer.from(`${tail}\r\n`);
  const bytes = Buffer.from(unit);
  const begun = Buffer.from(head);
  const times = Math.floor((MAIL_BYTES - begun.length - end.length) / bytes.length);
  return Buffer.concat([begun, Buffer.alloc(times * bytes.length, bytes), end]);
}
