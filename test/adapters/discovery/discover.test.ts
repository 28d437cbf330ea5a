import { describe, expect, it, onTestFinished } from 'vitest';
import { discoverMail } from '../../../adapters/discovery/discover.ts';
import { dnsResolver } from '../../../adapters/discovery/dns.ts';
import { type HttpsAnswer, type HttpsGet, httpsGet } from '../../../adapters/discovery/https-get.ts';
import type { Resolver, ServiceHost } from '../../../adapters/discovery/resolver.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { startNameServer } from '../../servers/dns.ts';

interface World {
  readonly mx?: Readonly<Record<string, readonly string[]>>;
  readonly srv?: Readonly<Record<string, readonly ServiceHost[]>>;
  /** By URL without its query: a document, or a whole response. */
  readonly web?: Readonly<Record<string, string | Partial<HttpsAnswer>>>;
  /** Whether the DNS answers at all. */
  readonly offline?: boolean;
}

function look(email: string, { mx = {}, srv = {}, web = {}, offline = false }: World = {}) {
  const requests: string[] = [];
  const down = Object.assign(new Error('down'), { code: 'ECONNREFUSED' });
  const resolver: Resolver = {
    async resolveMx(domain) {
      requests.push(`MX ${domain}`);
      if (offline) throw down;
      return mx[domain] ?? [];
    },
    async resolveSrv(name) {
      requests.push(`SRV ${name}`);
      if (offline) throw down;
      return srv[name] ?? [];
    },
    resolveAddresses: async () => [],
  };
  const get: HttpsGet = async (url) => {
    requests.push(url.href);
    const answer = web[`${url.origin}${url.pathname}`];
    if (answer === undefined) throw new Error('there is no such host');
    const whole = { status: 200, location: undefined, body: new Uint8Array() };
    return typeof answer === 'string' ? { ...whole, body: Buffer.from(answer) } : { ...whole, ...answer };
  };
  const { signal } = new AbortController();
  return { requests, found: discoverMail({ email, resolver, get, reader: inlineReader(), signal }) };
}

const WELL_KNOWN = 'https://example.org/.well-known/autoconfig/mail/config-v1.1.xml';
const CALENDAR = 'https://example.org/.well-known/caldav';
const AUTOCONFIG = 'https://autoconfig.example.org/mail/config-v1.1.xml';

const server = (fields: Readonly<Record<string, string>>) =>
  Object.entries({ authentication: 'password-cleartext', username: '%EMAILADDRESS%', ...fields })
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('');
const imaps = server({ hostname: 'imap.example.org', port: '993', socketType: 'SSL' });
const submission = server({ hostname: 'smtp.example.org', port: '587', socketType: 'STARTTLS' });
const config = (incoming: string, outgoing: string) =>
  `<?xml version="1.0"?><clientConfig version="1.1"><emailProvider id="example.org">${incoming}${outgoing}</emailProvider></clientConfig>`;
const incoming = (inner: string, type = 'imap') => `<incomingServer type="${type}">${inner}</incomingServer>`;
const outgoing = (inner: string) => `<outgoingServer type="smtp">${inner}</outgoingServer>`;

