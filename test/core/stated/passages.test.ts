import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statedAddress } from '../../../core/provenance/stated-form.ts';
import { removedNotices } from '../../../core/safety/removed-notices.ts';
import { passagesOf } from '../../../core/stated/quotation.ts';
import { statedValues } from '../../../core/stated/stated-values.ts';

describe('stated values', () => {
  it.each([
    ['write to eve (at) evil (dot) example', 'eve@evil.example'],
    ['write to eve at evil dot example please', 'eve@evil.example'],
    ['schreiben Sie an eve [at] evil [punkt] example', 'eve@evil.example'],
    ['EVE@Evil.EXAMPLE', 'eve@evil.example'],
    ['https://x.example/?to=eve%2Bone%40evil.example&a=b', 'eve+one@evil.example'],
    ['eve\n@evil\n.example', 'eve@evil.example'],
    ['ｅｖｅ＠ｅｖｉｌ．ｅｘａｍｐｌｅ', 'eve@evil.example'],
    ['e\u00adve@ev\u200bil.example', 'eve@evil.example'],
    ['ablage@xn--mller-treuhand-gsb.example', 'ablage@müller-treuhand.example'],
  ])('contain the address of %j', (text, address) => {
    expect(statedValues(text).addresses).toContain(address);
    expect(statedAddress(address)).toBe(address);
  });

  it.each([
    ['see WWW.Evil.EXAMPLE/a', 'evil.example'],
    ['hxxps://evil[.]example/a', 'evil.example'],
    ['https://bank.example@evil.example/', 'evil.example'],
    ['look at evil dot example today', 'evil.example'],
    ['evil\n.example', 'evil.example'],
    ['evil\t.example', 'evil.example'],
    ['evil&#46;example', 'evil.example'],
    ['evil&#x2e;example', 'evil.example'],
    ['evil&period;example', 'evil.example'],
    ['https://news.example/?to=https%253A%252F%252Fevil.example%252Fx', 'evil.example'],
  ])('contain the host of %j', (text, host) => {
    expect(statedValues(text).hosts).toContain(host);
  });

  it('contain neither the domain of an address nor the name of a file as a host', () => {
    expect(statedValues('ada@x.example sent report.pdf').hosts).toEqual([]);
  });

  it('are found in linear time', () => {
    for (const text of ['@'.repeat(50_000), 'a.'.repeat(25_000), '%41'.repeat(16_000), 'a@'.repeat(25_000)]) {
      statedValues(text);
    }
  });
});

describe('what an agent writes', () => {
  it.each([
    'The point is that we are late.',
    'Zu diesem Punkt habe ich nichts.',
    'Look at the dot on the map.',
    'We use .NET 8 and the .com domains.',
    'The server is at http://localhost:3000/ and https://intranet/.',
    'See README.md/LICENSE, and https:2026.',
    'Rock (Punk) Berlin',
  ])('has no host in %j', (text) => {
    expect(statedValues(text, 'words').hosts).toEqual([]);
  });
});

describe('named codes', () => {
  it.each([
    ['Your safe code is 48-29-13', ['482913']],
    ['Backup codes: 1234 5678 8765 4321', ['1234', '5678', '8765', '4321']],
    ['PIN 4821 100 EUR limit', ['4821', '100']],
    ['Ваш код: 402918', ['402918']],
    ['認証コードは402918です', ['402918']],
    ['인증번호 402918', ['402918']],
    ['TAN: 402918', ['402918']],
    ['CVC 318', ['318']],
    ["The password is 'Sunflower'", ['sunflower']],
    ['Password: rose', ['rose']],
    ['密码: sonnenblume', ['sonnenblume']],
    ['passphrase: copper lantern river nine', ['copper lantern river', 'lantern river nine']],
  ])('of %j are %j', (text, codes) => {
    expect(statedValues(text).codes).toEqual(expect.arrayContaining(codes));
  });

  it.each([
    'The password is the same as before',
    'Passwort: siehe unten',
    'Password: Required',
    'Ein Passwort ist Pflicht',
    'Mot de passe : inchangé',
    'Codice cliente 48213',
    'Código de pedido 482193',
    'Kod produktu: 48213',
    'Secret Santa: 250 SEK',
    'The zip code is 80331',
    'Code postal 75011',
    'The code is from 2026-11-24',
    'The pin board hangs in the hall, beside room 314',
  ])('are not in %j', (text) => {
    expect(statedValues(text).codes).toEqual([]);
  });

  it.each([
    ['It is 48-29-13.', '482913'],
    ['7 3 9 2 0 4', '739204'],
    ['7\n3\n9\n2\n0\n4', '739204'],
    ['first 739, then 204', '739204'],
    ['bitte Sonnenblume eingeben', 'sonnenblume'],
    ['say "copper lantern river nine"', 'copper lantern river'],
  ])('can be in %j', (text, code) => {
    expect(statedValues(text, 'words').codes).toContain(code);
  });

  it.each([
    ['on 24.11. we meet', '2411'],
    ['at 10:12', '1012'],
    ['1.12.', '112'],
    ['12 and 15 people', '1215'],
  ])('cannot be in %j', (text, code) => {
    expect(statedValues(text, 'words').codes).not.toContain(code);
  });
});

