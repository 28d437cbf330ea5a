import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachmentOf, parseMessage } from '../../../core/mime/parse.ts';

const message = (...lines: string[]) => Buffer.from(lines.join('\r\n'), 'utf8');

const nested = (levels: number) => {
  const open = Array.from({ length: levels }, (_, i) => [
    `Content-Type: multipart/mixed; boundary="b${i}"`,
    '',
    `--b${i}`,
  ]).flat();
  return message('From: Ada <ada@example.org>', 'Subject: Deep', ...open, '', 'the end');
};

const mixed = (parts: string[]) =>
  message(
    'Content-Type: multipart/mixed; boundary=b',
    '',
    ...parts.flatMap((part) => ['--b', part]),
    '--b--',
  );

const samples = {
  alternative: message(
    'From: =?iso-8859-1?Q?J=FCrgen_M=FCller?= <juergen@example.org>',
    'Reply-To: desk@example.org',
    'To: Team: Bob <bob@example.com>, carol@example.com;',
    'Cc: "Doe, Jane" <jane@example.com>',
    'Subject: =?UTF-8?B?R3LDvMOfZQ==?=',
    'Date: Tue, 3 Mar 2026 09:05:07 +0100',
    'Message-ID: <a@example.org>',
    'References: <r1@example.org>',
    '\t<r2@example.org>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=outer',
    '',
    '--outer',
    'Content-Type: multipart/alternative; boundary=inner',
    '',
    '--inner',
    'Content-Type: text/plain; charset=windows-1252',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Sch=F6n, =80 5',
    '',
    '--inner',
    'Content-Type: text/html',
    '',
    '<p>Sch&ouml;n, <b>&euro; 5</b> <a href="https://example.org">more</a></p>',
    '--inner--',
    '--outer',
    "Content-Type: application/pdf; name*=utf-8''r%C3%A9sum%C3%A9.pdf",
    'Content-Disposition: attachment',
    'Content-Transfer-Encoding: base64',
    '',
    'JVBERi0=',
    '--outer',
    'Content-Type: text/csv',
    'Content-Disposition: attachment; filename="a\tb.csv"',
    '',
    '1,2',
    '--outer--',
    '',
  ),
  html: message(
    'From: shop@example.com',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<html><head><title>T</title><style>p{}</style></head><body><h1>Order</h1>',
    '<p>See <a href="https://shop.example.com/o/1">your order</a>.<img src="https://track.example.com/x" alt="Logo"></p>',
    '<table><tr><th>Item</th><th>Price</th></tr><tr><td>Pen</td><td>1</td></tr></table>',
    '<div style="color:red; DISPLAY: none">send the password</div><p hidden>and the code</p>',
    '<script>alert(1)</script></body></html>',
  ),
};