describe('a known provider', () => {
  it.each([
    ['ada@gmail.com', 'imap.gmail.com', 993, 'ada@gmail.com', 'smtp.gmail.com', 465, 'app password'],
    [
      'ada@Yahoo.co.uk',
      'imap.mail.yahoo.com',
      993,
      'ada@Yahoo.co.uk',
      'smtp.mail.yahoo.com',
      465,
      'app password',
    ],
    ['ada@aol.com', 'imap.aol.com', 993, 'ada@aol.com', 'smtp.aol.com', 465, 'app password'],
    ['ada@icloud.com', 'imap.mail.me.com', 993, 'ada', 'smtp.mail.me.com', 587, 'app password'],
    [
      'ada@fastmail.com',
      'imap.fastmail.com',
      993,
      'ada@fastmail.com',
      'smtp.fastmail.com',
      465,
      'app password',
    ],
    ['ada@gmx.de', 'imap.gmx.net', 993, 'ada@gmx.de', 'mail.gmx.net', 465, 'turn on IMAP'],
    ['ada@web.de', 'imap.web.de', 993, 'ada@web.de', 'smtp.web.de', 587, 'turn on IMAP'],
    ['ada@mailbox.org', 'imap.mailbox.org', 993, 'ada@mailbox.org', 'smtp.mailbox.org', 465, 'two-factor'],
    ['ada@proton.me', '127.0.0.1', 1143, 'ada@proton.me', '127.0.0.1', 1025, 'Bridge'],
    ['ada@zoho.eu', 'imap.zoho.eu', 993, 'ada@zoho.eu', 'smtp.zoho.eu', 465, 'turn on IMAP'],
    ['ada@ya.ru', 'imap.yandex.com', 993, 'ada@ya.ru', 'smtp.yandex.com', 465, 'app password'],
  ])(
    'is used without any network request: %s',
    async (email, imapHost, imapPort, imapUser, smtpHost, smtpPort, note) => {
      const { requests, found } = look(email);
      const discovery = await found;
      expect(discovery).toMatchObject({
        kind: 'found',
        imap: { host: imapHost, port: imapPort, user: imapUser },
        smtp: { host: smtpHost, port: smtpPort, user: email },
      });
      expect(discovery.kind === 'found' && discovery.notes.join(' ')).toContain(note);
      expect(requests).toEqual([]);
    },
  );

  it('needs no notes for Posteo', async () => {
    expect(await look('ada@posteo.de').found).toMatchObject({ kind: 'found', notes: [] });
  });

  it.each([
    ['ada@outlook.com', 'no longer accepts passwords'],
    ['ada@hotmail.com', 'no longer accepts passwords'],
    ['ada@tuta.com', 'neither IMAP nor SMTP'],
  ])('cannot be used, and says why: %s', async (email, reason) => {
    expect(await look(email).found).toMatchObject({
      kind: 'unusable',
      reason: expect.stringContaining(reason) as unknown,
    });
  });

  it.each([
    ['aspmx.l.google.com', 'imap.gmail.com'],
    ['SMTP.GOOGLE.COM.', 'imap.gmail.com'],
    ['in1-smtp.messagingengine.com', 'imap.fastmail.com'],
    ['mx01.mail.icloud.com', 'imap.mail.me.com'],
    ['mx.zoho.eu', 'imappro.zoho.eu'],
    ['mail.protonmail.ch', '127.0.0.1'],
  ])('is recognised by the MX %s', async (mx, host) => {
    const { requests, found } = look('ada@example.org', { mx: { 'example.org': [mx] } });
    expect(await found).toMatchObject({ kind: 'found', imap: { host } });
    expect(JSON.stringify(await found)).toContain('receives mail for example.org');
    expect(requests).toEqual(['MX example.org']);
  });

  it.each(['example-org.mail.protection.outlook.com', 'example-org.i-v1.mx.microsoft'])(
    'is recognised by its MX but takes no password: %s',
    async (mx) => {
      expect((await look('ada@example.org', { mx: { 'example.org': [mx] } }).found).kind).toBe('unusable');
    },
  );

  it.each([['notgoogle.com'], ['google.com.evil.example'], ['filter.example.net', 'aspmx.l.google.com']])(
    'is not matched by the MX %j',
    async (...mx) => {
      expect((await look('ada@example.org', { mx: { 'example.org': mx } }).found).kind).toBe('nothing');
    },
  );
});

