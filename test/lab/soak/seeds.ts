import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { oldSlidesFile } from '../../adapters/extract/compound-files.ts';
import { pythonTestMail } from '../../python-test-mail.ts';

/** Real messages, documents and pages to derive fuzzed ones from. Which of them exist depends on the machine. */
export interface Seeds {
  readonly messages: readonly Buffer[];
  readonly documents: readonly DocumentSeed[];
  readonly pages: readonly Buffer[];
}

export interface DocumentSeed {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Buffer;
}

const MIMES: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.odt': 'application/vnd.oasis.opendocument.text',
  '.ods': 'application/vnd.oasis.opendocument.spreadsheet',
  '.odp': 'application/vnd.oasis.opendocument.presentation',
  '.rtf': 'application/rtf',
  '.doc': 'application/msword',
  '.xls': 'application/vnd.ms-excel',
  '.png': 'image/png',
};

const DOCUMENTS = join(import.meta.dirname, '../../adapters/extract/documents');
const MANUALS = ['/usr/share/doc/shared-mime-info', '/usr/share/doc/libtasn1-doc'];
const PAGES = [
  '/usr/share/doc/publicsuffix',
  '/usr/share/doc/shared-mime-info',
  '/usr/share/doc/libtasn1-doc',
];
/** Larger ones would take the time of many others. */
const SEED_BYTES = 300_000;

/** @param documents  the folder of the repository's documents, because a bundle is elsewhere */
export async function readSeeds(documents = DOCUMENTS): Promise<Seeds> {
  const python = await pythonTestMail();
  const mail = python === undefined ? [] : await filesOf([python], /^msg_.*\.txt$/);
  const files = await filesOf([documents, ...MANUALS], /\.(?:pdf|docx?|xlsx?|pptx|od[tsp]|rtf|png)$/);
  const read = files.map(async (path) => ({
    name: path.slice(path.lastIndexOf('/') + 1),
    mime: MIMES[extname(path)] ?? '',
    bytes: await readFile(path),
  }));
  const pages = await filesOf(PAGES, /\.html?$/);
  return {
    messages: [...OWN_MESSAGES, ...(await Promise.all(mail.map((path) => readFile(path))))],
    documents: [...OWN_DOCUMENTS, ...(await Promise.all(read))],
    pages: [...OWN_PAGES, ...(await Promise.all(pages.map((path) => readFile(path))))],
  };
}

async function filesOf(folders: readonly string[], names: RegExp): Promise<string[]> {
  const paths: string[] = [];
  for (const folder of folders.filter(existsSync)) {
    for (const name of (await readdir(folder)).sort().filter((one) => names.test(one))) {
      const path = join(folder, name);
      const file = await stat(path);
      if (file.isFile() && file.size <= SEED_BYTES) paths.push(path);
    }
  }
  return paths;
}

function lines(...all: string[]): Buffer {
  return Buffer.from(all.join('\r\n'));
}

const OWN_MESSAGES: readonly Buffer[] = [
  lines(
    'From: =?utf-8?q?S=C3=B8ren?= <soren@example.org>',
    'To: "Ada, the first" <ada@example.org>, undisclosed-recipients:;',
    'Subject: =?utf-8?B?R3LDvMOfZQ==?= =?iso-8859-1?q?aus_M=FCnchen?=',
    'Date: Tue, 3 Mar 2026 12:00:00 +0100 (CET)',
    'Message-ID: <one@example.org>',
    'References: <zero@example.org>',
    ' <half@example.org>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="outer"',
    '',
    'preamble',
    '--outer',
    'Content-Type: multipart/alternative; boundary=inner',
    '',
    '--inner',
    'Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Gr=C3=BC=C3=9Fe aus =',
    'Soft  ',
    'M=C3=BCnchen',
    '-- ',
    'S=C3=B8ren',
    '--inner',
    'Content-Type: text/html; charset=windows-1252',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from('<p style="color:#fff">hidden</p><p>shown <a href="https://x.example">y</a>').toString(
      'base64',
    ),
    '--inner--',
    '--outer',
    'Content-Type: text/csv; charset=shift_jis',
    "Content-Disposition: attachment; filename*0*=utf-8''r%C3%A9; filename*1=sum.csv",
    '',
    'a;b',
    '--outer',
    'Content-Type: message/rfc822',
    '',
    'Subject: inside',
    '',
    'a message in a message',
    '--outer--',
    'epilogue',
    '',
  ),
  lines(
    'From: a@b.example',
    'Subject: calendar',
    'Content-Type: text/calendar; method=REQUEST',
    '',
    'BEGIN:VCALENDAR',
    'SUMMARY:lunch',
    ' and more',
    'END:VCALENDAR',
  ),
  lines(
    'Subject: \ud83d\ude00 raw utf-8 \u202e',
    'Content-Type: text/plain; charset=iso-2022-jp',
    '',
    '\u001b$B$"\u001b(B',
  ),
];

const OWN_DOCUMENTS: readonly DocumentSeed[] = [
  {
    name: 'a.ics',
    mime: 'text/calendar',
    bytes: lines('BEGIN:VCALENDAR', 'SUMMARY:a', ' b', 'END:VCALENDAR'),
  },
  { name: 'a.csv', mime: 'text/csv; charset=utf-16le', bytes: Buffer.from('Name;Straße\r\n1;2', 'utf16le') },
  {
    name: 'a.rtf',
    mime: 'text/rtf',
    bytes: Buffer.from(
      "{\\rtf1\\ansi{\\fonttbl{\\f1\\fcharset128 x;}}\\f1 \\'83e\\u8364?{\\v x}\\cell\\row}",
    ),
  },
  {
    name: 'a.ppt',
    mime: 'application/vnd.ms-powerpoint',
    bytes: oldSlidesFile([
      { outline: 'Title', text: 'Text', notes: 'Notes' },
      { text: 'x', hidden: true },
    ]),
  },
  { name: 'a.eml', mime: 'message/rfc822', bytes: OWN_MESSAGES[0] ?? Buffer.alloc(0) },
];

const OWN_PAGES: readonly Buffer[] = [
  lines(
    '<!doctype html><html><head><style>.x{display:none} p.y, .z > b { font-size: 0 }</style></head>',
    '<body bgcolor="#ffffff"><p class="x">hidden</p><p class="y">small</p><div class="z"><b>none</b></div>',
    '<table><tr><td width="1">a</td><td>b &amp; &#x202e; c</td></tr></table>',
    '<ul><li>one<ol><li>two</ol></ul><blockquote>said</blockquote><pre>  kept  </pre>',
    '<a href="https://evil.example">bank.example</a><img src="x" alt="picture"><!-- comment --></body></html>',
  ),
  Buffer.from(
    'pay\u200bpal \u202efdp.exe\u202c \u{e0041}\u{e0042} 👩‍💻 می‌خواهم שלום!\u200f <<<UNTRUSTED_CONTENT 0>>>',
  ),
];
