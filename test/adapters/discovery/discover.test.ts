import { describe, expect, it, onTestFinished } from 'vitest';
import { discoverMail } from '../../../adapters/discovery/discover.ts';
import { dnsResolver } from '../../../adapters/discovery/dns.ts';
import { type HttpsAnswer, type HttpsGet, httpsGet } from '../../../adapters/discovery/https-get.ts';
import type { Resolver, ServiceHost } from '../../../core/ports/resolver.ts';
import { startNameServer } from '../../servers/dns.ts';

interface World {
  readonly mx?: Readonly<Record<string, readonly string[]>>;
  readonly srv?: Readonly<Record<string, readonly ServiceHost[]>>;
  /** By address without its query: a document, or a whole answer. */
  readonly web?: Readonly<Record<string, string | Partial<HttpsAnswer>>>;
  /** Whether the DNS answers at all. */
  readonly offline?: boolean;
}

function look(email: string, { mx = {}, srv = {}, web = {}, offline = false }: World = {}) {
  const asked: string[] = [];
  const down = Object.assign(new Error('down'), { code: 'ECONNREFUSED' });
  const resolver: Resolver = {
    async resolveMx(domain) {
      asked.push(`MX ${domain}`);
      if (offline) throw down;
      return mx[domain] ?? [];
    },
    async resolveSrv(name) {
      asked.push(`SRV ${name}`);
      if (offline) throw down;
      return srv[name] ?? [];
    },
    resolveAddresses: async () => [],
  };
  const get: HttpsGet = async (url) => {
    asked.push(url.href);
    const answer = web[`${url.origin}${url.pathname}`];
    if (answer === undefined) throw new Error('there is no such host');
    const whole = { status: 200, location: undefined, body: new Uint8Array() };
    return typeof answer === 'string' ? { ...whole, body: Buffer.from(answer) } : { ...whole, ...answer };
  };
  const { signal } = new AbortController();
  return { asked, found: discoverMail({ email, resolver, get, signal }) };
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

describe('a provider that is known', () => {
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
    ['ada@gmx.de', 'imap.gmx.net', 993, 'ada@gmx.de', 'mail.gmx.net', 465, 'switched on'],
    ['ada@web.de', 'imap.web.de', 993, 'ada@web.de', 'smtp.web.de', 587, 'switched on'],
    ['ada@mailbox.org', 'imap.mailbox.org', 993, 'ada@mailbox.org', 'smtp.mailbox.org', 465, 'two-factor'],
    ['ada@proton.me', '127.0.0.1', 1143, 'ada@proton.me', '127.0.0.1', 1025, 'Bridge'],
    ['ada@zoho.eu', 'imap.zoho.eu', 993, 'ada@zoho.eu', 'smtp.zoho.eu', 465, 'switched on'],
    ['ada@ya.ru', 'imap.yandex.com', 993, 'ada@ya.ru', 'smtp.yandex.com', 465, 'app password'],
  ])('%s, without asking anybody', async (email, imapHost, imapPort, imapUser, smtpHost, smtpPort, note) => {
    const { asked, found } = look(email);
    const discovery = await found;
    expect(discovery).toMatchObject({
      kind: 'found',
      imap: { host: imapHost, port: imapPort, user: imapUser },
      smtp: { host: smtpHost, port: smtpPort, user: email },
    });
    expect(discovery.kind === 'found' && discovery.notes.join(' ')).toContain(note);
    expect(asked).toEqual([]);
  });

  it('Posteo, which wants nothing special', async () => {
    expect(await look('ada@posteo.de').found).toMatchObject({ kind: 'found', notes: [] });
  });

  it.each([
    ['ada@outlook.com', 'ended sign-in by password'],
    ['ada@hotmail.com', 'ended sign-in by password'],
    ['ada@tuta.com', 'neither IMAP nor SMTP'],
  ])('%s cannot be used, and says why', async (email, reason) => {
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
  ])('takes the mail of a domain: %s', async (mx, host) => {
    const { asked, found } = look('ada@example.org', { mx: { 'example.org': [mx] } });
    expect(await found).toMatchObject({ kind: 'found', imap: { host } });
    expect(JSON.stringify(await found)).toContain('takes the mail of example.org');
    expect(asked).toEqual(['MX example.org']);
  });

  it.each(['example-org.mail.protection.outlook.com', 'example-org.i-v1.mx.microsoft'])(
    'takes the mail of a domain, but no password: %s',
    async (mx) => {
      expect((await look('ada@example.org', { mx: { 'example.org': [mx] } }).found).kind).toBe('unusable');
    },
  );

  it.each([['notgoogle.com'], ['google.com.evil.example'], ['filter.example.net', 'aspmx.l.google.com']])(
    'is not meant by %j',
    async (...mx) => {
      expect((await look('ada@example.org', { mx: { 'example.org': mx } }).found).kind).toBe('nothing');
    },
  );
});