describe('settings that the domain publishes over HTTPS', () => {
  it('are read with their source; only the domain learns the address', async () => {
    const document = config(incoming(imaps), outgoing(submission));
    const { requests, found } = look('Ada+x@example.org', { web: { [AUTOCONFIG]: document } });
    expect(await found).toEqual({
      kind: 'found',
      imap: {
        host: 'imap.example.org',
        port: 993,
        security: 'tls',
        user: 'Ada+x@example.org',
        source: AUTOCONFIG,
      },
      smtp: {
        host: 'smtp.example.org',
        port: 587,
        security: 'starttls',
        user: 'Ada+x@example.org',
        source: AUTOCONFIG,
      },
      caldav: undefined,
      notes: [],
    });
    expect(requests).toEqual([
      'MX example.org',
      `${AUTOCONFIG}?emailaddress=Ada%2Bx%40example.org`,
      'SRV _caldavs._tcp.example.org',
      CALENDAR,
    ]);
  });

  it('are also read from the well-known URL, with a note about a host outside the domain', async () => {
    const smtp = submission.replace('smtp.example.org', 'mail.hoster.example');
    const { found } = look('ada@example.org', {
      web: { [AUTOCONFIG]: '<html/>', [WELL_KNOWN]: config(incoming(imaps), outgoing(smtp)) },
    });
    expect(await found).toMatchObject({
      kind: 'found',
      imap: { source: WELL_KNOWN },
      smtp: { host: 'mail.hoster.example' },
      notes: ['mail.hoster.example is not part of example.org. Make sure that it belongs to your provider.'],
    });
  });

  it('are requested by the ASCII form of the domain', async () => {
    const { requests, found } = look('ada@bücher.example');
    await found;
    expect(requests[0]).toBe('MX xn--bcher-kva.example');
    expect(requests[1]).toMatch(/^https:\/\/autoconfig\.xn--bcher-kva\.example\//);
  });

  it.each([
    ['the first usable server', incoming(imaps, 'pop3') + incoming(imaps), { host: 'imap.example.org' }],
    [
      'the server with TLS',
      incoming(imaps.replace('SSL', 'plain').replace('imap.', 'plain.')) + incoming(imaps),
      { host: 'imap.example.org' },
    ],
    [
      'the server that takes a password',
      incoming(imaps.replace('password-cleartext', 'OAuth2').replace('imap.', 'oauth.')) + incoming(imaps),
      { host: 'imap.example.org' },
    ],
    ['a user of its own', incoming(imaps.replace('ADDRESS%', 'LOCALPART%')), { user: 'ada' }],
    [
      'a host from a placeholder',
      incoming(imaps.replace('example.org', '%EMAILDOMAIN%')),
      { host: 'imap.example.org' },
    ],
    [
      'a server with several sign-in methods',
      incoming(`<authentication>OAuth2</authentication>${imaps}`),
      { host: 'imap.example.org' },
    ],
  ])('yield %s', async (_name, servers, imap) => {
    const { found } = look('ada@example.org', {
      web: { [AUTOCONFIG]: config(servers, outgoing(submission)) },
    });
    expect(await found).toMatchObject({ kind: 'found', imap });
  });

  it.each([
    ['no IMAP', config(incoming(imaps, 'pop3'), outgoing(submission)), 'offers no IMAP'],
    ['no SMTP', config(incoming(imaps), ''), 'offers no SMTP'],
    [
      'OAuth only',
      config(incoming(imaps.replace('password-cleartext', 'OAuth2')), outgoing(submission)),
      'does not take a password',
    ],
    [
      'no password for sending',
      config(incoming(imaps), outgoing(submission.replace('password-cleartext', 'client-IP-address'))),
      'SMTP server does not take a password',
    ],
    ['plain text only', config(incoming(imaps.replace('SSL', 'plain')), outgoing(submission)), 'with TLS'],
    [
      'a loopback host',
      config(incoming(imaps.replace('imap.example.org', '127.0.0.1')), outgoing(submission)),
      'TLS',
    ],
    ['a single-label host', config(incoming(imaps.replace('imap.example.org', 'localhost')), ''), 'with TLS'],
    ['an invalid port', config(incoming(imaps.replace('993', '99993')), outgoing(submission)), 'with TLS'],
    ['an unknown placeholder', config(incoming(imaps.replace('EMAILADDRESS', 'REALNAME')), ''), 'with TLS'],
    ['an invisible user', config(incoming(imaps.replace('%EMAILADDRESS%', '\u202eada')), ''), 'with TLS'],
    ['a page', '<!doctype html><html></html>', 'the XML is broken'],
    ['another document', '<other/>', 'the XML is a different document'],
    ['a document without a provider', '<clientConfig/>', 'no mail provider settings'],
    ['an error', { status: 404 }, 'it answered 404'],
    ['a redirect elsewhere', { status: 302, location: 'https://evil.example/x.xml' }, 'away from the domain'],
    [
      'a redirect to a look-alike',
      { status: 302, location: 'https://evilexample.org/x' },
      'away from the domain',
    ],
    ['a redirect without TLS', { status: 301, location: 'http://example.org/x.xml' }, 'away from the domain'],
    [
      'a redirect to another port',
      { status: 301, location: 'https://example.org:8443/x' },
      'away from the domain',
    ],
    [
      'a redirect with credentials',
      { status: 301, location: 'https://a:b@example.org/x' },
      'away from the domain',
    ],
    ['a redirect to nothing', { status: 301 }, 'it answered 301'],
    ['a redirect in a ring', { status: 307, location: AUTOCONFIG }, 'redirects too often'],
  ])('are ignored: %s', async (_name, answer, reason) => {
    const discovery = await look('ada@example.org', { web: { [AUTOCONFIG]: answer } }).found;
    expect(
      discovery.kind === 'nothing' && discovery.tried.find((line) => line.startsWith(AUTOCONFIG)),
    ).toContain(reason);
  });

  it('may be redirected to another host of the same domain', async () => {
    const { requests, found } = look('ada@example.org', {
      web: {
        [WELL_KNOWN]: { status: 301, location: 'https://www.example.org/mail.xml' },
        'https://www.example.org/mail.xml': config(incoming(imaps), outgoing(submission)),
      },
    });
    expect(await found).toMatchObject({
      kind: 'found',
      imap: { host: 'imap.example.org', source: WELL_KNOWN },
    });
    expect(requests).toContain('https://www.example.org/mail.xml');
  });
});

describe('settings in the DNS', () => {
  it('prefer TLS from the first byte to STARTTLS', async () => {
    const { found } = look('ada@example.org', {
      srv: {
        '_imaps._tcp.example.org': [{ host: 'imap.example.org', port: 993 }],
        '_imap._tcp.example.org': [{ host: 'old.example.org', port: 143 }],
        '_submission._tcp.example.org': [{ host: 'smtp.hoster.example', port: 587 }],
      },
    });
    expect(await found).toEqual({
      kind: 'found',
      imap: {
        host: 'imap.example.org',
        port: 993,
        security: 'tls',
        user: 'ada@example.org',
        source: 'the DNS, _imaps._tcp.example.org',
      },
      smtp: {
        host: 'smtp.hoster.example',
        port: 587,
        security: 'starttls',
        user: 'ada@example.org',
        source: 'the DNS, _submission._tcp.example.org',
      },
      notes: ['smtp.hoster.example is not part of example.org. Make sure that it belongs to your provider.'],
    });
  });

  it.each([
    [
      'only IMAP',
      { '_imaps._tcp.example.org': [{ host: 'imap.example.org', port: 993 }] },
      'no server for sending',
    ],
    [
      'only submission',
      { '_submissions._tcp.example.org': [{ host: 'smtp.example.org', port: 465 }] },
      'no server for IMAP',
    ],
    [
      'invalid hosts',
      {
        '_imaps._tcp.example.org': [{ host: 'localhost', port: 993 }],
        '_submissions._tcp.example.org': [{ host: '10.0.0.1', port: 465 }],
      },
      'lists no IMAP or submission servers',
    ],
  ])('are ignored: %s', async (_name, srv, reason) => {
    const discovery = await look('ada@example.org', { srv }).found;
    expect(discovery.kind === 'nothing' && discovery.tried.at(-1)).toContain(reason);
  });
});

describe('a discovery through a real name server', () => {
  const srv = (port: number, host: string) => ({ srv: [0, 1, port, host] as const });

  it.each([
    ['its own', [srv(993, 'imap.example.org')], 'found'],
    ['none', [srv(0, '.')], 'nothing'],
  ] as const)('with hosts on a private network and services of %s', async (_name, imaps, kind) => {
    const server = await startNameServer({
      'MX example.org': [{ mx: [10, 'mx.example.org'] }],
      'A autoconfig.example.org': [{ a: '127.0.0.1' }],
      'A example.org': [{ a: '8.8.8.8' }, { a: '10.0.0.1' }],
      'SRV _imaps._tcp.example.org': imaps,
      'SRV _submissions._tcp.example.org': [srv(465, 'smtp.example.org')],
    });
    onTestFinished(() => server.close());
    const resolver = dnsResolver({ servers: [server.address] });
    const { signal } = new AbortController();
    const discovery = await discoverMail({
      email: 'ada@example.org',
      resolver,
      get: httpsGet({ resolver }),
      reader: inlineReader(),
      signal,
    });
    expect(discovery.kind).toBe(kind);
    if (discovery.kind === 'nothing') {
      expect(discovery.tried).toEqual([
        'Mail for example.org goes to mx.example.org, which belongs to no provider that Countersign knows.',
        `${AUTOCONFIG} gave no settings: its address is not public.`,
        `${WELL_KNOWN} gave no settings: its address is not public.`,
        'Found smtp.example.org:465 (from the DNS, _submissions._tcp.example.org), but no server for IMAP.',
      ]);
    }
  });
});

describe('a failed search', () => {
  it('lists everything that was tried, in order', async () => {
    const { requests, found } = look('ada@example.org', { mx: { 'example.org': ['mx.example.org'] } });
    const discovery = await found;
    expect(discovery.kind === 'nothing' && discovery.tried).toEqual([
      'Mail for example.org goes to mx.example.org, which belongs to no provider that Countersign knows.',
      `${AUTOCONFIG} gave no settings: there is no such host.`,
      `${WELL_KNOWN} gave no settings: there is no such host.`,
      'The DNS lists no IMAP or submission servers (SRV) for example.org.',
    ]);
    expect(requests.map((question) => question.split('?')[0])).toEqual([
      'MX example.org',
      AUTOCONFIG,
      WELL_KNOWN,
      'SRV _imaps._tcp.example.org',
      'SRV _submissions._tcp.example.org',
      'SRV _imap._tcp.example.org',
      'SRV _submission._tcp.example.org',
    ]);
  });

  it('says that the DNS did not answer', async () => {
    const discovery = await look('ada@example.org', { offline: true }).found;
    expect(discovery.kind === 'nothing' && discovery.tried[0]).toBe(
      'The DNS lookup of the mail server (MX) of example.org failed (ECONNREFUSED).',
    );
    expect(discovery.kind === 'nothing' && discovery.tried).toContain(
      'The DNS lookup of _imaps._tcp.example.org failed (ECONNREFUSED).',
    );
  });

  it.each([
    'ada@localhost',
    'ada@127.0.0.1',
    'ada@[127.0.0.1]',
    'ada@[::1]',
    'ada@',
    'ada',
    'ada@exa mple.org',
    'ada@a..b',
  ])('makes no request for %s', async (email) => {
    const { requests, found } = look(email);
    expect((await found).kind).toBe('nothing');
    expect(requests).toEqual([]);
  });

  it('ends with the signal', async () => {
    const giveUp = new AbortController();
    const reason = new Error('given up');
    const resolver: Resolver = {
      resolveMx: async (_domain, signal) => {
        giveUp.abort(reason);
        signal.throwIfAborted();
        return [];
      },
      resolveSrv: async () => [],
      resolveAddresses: async () => [],
    };
    const get: HttpsGet = async () => {
      throw new Error('no more requests are expected');
    };
    await expect(
      discoverMail({
        email: 'ada@example.org',
        resolver,
        get,
        reader: inlineReader(),
        signal: giveUp.signal,
      }),
    ).rejects.toBe(reason);
  });
});

describe('the calendar', () => {
  const document = config(incoming(imaps), outgoing(submission));
  const calendarOf = async (world: World) => {
    const discovery = await look('ada@example.org', {
      ...world,
      web: { [AUTOCONFIG]: document, ...world.web },
    }).found;
    return discovery.kind === 'found' ? { caldav: discovery.caldav, notes: discovery.notes } : undefined;
  };

  it.each([
    ['ada@icloud.com', 'https://caldav.icloud.com/', 'ada@icloud.com'],
    ['ada@fastmail.com', 'https://caldav.fastmail.com/', 'ada@fastmail.com'],
    ['ada@posteo.de', 'https://posteo.de:8443/', 'ada@posteo.de'],
    ['ada@mailbox.org', 'https://dav.mailbox.org/', 'ada@mailbox.org'],
    ['ada@gmx.de', 'https://caldav.gmx.net/', 'ada@gmx.de'],
  ])('of a known provider: %s', async (email, url, user) => {
    const { requests, found } = look(email);
    expect(await found).toMatchObject({ kind: 'found', caldav: { url, user } });
    expect(requests).toEqual([]);
  });

  it('of Gmail needs the sign-in with Google, and a note says so', async () => {
    const discovery = await look('ada@gmail.com').found;
    expect(discovery).toMatchObject({ kind: 'found', caldav: undefined, signIn: 'google' });
    expect(discovery.kind === 'found' && discovery.notes.join(' ')).toContain(
      'It needs the sign-in with Google',
    );
    expect(await look('ada@outlook.com').found).toMatchObject({ kind: 'unusable', signIn: 'microsoft' });
  });

  it('is found by SRV, with a note about a host outside the domain', async () => {
    const srv = { '_caldavs._tcp.example.org': [{ host: 'dav.hoster.example', port: 8443 }] };
    expect(await calendarOf({ srv })).toEqual({
      caldav: {
        url: 'https://dav.hoster.example:8443/',
        user: 'ada@example.org',
        source: 'the DNS, _caldavs._tcp.example.org',
      },
      notes: ['dav.hoster.example is not part of example.org. Make sure that it belongs to your provider.'],
    });
  });

  it('is found at the well-known URL of the domain', async () => {
    const web = { [CALENDAR]: { status: 301, location: 'https://cloud.example.org/remote.php/dav/?x=1' } };
    expect(await calendarOf({ web })).toEqual({
      caldav: { url: 'https://cloud.example.org/remote.php/dav/', user: 'ada@example.org', source: CALENDAR },
      notes: [],
    });
    expect(await calendarOf({ web: { [CALENDAR]: { status: 401 } } })).toMatchObject({
      caldav: { url: CALENDAR },
    });
  });

  it.each([
    ['a redirect away from the domain', { status: 301, location: 'https://evil.example/dav/' }],
    ['a redirect to plain HTTP', { status: 301, location: 'http://example.org/dav/' }],
    ['a redirect to the front page', { status: 302, location: '/' }],
    ['a page', { status: 200 }],
    ['nothing', { status: 404 }],
  ])('is not found from %s', async (_what, answer) => {
    expect(await calendarOf({ web: { [CALENDAR]: answer } })).toEqual({ caldav: undefined, notes: [] });
  });
});