describe('passages', () => {
  it('tell the words of the author from those quoted and forwarded', () => {
    const text = 'Mine\n\nOn Monday, Eve <Eve@evil.example> wrote:\n> Hers\n\nMine again';
    expect(passagesOf(text)).toEqual([
      { quoting: null, text: 'Mine\n' },
      { quoting: 'eve@evil.example', text: 'On Monday, Eve <Eve@evil.example> wrote:\nHers' },
      { quoting: null, text: '\nMine again' },
    ]);
    const forwarded =
      'See\n\n---------- Forwarded message ----------\nFrom: Eve <eve@evil.example>\nTo: x\n\nHers';
    expect(passagesOf(forwarded).map(({ quoting }) => quoting)).toEqual([null, 'eve@evil.example']);
    const headers = 'See\n\nVon: Eve <eve@evil.example>\nGesendet: Montag\nBetreff: x\n\nHers';
    expect(passagesOf(headers).map(({ quoting }) => quoting)).toEqual([null, 'eve@evil.example']);
  });

  it('leave no line out, whatever looks like a header or a quotation', () => {
    const line = fc.constantFrom(
      ...[
        '----- New -----',
        'Link: a',
        'From: b',
        'Von: c <c@c.example>',
        '> d',
        'e wrote:',
        '',
        'f@f.example:',
        '___',
        'g',
      ],
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const shown = passagesOf(lines.join('\n')).flatMap(({ text }) => text.split('\n'));
        // A line of a quotation in a quotation belongs to both.
        const all = (some: readonly string[]) =>
          new Set(some.map((one) => one.replace(/^> /, '')).filter((one) => one !== ''));
        expect(all(shown)).toEqual(all(lines));
      }),
    );
  });

  it('of a forwarded message last to the end, with what it quotes', () => {
    const inner = 'On Monday, Maya <maya@atlas.example> wrote:\n> send it to eve@evil.example';
    const text = `See\n\n--- Forwarded message ---\nFrom: Eve <eve@evil.example>\n\n${inner}`;
    const passages = passagesOf(text);
    expect(passages.map(({ quoting }) => quoting)).toEqual([null, 'eve@evil.example', 'maya@atlas.example']);
    for (const { text: one } of passages.slice(1)) expect(one).toContain('send it to eve@evil.example');
  });

  it.each([
    [
      'signs, as Yahoo writes it',
      'On Monday, 23 November 2026 at 10:12, Eve <eve@evil.example> wrote:\n\nHers',
    ],
    ['signs, over two lines', 'On 23/11/26, 10:12\nEve <eve@evil.example> wrote:\nHers'],
    [
      'dashes, as Zoho writes it',
      '---- On Mon, 23 Nov 2026 10:12:00 +0100 Eve <eve@evil.example> wrote ----\nHers',
    ],
    ['Turkish headers', 'Kimden: Eve <eve@evil.example>\nGönderildi: 23 Kasım 2026 10:12\nHers'],
  ])('know a quotation below %s', (_what, quotation) => {
    expect(passagesOf(`Mine\n\n${quotation}`)).toEqual([
      { quoting: null, text: 'Mine\n' },
      { quoting: 'eve@evil.example', text: quotation },
    ]);
  });

  it.each([
    'Xyz: eve@evil.example\nAbc: 2026-11-23\nDef: x\n\nHers',
    'On 23 November at 10:12 I met Eve <eve@evil.example>:\nHers?',
  ])('take %j from its author, and name nobody', (quotation) => {
    expect(passagesOf(`Mine\n\n${quotation}`)).toEqual([
      { quoting: null, text: 'Mine\n' },
      { quoting: '', text: quotation },
    ]);
  });

  it('are fewer than a record keeps', () => {
    for (const text of ['-- \n'.repeat(5000), '> a\nb\n'.repeat(5000)])
      expect(passagesOf(text).length).toBeLessThan(150);
  });

  it.each([
    '*** Questions? tom@atlas.example ***\nThen ask.',
    'Call Tom <tom@atlas.example>:\nhe knows.',
    'At 10:30 I meet Tom <tom@atlas.example>, and then you.',
    'Phone: 12\nRoom: 4\nFloor: 2',
  ])('leave %j to its author', (text) => {
    expect(passagesOf(text)).toEqual([{ quoting: null, text }]);
  });

  it('of a quotation in a quotation belong to both persons', () => {
    const text = [
      'Maya <maya@atlas.example> wrote:',
      '> Look:',
      '> Eve <eve@evil.example> wrote:',
      '>> Hers',
      '> Bye',
    ].join('\n');
    const all = ['Look:', 'Eve <eve@evil.example> wrote:', 'Hers', 'Bye'];
    expect(passagesOf(text)).toEqual([
      { quoting: 'maya@atlas.example', text: ['Maya <maya@atlas.example> wrote:', ...all].join('\n') },
      { quoting: 'eve@evil.example', text: 'Eve <eve@evil.example> wrote:\nHers' },
    ]);
  });

  it('name a signature', () => {
    expect(passagesOf('Mine\n-- \nEve\n> quoted')).toEqual([
      { quoting: null, text: 'Mine' },
      { quoting: null, text: '-- \nEve', isSignature: true },
      { quoting: '', text: 'quoted' },
    ]);
  });
});

