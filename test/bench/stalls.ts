import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Dovecot } from '../servers/dovecot.ts';
import { addressOf } from '../servers/mail-users.ts';
import { settingsOf } from './mail-settings.ts';
import { seedFolder } from './maildir.ts';
import { serviceFor } from './service-for.ts';
import type { Row } from './table.ts';

const MAIL_BYTES = 10 * 1024 * 1024;
const RECEIVED_S = Date.parse('2026-11-20T12:00:00Z') / 1000;
const HTML = 'Content-Type: text/html; charset=utf-8\r\n\r\n';
const TEXT = 'Content-Type: text/plain; charset=utf-8\r\n\r\n';
const MIXED = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';

/** The inputs that take longest to read, 10 MB each. */
const SHAPES: Readonly<Record<string, () => Buffer>> = {
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
const TEXTS: Readonly<Record<string, (chars: number) => string>> = {
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
const SHOWN_CHARS = 100_000;
const WRITTEN_CHARS = 50_000;

/** The longest stall of the event loop while a hostile message is read through the service. */
export async function stalls(dovecot: Dovecot): Promise<Row[]> {
  const user = dovecot.addUser();
  const shapes = Object.entries(SHAPES);
  // Oldest first; a small message is the newest.
  const texts = Object.entries(TEXTS);
  const mails = texts.map(([, make]) =>
    Buffer.from(`From: a@stranger.example\r\n${TEXT}${make(SHOWN_CHARS)}\r\n`),
  );
  const raws = [
    // A message has one pending request at most: one is answered, the other forwarded.
    ...mails,
    ...mails,
    ...shapes.map(([, make]) => make()),
    Buffer.from('Subject: small\r\n\r\nA few words.\r\n'),
  ];
  const letters = raws.map((raw, index) => ({ raw, receivedS: RECEIVED_S + index, seen: false }));
  seedFolder(dovecot, user, 'INBOX', letters);
  const email = addressOf(user);
  const service = await serviceFor(email, settingsOf(email, dovecot.port));
  try {
    const [small, ...all] = await service.ids();
    const ids = all.slice(0, shapes.length);
    const textIds = all.slice(shapes.length);
    const read = (id: unknown) => service.call('get_email', { id });
    // Warm up what is slow only once: connections, processes, compiled code.
    await read(small);
    await read(ids.at(-1));
    const rows: Row[] = [];
    for (const [index, [name]] of shapes.entries()) {
      const reference = await worstDelayMs(() => read(small));
      let body = '';
      const ours = await worstDelayMs(async () => {
        body = String((await read(ids.at(-1 - index))).body);
      });
      const outcome = body.includes('cannot be shown') ? 'given up' : 'read';
      rows.push({
        name: `longest stall, 10 MB of ${name} (${outcome}); a small mail`,
        unit: 'ms',
        ours,
        reference,
        bound: { most: 100 },
      });
    }
    rows.push({
      name: 'longest stall, the list of them all',
      unit: 'ms',
      ours: await worstDelayMs(() => service.ids()),
      bound: { most: 100 },
    });
    for (const [index, [name, make]] of texts.entries()) {
      const id = textIds.at(-1 - index);
      const other = textIds.at(-1 - index - texts.length);
      const to = ['new@other.example'];
      const body = make(WRITTEN_CHARS);
      const works: Readonly<Record<string, () => Promise<unknown>>> = {
        'a mail': () => read(id),
        'the answer to a mail': () => service.call('send_reply', { id, body: `Yes, ${name}.` }),
        'a forwarded mail': () => service.call('forward_email', { id: other, to }),
        "a program's own text": () => service.call('send_email', { to, subject: 'Hello', body }),
      };
      for (const [what, work] of Object.entries(works)) {
        rows.push({
          name: `longest stall, ${what} of ${name}`,
          unit: 'ms',
          ours: await worstDelayMs(work),
          bound: { most: 100 },
        });
      }
    }
    return rows;
  } finally {
    await service.stop();
  }
}

function repeated(unit: string, chars: number): string {
  return unit.repeat(chars / unit.length);
}

function numbered(unit: (n: number) => string, chars: number): string {
  let text = '';
  for (let n = 0; text.length < chars; n++) text += unit(n);
  return text.slice(0, chars);
}

/** The longest that the event loop stands still meanwhile. */
export async function worstDelayMs(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await work();
  // One more turn, so that the last stall is counted.
  await new Promise((resolve) => setTimeout(resolve, 5));
  delays.disable();
  return delays.max / 1e6;
}

function filled(head: string, unit: string, tail = ''): Buffer {
  const end = Buffer.from(`${tail}\r\n`);
  const bytes = Buffer.from(unit);
  const begun = Buffer.from(head);
  const times = Math.floor((MAIL_BYTES - begun.length - end.length) / bytes.length);
  return Buffer.concat([begun, Buffer.alloc(times * bytes.length, bytes), end]);
}