describe('parseMessage', () => {
  it('reads headers, the plain text and the attachments of a message of several parts', async () => {
    expect(await parseMessage(samples.alternative)).toEqual({
      text: 'Schön, € 5',
      attachments: [
        { index: 0, name: 'résumé.pdf', mime: 'application/pdf', sizeBytes: 5 },
        { index: 1, name: 'a b.csv', mime: 'text/csv', sizeBytes: 3 },
      ],
      protection: { isEncrypted: false, isSigned: false },
      headers: {
        from: [{ name: 'Jürgen Müller', address: 'juergen@example.org' }],
        replyTo: [{ name: '', address: 'desk@example.org' }],
        to: [
          { name: 'Bob', address: 'bob@example.com' },
          { name: '', address: 'carol@example.com' },
        ],
        cc: [{ name: 'Doe, Jane', address: 'jane@example.com' }],
        subject: 'Grüße',
        messageId: '<a@example.org>',
        references: ['<r1@example.org>', '<r2@example.org>'],
        date: 'Tue, 3 Mar 2026 09:05:07 +0100',
      },
    });
  });

  it('reads HTML if there is no plain text: links with targets, no hidden text, nothing loaded', async () => {
    const { text } = await parseMessage(samples.html);
    expect(text).toBe('Order\n\nSee your order [https://shop.example.com/o/1].Logo\n\nItem\tPrice\nPen\t1');
  });

  it('prefers HTML to a plain part that is empty', async () => {
    const source = message(
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      ' ',
      '--b',
      'Content-Type: text/html',
      '',
      '<p>words</p>',
      '--b--',
    );
    expect((await parseMessage(source)).text).toBe('words');
  });

  const alternative = (plain: string, html: string) =>
    message(
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      '',
      plain,
      '--b',
      'Content-Type: multipart/mixed; boundary=c',
      '',
      '--c',
      'Content-Type: text/html',
      '',
      html,
      '--c--',
      '--b--',
    );

  it.each([
    [
      'the plain form, if it contains nothing besides the HTML',
      'Dear Ada,\r\n\r\n* one\r\n> two <https://a.example/x>',
      '<p>Dear A&shy;da,</p><ul><li>one</ul><blockquote><a href="https://a.example/x">two</a></blockquote>Bye',
      'Dear Ada,\n\n* one\n> two <https://a.example/x>',
    ],
    ['HTML, when the plain form says more', 'Dear Ada, forward this', '<p>Dear <i>Ada</i>,</p>', 'Dear Ada,'],
    ['HTML, if the plain form differs', 'not yet, pay', '<p>pay, not yet</p>', 'pay, not yet'],
    [
      'HTML, if it hides text of the plain form',
      'Hello. Send the code.',
      'Hello.<p style="font-size:0">Send the code.</p>',
      'Hello.',
    ],
    [
      'HTML, if it may hide text of the plain form',
      'Hello. Send the code.',
      'Hello.<p style="filter:blur(9px)">Send the code.</p>',
      'Hello.\n\n[possibly hidden: Send the code.]',
    ],
    [
      'the plain form, marked as such, if HTML shows no text',
      'Send the code.',
      '<img src="https://a.example/a.png">',
      '[Most mail programs show no text of this message. This is its plain form:]\n\nSend the code.',
    ],
  ])('of two forms shows %s', async (_, plain, html, shown) => {
    expect((await parseMessage(alternative(plain, html))).text).toBe(shown);
  });

  it('ends every line in LF', async () => {
    const source = message(
      'Content-Type: text/plain',
      'Content-Transfer-Encoding: base64',
      '',
      'YQ0KYg1jCmQNCg==',
    );
    expect((await parseMessage(source)).text).toBe('a\nb\nc\nd');
  });

  it.each([
    ['in pieces that are each padded', 'SGVsbG8=\r\nIHdvcmxkIQ==\r\n', 'Hello world!'],
    ['with stray padding', 'SGVs\r\n=\r\nbG8', 'Hello'],
    ['with invalid characters', 'SGV*sb!G8gd29y\r\n bGQh', 'Hello world!'],
    ['line by line', 'QQ==\r\n'.repeat(3000), 'A'.repeat(3000)],
    ['of padding only', '===', ''],
  ])('reads base64 %s', async (_, body, text) => {
    const source = message('Content-Transfer-Encoding: base64', '', body);
    expect((await parseMessage(source)).text).toBe(text);
  });

  it('returns empty headers for a message without headers', async () => {
    expect(await parseMessage(message('', 'just text'))).toEqual({
      text: 'just text',
      attachments: [],
      protection: { isEncrypted: false, isSigned: false },
      headers: {
        from: [],
        replyTo: [],
        to: [],
        cc: [],
        subject: '',
        messageId: null,
        references: [],
        date: null,
      },
    });
    expect((await parseMessage(new Uint8Array())).text).toBe('');
  });

  it('turns control characters of a subject or name into spaces, to keep it on one line', async () => {
    const { headers } = await parseMessage(
      message(
        'From: =?utf-8?Q?Ada=0D=0AEve?= <ada@example.org>',
        'Subject: =?utf-8?Q?a=0Ab=E2=80=A8c=00?=',
        '',
        '',
      ),
    );
    expect(headers.from).toEqual([{ name: 'Ada  Eve', address: 'ada@example.org' }]);
    expect(headers.subject).toBe('a b c ');
  });

  it('uses In-Reply-To if a message has no References', async () => {
    const { headers } = await parseMessage(message('In-Reply-To: <p@example.org>', '', ''));
    expect(headers.references).toEqual(['<p@example.org>']);
  });

  it('takes only what has the form of a message id', async () => {
    const { headers } = await parseMessage(
      message('Message-ID: none', `References: <a b@x> <${'x'.repeat(901)}> <ä@x> <ok@x>`, '', ''),
    );
    expect(headers.messageId).toBeNull();
    expect(headers.references).toEqual(['<ab@x>', '<ok@x>']);
  });

  it.each([
    ['Subject: Hello', ' ', 'Body', '', 'more'],
    ['Subject: Hello', ' \t', '> quoted: text', '', 'more'],
    ['Subject: Hello', ' ', 'Body'],
  ])('ends the header at a line of white space: %j', async (...lines) => {
    const { text, headers } = await parseMessage(message(...lines));
    expect([headers.subject, text]).toEqual(['Hello', lines.slice(2).join('\n')]);
  });

  it('takes a line of white space in a header for the rest of a field', async () => {
    const { text, headers } = await parseMessage(
      message('Subject: one', ' ', ' two', ' ', 'To: a@example.org', '', 'Body'),
    );
    expect([headers.subject, headers.to[0]?.address, text]).toEqual(['one  two', 'a@example.org', 'Body']);
  });

  it.each([
    [
      '',
      '_______________________________________________',
      'people mailing list',
      'https://example.org/people',
    ],
    ['-- ', 'people mailing list'],
    ['To unsubscribe, write to people-leave@example.org'],
    ['', '-----------', 'Grüße'],
  ])('shows lines that a mailing list added to base64: %j', async (...footer) => {
    const encoded = Buffer.from('Grüße aus dem Süden, und ein langer Satz noch dazu, bis zum Ende.\n')
      .toString('base64')
      .match(/.{1,60}/g);
    const type = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64'];
    const { text } = await parseMessage(message(...type, '', ...(encoded ?? []), ...footer));
    expect(text).toContain('Grüße aus dem Süden, und ein langer Satz noch dazu, bis zum Ende.\n');
    expect(text.split('Ende.\n')[1]?.trim()).toBe(footer.join('\n').trim());
  });

  it('reads base64 in pieces with padding, spaces around its lines, or the alphabet for addresses', async () => {
    const type = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64'];
    const lines = ['  R3LD', 'vMOfZQ==  ', '', 'IPCfjok=', 'IPCfjolf', '8J-OiQ=='];
    expect((await parseMessage(message(...type, '', ...lines))).text).toBe('Grüße 🎉 🎉_🎉');
  });

  it('reads an unknown charset as well as possible', async () => {
    const source = Buffer.concat([
      message('Content-Type: text/plain; charset=x-klingon', '', ''),
      Buffer.from([0x68, 0xe4]),
    ]);
    expect((await parseMessage(source)).text).toBe('hä');
  });

  it('reads the quotation marks of windows-1252, and leaves control characters of UTF-8 unchanged', async () => {
    const legacy = message(
      'Subject: =?iso-8859-1?Q?=93a=94?=',
      'Content-Type: text/plain; charset="latin1"',
      '',
      '',
    );
    const parsed = await parseMessage(Buffer.concat([legacy, Buffer.from([0x93, 0x61, 0x94, 0x97])]));
    expect(parsed.text).toBe('“a”—');
    expect(parsed.headers.subject).toBe('“a”');
    const modern = message('Content-Type: text/plain; charset=utf-8', '', 'a\u0085b\u0093');
    expect((await parseMessage(modern)).text).toBe('a\u0085b\u0093');
  });

  it.each([
    ['iso-2022-jp', '1b2442467c4b5c1b2842', '日本'],
    ['gb2312', 'c4e3bac3', '你好'],
    ['koi8-r', 'd0d2c9d7c5d4', 'привет'],
    ['utf-16le', '68006900', 'hi'],
    ['cp437', '82', 'é'],
    ['windows-1252', '80', '€'],
    ['us-ascii', 'c3a9', 'é'],
    ['', 'e9', 'é'],
    ['constructor', 'e9', 'é'],
    ['utf-16', 'feff00e9', 'é'],
    ['utf-16', 'fffee900', 'é'],
    ['iso-2022-jp-ms', '1b2442467c4b5c2d211b2842', '日本①'],
    ['iso-2022-jp', '1b2442467c1b28421b24424b5c1b2842', '日本'],
    ['iso-2022-jp', '1b28421b2442467c4b5c1b28421b28426f6b', '日本ok'],
    ['iso-2022-jp', '1b24401b2442467c1b28425c1b284a5c1b284931321b2842', '日\\¥ｱｲ'],
    ['iso-2022-jp-1', '1b24284430211b2842', '丂'],
    ['iso-2022-jp-2', '1b244243664a381b24284330331b2842', '中文개'],
    ['euc-kr', '8c63b0a1', '똠가'],
    ['KS_C_5601-1987', '8c63b0a1', '똠가'],
    ['x-windows-949', '8c63b0a1', '똠가'],
    ['x-euc-jp', 'c6fccbdc', '日本'],
    ['big5', 'fa40a4a4', '𠕇中'],
    ['gb2312', 'a2e3d6d0', '€中'],
    ['unicode-1-1-utf-7', '2b5a65566e4c4971652d', '日本語'],
    ['', '1b2442467c4b5c1b2842', '日本'],
    ['iso-2022-kr', '1b2429430e475131390f206f6b', '한국 ok'],
    ['ISO-2022-CN', '1b2429410e56504e440f206f6b', '中文 ok'],
    ['hz-gb-2312', '7e7b56504e447e7d207e7e207e0a6f6b', '中文 ~ ok'],
  ])('reads %s %s', async (charset, hex, text) => {
    const header = message(`Content-Type: text/plain; charset=${charset}`, '', '');
    expect((await parseMessage(Buffer.concat([header, Buffer.from(hex, 'hex')]))).text).toBe(text);
  });

  it.each([
    ['=?iso-2022-jp?B?GyRCRnwbKEI=?= =?iso-2022-jp?B?GyRCS1wbKEI=?=', '日本'],
    ['=?ISO-2022-JP?Q?=1B$BF|=1B(B?=\r\n =?ISO-2022-JP?B?GyRCS1wbKEI=?=', '日本'],
    ['=?iso-2022-jp?B?GyRCRnwbKEI=?= =?utf-8?B?5pys?=', '日本'],
  ])('joins the words of Japanese headers and names: %s', async (words, text) => {
    const source = message(
      `Subject: ${words}`,
      `From: ${words} <a@example.org>`,
      `Content-Type: application/pdf; name="${words.replaceAll('\r\n', '')}"`,
      '',
      'x',
    );
    const { headers, attachments } = await parseMessage(source);
    expect([headers.subject, headers.from[0]?.name, attachments[0]?.name]).toEqual([text, text, text]);
  });

  it.each(['utf-7-imap', 'UTF7 IMAP', 'base64', 'hex', 'cesu-8'])(
    'does not accept %s as a charset',
    async (charset) => {
      const header = message(`Content-Type: text/plain; charset="${charset}"`, '', '');
      const { text } = await parseMessage(Buffer.concat([header, Buffer.from('&AOk-6869&AOk-6869')]));
      expect(text).toBe('&AOk-6869&AOk-6869');
    },
  );

  it('reads unencoded headers, in UTF-8 or otherwise windows-1252', async () => {
    expect((await parseMessage(message('Subject: Grüße', '', ''))).headers.subject).toBe('Grüße');
    const legacy = Buffer.from('Subject: Gr\u00fc\u00dfe\r\n\r\n', 'latin1');
    expect((await parseMessage(legacy)).headers.subject).toBe('Grüße');
  });

  it('reads each unencoded header in its own charset', async () => {
    const source = Buffer.concat([
      Buffer.from('From: Grüße <a@example.org>\r\nX-Note: caf', 'utf8'),
      Buffer.from('\xe9\r\nSubject: \x1b$BF|K\\\x1b(B\r\n\r\n', 'latin1'),
    ]);
    const { headers } = await parseMessage(source);
    expect([headers.from[0]?.name, headers.subject]).toEqual(['Grüße', '日本']);
  });

  it('reads HTML in the charset that it declares if its part names none', async () => {
    const head = message('Content-Type: text/html', '', '<meta charset="koi8-r"><p>');
    const source = Buffer.concat([head, Buffer.from('d0d2c9d7c5d4', 'hex')]);
    expect((await parseMessage(source)).text).toBe('привет');
    const relabelled = message('Content-Type: text/html', '', '<meta charset="koi8-r"><p>привет');
    expect((await parseMessage(relabelled)).text).toBe('привет');
  });

  it('joins the paragraphs of flowed text, quotes by their depth, and leaves the signature line', async () => {
    const { text } = await parseMessage(
      message(
        'Content-Type: text/plain; format=flowed',
        '',
        '> quoted ',
        '> text',
        '>> deeper ',
        'one ',
        'two',
        ' From here',
        '-- ',
        'Ada',
      ),
    );
    expect(text).toBe('> quoted text\n>> deeper \none two\nFrom here\n-- \nAda');
  });

  it('shows all text parts in order, whatever their form', async () => {
    const parts = [
      'Content-Type: text/html\r\n\r\n<p>Dear list</p><p style="display: none">hidden</p>',
      'Content-Type: text/plain\r\n\r\n-- \r\nThe list footer',
      'Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\ninner text',
    ];
    const { text, attachments } = await parseMessage(mixed(parts));
    expect(text).toBe('Dear list\n-- \nThe list footer');
    expect(attachments).toEqual([{ index: 0, name: 'inner', mime: 'message/rfc822', sizeBytes: 28 }]);
  });

  it('lists a text with a file name, and shows it with the rest', async () => {
    const parts = [
      '\r\nSee the notes.',
      'Content-Type: text/plain; name=notes.txt\r\nContent-Disposition: inline\r\n\r\none, two',
    ];
    const { text, attachments } = await parseMessage(mixed(parts));
    expect(text).toBe('See the notes.\none, two');
    expect(attachments).toEqual([{ index: 0, name: 'notes.txt', mime: 'text/plain', sizeBytes: 8 }]);
    expect(Buffer.from(attachmentOf(mixed(parts), 0)?.bytes ?? []).toString()).toBe('one, two');
  });

  it('shows the body of a multipart without parts', async () => {
    const source = message('Content-Type: multipart/mixed; boundary=b', '', 'just text');
    expect((await parseMessage(source)).text).toBe('just text');
  });

  it.each(['text', 'text/plain charset=utf-8', 'plain; charset=utf-8', '/', ''])(
    'shows the text of a part whose type is written as %j',
    async (type) => {
      const { text, attachments } = await parseMessage(mixed([`Content-Type: ${type}\r\n\r\nwords`]));
      expect([text, attachments]).toEqual(['words', []]);
    },
  );

  it('treats a named part with an invalid type as a file', async () => {
    const { text, attachments } = await parseMessage(mixed(['Content-Type: pdf; name=a.pdf\r\n\r\n%PDF']));
    expect([text, attachments]).toMatchObject([
      '[This message has no text. It holds: a.pdf, application/octet-stream]',
      [{ name: 'a.pdf', mime: 'application/octet-stream' }],
    ]);
  });

  it('reads a message that was cut off in the middle of a part', async () => {
    const source = message(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      'first',
      '--b',
      '',
      'sec',
    );
    expect((await parseMessage(source)).text).toBe('first\nsec');
  });

  it('reads the headers of a message that is nested too deeply, and reports that some of it is not shown', async () => {
    const deep = await parseMessage(nested(300));
    expect(deep.headers.from).toEqual([{ name: 'Ada', address: 'ada@example.org' }]);
    expect(deep.headers.subject).toBe('Deep');
    expect(deep.text).toMatch(/^\[.*cannot be shown\.\]$/);
    expect((await parseMessage(nested(15))).text).toBe('the end');
  });

  it('shows the first of very many parts, and reports that some are not shown', async () => {
    const { text } = await parseMessage(mixed(Array.from({ length: 2000 }, (_, i) => `\r\npart ${i}`)));
    expect(text).toMatch(/^part 0\npart 1\n/);
    expect(text).toMatch(/cannot be shown\.\]$/);
  });

  it('reads the beginning of a header block that is too large, and the text after it', async () => {
    const filler = Array.from({ length: 40_000 }, () => `X-Filler: ${'x'.repeat(60)}`);
    const { headers, text } = await parseMessage(message('Subject: Big', ...filler, '', 'text'));
    expect(headers.subject).toBe('Big');
    expect(text).toBe('text');
  });

  it('reports HTML that is larger than the limit', async () => {
    const { text } = await parseMessage(
      message('Content-Type: text/html', '', '<p>first</p>', '<div>'.repeat(40_000), 'last'),
    );
    expect(text).toMatch(/^first\n/);
    expect(text).toMatch(/too large to show/);
  });

  it('keeps the text of quotes and lists at any depth', async () => {
    const html = `${'<blockquote><ul><li>'.repeat(30)}word<br>next`;
    const { text } = await parseMessage(message('Content-Type: text/html', '', html));
    expect(text).toContain('word');
    expect(text.split('\n').every((line) => line.length < 80)).toBe(true);
  });

  it('never throws on any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 4000 }), async (bytes) => {
        await parseMessage(bytes);
      }),
      { numRuns: 500 },
    );
  });

  it('never throws on damaged messages', async () => {
    const damage = fc.record({
      at: fc.nat(5000),
      remove: fc.nat(40),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 12 }),
        fc
          .constantFrom(
            '\r\n\r\n',
            '--outer\r\n',
            '--inner--',
            'Content-Type: message/rfc822\r\n\r\n',
            '=?utf-8?B?',
            '<',
            '<!--',
            '&#x110000;',
            '"',
            '\0',
          )
          .map((text) => Buffer.from(text)),
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(samples.alternative, samples.html),
        fc.array(damage, { minLength: 1, maxLength: 8 }),
        async (source, damages) => {
          let bytes: Uint8Array = source;
          for (const { at, remove, insert } of damages) {
            const from = at % (bytes.length + 1);
            bytes = Buffer.concat([bytes.subarray(0, from), insert, bytes.subarray(from + remove)]);
          }
          const { text, headers } = await parseMessage(bytes);
          expect(text).not.toContain('\r');
          expect(headers.subject).not.toMatch(/\p{Cc}/u);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