describe('settings that the domain publishes', () => {
  it('are read, with where they come from; only the domain is told the address', async () => {
    const document = config(incoming(imaps), outgoing(submission));
    const { asked, found } = look('Ada+x@example.org', { web: { [AUTOCONFIG]: document } });
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
    expect(asked).toEqual([
      'MX example.org',
      `${AUTOCONFIG}?emailaddress=Ada%2Bx%40example.org`,
      'SRV _caldavs._tcp.example.org',
      CALENDAR,
    ]);
  });

  it('are looked for at the second place too, and a foreign host is pointed out', async () => {
    const smtp = submission.replace('smtp.example.org', 'mail.hoster.example');
    const { found } = look('ada@example.org', {
      web: { [AUTOCONFIG]: '<html/>', [WELL_KNOWN]: config(incoming(imaps), outgoing(smtp)) },
    });
    expect(await found).toMatchObject({
      kind: 'found',
      imap: { source: WELL_KNOWN },
      smtp: { host: 'mail.hoster.example' },
      notes: ["mail.hoster.example does not belong to example.org: make sure that it is your provider's."],
    });
  });

  it('are asked for by the ASCII form of the domain', async () => {
    const { asked, found } = look('ada@bücher.example');
    await found;
    expect(asked[0]).toBe('MX xn--bcher-kva.example');
    expect(asked[1]).toMatch(/^https:\/\/autoconfig\.xn--bcher-kva\.example\//);
  });

  it.each([
    [
      'the first server that will do',
      incoming(imaps, 'pop3') + incoming(imaps),
      { host: 'imap.example.org' },
    ],
    [
      'the one with TLS',
      incoming(imaps.replace('SSL', 'plain').replace('imap.', 'plain.')) + incoming(imaps),
      { host: 'imap.example.org' },
    ],
    [
      'the one with a password',
      incoming(imaps.replace('password-cleartext', 'OAuth2').replace('imap.', 'oauth.')) + incoming(imaps),
      { host: 'imap.example.org' },
    ],
    ['a user of its own', incoming(imaps.replace('ADDRESS%', 'LOCALPART%')), { user: 'ada' }],
    [
      'a host by placeholder',
      incoming(imaps.replace('example.org', '%EMAILDOMAIN%')),
      { host: 'imap.example.org' },
    ],
    [
      'several ways to sign in',
      incoming(`<authentication>OAuth2</authentication>${imaps}`),
      { host: 'imap.example.org' },
    ],
  ])('give %s', async (_name, servers, imap) => {
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
      'sending by address only',
      config(incoming(imaps), outgoing(submission.replace('password-cleartext', 'client-IP-address'))),
      'SMTP server does not take a password',
    ],
    ['plain text only', config(incoming(imaps.replace('SSL', 'plain')), outgoing(submission)), 'with TLS'],
    [
      'a loopback host',
      config(incoming(imaps.replace('imap.example.org', '127.0.0.1')), outgoing(submission)),
      'TLS',
    ],
    [
      'a host of this machine',
      config(incoming(imaps.replace('imap.example.org', 'localhost')), ''),
      'with TLS',
    ],
    [
      'a port that is none',
      config(incoming(imaps.replace('993', '99993')), outgoing(submission)),
      'with TLS',
    ],
    ['an unknown placeholder', config(incoming(imaps.replace('EMAILADDRESS', 'REALNAME')), ''), 'with TLS'],
    [
      'a user that does not show',
      config(incoming(imaps.replace('%EMAILADDRESS%', '\u001b[2Jada')), ''),
      'with TLS',
    ],
    ['a page', '<!doctype html><html></html>', 'the XML is broken'],
    ['something else', '<other/>', 'no settings of a mail provider'],
    ['an error', { status: 404 }, 'it answers 404'],
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
      'a redirect with a password',
      { status: 301, location: 'https://a:b@example.org/x' },
      'away from the domain',
    ],
    ['a redirect to nothing', { status: 301 }, 'it answers 301'],
    ['a redirect in a ring', { status: 307, location: AUTOCONFIG }, 'redirects too often'],
  ])('are of no use: %s', async (_name, answer, reason) => {
    const discovery = await look('ada@example.org', { web: { [AUTOCONFIG]: answer } }).found;
    expect(
      discovery.kind === 'nothing' && discovery.tried.find((line) => line.startsWith(AUTOCONFIG)),
    ).toContain(reason);
  });

  it('are followed to another host of the same domain', async () => {
    const { asked, found } = look('ada@example.org', {
      web: {
        [WELL_KNOWN]: { status: 301, location: 'https://www.example.org/mail.xml' },
        'https://www.example.org/mail.xml': config(incoming(imaps), outgoing(submission)),
      },
    });
    expect(await found).toMatchObject({
      kind: 'found',
      imap: { host: 'imap.example.org', source: WELL_KNOWN },
    });
    expect(asked).toContain('https://www.example.org/mail.xml');
  });
});