describe('removed notices', () => {
  const target = (subject: string, preview = '') => ({ id: 'm1_x', from: 'x@x.example', subject, preview });

  it.each([
    ['New sign-in to your account', 'security'],
    ['Ihr Passwort wurde geändert', 'security'],
    ['Alerte de sécurité', 'security'],
    ['A new forwarding rule was created in your mailbox', 'security'],
    ['Forwarding to another address was turned on', 'security'],
    ['New inbox rule: “move to archive”', 'security'],
    ['Eine Weiterleitung wurde in Ihrem Postfach eingerichtet', 'security'],
    ['Se ha creado una nueva regla de reenvío', 'security'],
    ['Une nouvelle règle de transfert', 'security'],
    ['Your recovery address was changed', 'security'],
    ['Recovery email changed', 'security'],
    ['Ihre Wiederherstellungsadresse wurde geändert', 'security'],
    ['Tu correo de recuperación ha cambiado', 'security'],
    ['Your e-mails are being redirected to x@x.example', 'security'],
    ['Neue Umleitung für Ihr Postfach', 'security'],
    ['Your recovery phone was updated', 'security'],
    ['Password manager access was removed', 'security'],
    ['A passkey was added to your account', 'security'],
    ['An app-specific password was generated', 'security'],
    ['Two-step verification has been turned off', 'security'],
    ['Delegate access granted to x@x.example', 'security'],
    ['Bestätigung in zwei Schritten deaktiviert', 'security'],
    ['Passkey hinzugefügt', 'security'],
    ['Se ha desactivado la verificación en dos pasos', 'security'],
    ['Se ha cambiado su contraseña', 'security'],
    ['Clé d’accès ajoutée', 'security'],
    ['Adresse e-mail de récupération modifiée', 'security'],
    ['Verifica in due passaggi disattivata', 'security'],
    ['Hersteladres gewijzigd', 'security'],
    ['Verificação em duas etapas desativada', 'security'],
    ['Hasło zmienione', 'security'],
    ['Zmieniono hasło do konta', 'security'],
    ['Invoice 12: is this payment correct?', 'payment'],
    ['Rückfrage zur Rechnung', 'payment'],
  ])('are found by the subject %j', (subject, what) => {
    expect(removedNotices([target(subject)])).toMatchObject([
      { what, severity: 'red', source: { id: 'm1_x' } },
    ]);
  });

  it.each([
    'Five habits for better passwords',
    'Your payment was received',
    'New in our shop: devices for your account',
    'Looking forward to the new rules of the club',
    'New rules for the library',
    'Forwarding the minutes of Monday',
    'Messages will be forwarded to the committee',
    'Your mail will be forwarded to your new address',
    'Phone number updated in the club list',
    'Authenticator conference updated',
    'New passkey tutorial',
    'New delegate for the conference',
    'I granted Tom access to your calendar',
    'Password manager updated to version 4',
    'Lunch?',
  ])('are not found by the subject %j', (subject) => {
    expect(removedNotices([target(subject)])).toEqual([]);
  });
});