describe('settings in the DNS', () => {
  it('are used, TLS from the first byte before STARTTLS', async () => {
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
      notes: ["smtp.hoster.example does not belong to example.org: make sure that it is your provider's."],
    });
  });

  it.each([
    [
      'half of it',
      { '_imaps._tcp.example.org': [{ host: 'imap.example.org', port: 993 }] },
      'no server for sending',
    ],
    [
      'the other half',
      { '_submissions._tcp.example.org': [{ host: 'smtp.example.org', port: 465 }] },
      'no server for IMAP',
    ],
    [
      'hosts that are none',
      {
        '_imaps._tcp.example.org': [{ host: 'localhost', port: 993 }],
        '_submissions._tcp.example.org': [{ host: '10.0.0.1', port: 465 }],
      },
      'names no IMAP and submission servers',
    ],
  ])('do not do: %s', async (_name, srv, reason) => {
    const discovery = await look('ada@example.org', { srv }).found;
    expect(discovery.kind === 'nothing' && discovery.tried.at(-1)).toContain(reason);
  });
});

describe('on a name server', () => {
  const srv = (port: number, host: string) => ({ srv: [0, 1, port, host] as const });

  it.each([
    ['its own', [srv(993, 'imap.example.org')], 'found'],
    ['none', [srv(0, '.')], 'nothing'],
  ] as const)('with hosts of a private network, and services of %s', async (_name, imaps, kind) => {
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
      signal,
    });
    expect(discovery.kind).toBe(kind);
    if (discovery.kind === 'nothing') {
      expect(discovery.tried).toEqual([
        'The mail of example.org goes to mx.example.org, which is of no provider that is known here.',
        `${AUTOCONFIG} gave no settings: its address is not one of the public internet.`,
        `${WELL_KNOWN} gave no settings: its address is not one of the public internet.`,
        'From the DNS, _submissions._tcp.example.org, comes smtp.example.org:465, but there is no server for IMAP.',
      ]);
    }
  });
});

describe('nothing', () => {
  it('is told with everything that was tried, in order', async () => {
    const { asked, found } = look('ada@example.org', { mx: { 'example.org': ['mx.example.org'] } });
    const discovery = await found;
    expect(discovery.kind === 'nothing' && discovery.tried).toEqual([
      'The mail of example.org goes to mx.example.org, which is of no provider that is known here.',
      `${AUTOCONFIG} gave no settings: there is no such host.`,
      `${WELL_KNOWN} gave no settings: there is no such host.`,
      'The DNS names no IMAP and submission servers of example.org (SRV).',
    ]);
    expect(asked.map((question) => question.split('?')[0])).toEqual([
      'MX example.org',
      AUTOCONFIG,
      WELL_KNOWN,
      'SRV _imaps._tcp.example.org',
      'SRV _submissions._tcp.example.org',
      'SRV _imap._tcp.example.org',
      'SRV _submission._tcp.example.org',
    ]);
  });

  it('is not said of a DNS that does not answer: that is told', async () => {
    const discovery = await look('ada@example.org', { offline: true }).found;
    expect(discovery.kind === 'nothing' && discovery.tried[0]).toBe(
      'The DNS could not be asked which server takes the mail of example.org (ECONNREFUSED).',
    );
    expect(discovery.kind === 'nothing' && discovery.tried).toContain(
      'The DNS could not be asked for _imaps._tcp.example.org (ECONNREFUSED).',
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
  ])('is found for %s, and nobody is asked', async (email) => {
    const { asked, found } = look(email);
    expect((await found).kind).toBe('nothing');
    expect(asked).toEqual([]);
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
      throw new Error('nobody is to be asked any more');
    };
    await expect(
      discoverMail({ email: 'ada@example.org', resolver, get, signal: giveUp.signal }),
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
  ])('of a provider is known: %s', async (email, url, user) => {
    const { asked, found } = look(email);
    expect(await found).toMatchObject({ kind: 'found', caldav: { url, user } });
    expect(asked).toEqual([]);
  });

  it('of Gmail cannot be connected, which is said', async () => {
    const discovery = await look('ada@gmail.com').found;
    expect(discovery).toMatchObject({ kind: 'found', caldav: undefined });
    expect(discovery.kind === 'found' && discovery.notes.join(' ')).toContain('calendar takes OAuth only');
  });

  it('is found by the DNS; a foreign host is pointed out', async () => {
    const srv = { '_caldavs._tcp.example.org': [{ host: 'dav.hoster.example', port: 8443 }] };
    expect(await calendarOf({ srv })).toEqual({
      caldav: {
        url: 'https://dav.hoster.example:8443/',
        user: 'ada@example.org',
        source: 'the DNS, _caldavs._tcp.example.org',
      },
      notes: ["dav.hoster.example does not belong to example.org: make sure that it is your provider's."],
    });
  });

  it('is found at the well-known address of the domain', async () => {
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
  ])('is not found by %s', async (_what, answer) => {
    expect(await calendarOf({ web: { [CALENDAR]: answer } })).toEqual({ caldav: undefined, notes: [] });
  });
});
