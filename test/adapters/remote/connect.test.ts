import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import { dnsResolver } from '../../../adapters/discovery/dns.ts';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { connectTls, connectTo, type PrivateServer } from '../../../adapters/remote/connect.ts';
import { smtpSender } from '../../../adapters/smtp/sender.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import { startNameServer, type Zone } from '../../servers/dns.ts';

const { signal } = new AbortController();
const REFUSED = { code: 'refused', message: expect.stringContaining('COUNTERSIGN_ALLOW_PRIVATE_SERVERS') };

let server: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

async function resolverOf(zone: Zone): Promise<(host: string) => Promise<readonly string[]>> {
  const names = await startNameServer(zone);
  onTestFinished(() => names.close());
  const resolver = dnsResolver({ servers: [names.address] });
  return (host) => resolver.resolveAddresses(host, signal);
}

describe('a server at a private address', () => {
  it.each([
    ...[
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      'localhost',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
    ],
    ...[
      '10.0.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '169.254.169.254',
      '168.63.129.16',
      '0.0.0.0',
      '64:ff9b::7f00:1',
    ],
    ...['fd00:ec2::254', 'fe80::1', 'fe80::1%lo', '2002:7f00:1::1', '::'],
  ])('is refused before anything is sent: %s', async (host) => {
    const before = connections;
    for (const connect of [connectTo, connectTls]) {
      await expect(connect({ host, port }, { allowPrivateServers: false }, signal)).rejects.toMatchObject(
        REFUSED,
      );
    }
    expect(connections).toBe(before);
  });

  it('is reached if that is allowed', async () => {
    const socket = await connectTo({ host: '127.0.0.1', port }, { allowPrivateServers: true }, signal);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  it('is allowed or refused by its host and its address', async () => {
    const checked: PrivateServer[] = [];
    const allowPrivateServers = async (one: PrivateServer) => {
      checked.push(one);
      return true;
    };
    (await connectTo({ host: 'localhost', port }, { allowPrivateServers }, signal)).destroy();
    expect(checked).toContainEqual({ host: 'localhost', address: '127.0.0.1' });
  });

  it.each<[string, Zone]>([
    ['beside a public one', { 'A mixed.example': [{ a: '93.184.216.34' }, { a: '127.0.0.1' }] }],
    [
      'in the other address family',
      {
        'A mixed.example': [{ a: '93.184.216.34' }],
        'AAAA mixed.example': [{ aaaa: [0, 0, 0, 0, 0, 0, 0, 1] }],
      },
    ],
    ['in mapped form', { 'AAAA mixed.example': [{ aaaa: [0, 0, 0, 0, 0, 0xffff, 0x7f00, 1] }] }],
  ])('is detected in every DNS answer: %s', async (_where, zone) => {
    const before = connections;
    const reach = { allowPrivateServers: false, addressesOf: await resolverOf(zone) };
    await expect(connectTo({ host: 'mixed.example', port }, reach, signal)).rejects.toMatchObject(REFUSED);
    expect(connections).toBe(before);
  });

  it('is not reached by a name whose DNS answer changes after the check', async () => {
    let questions = 0;
    const zone: Zone = {
      get 'A rebound.example'() {
        questions += 1;
        return [{ a: questions === 1 ? '127.0.0.1' : '127.0.0.9' }];
      },
    };
    const checked: string[] = [];
    const allowPrivateServers = ({ address }: PrivateServer) => {
      checked.push(address);
      return address === '127.0.0.1';
    };
    const reach = { allowPrivateServers, addressesOf: await resolverOf(zone) };
    const socket = await connectTo({ host: 'rebound.example', port }, reach, signal);
    expect({ checked, reached: socket.remoteAddress }).toEqual({
      checked: ['127.0.0.1'],
      reached: '127.0.0.1',
    });
    socket.destroy();
    // A later connection is checked again.
    await expect(connectTo({ host: 'rebound.example', port }, reach, signal)).rejects.toMatchObject(REFUSED);
  });

  it('that has no address cannot be reached', async () => {
    const reach = { allowPrivateServers: false, addressesOf: async () => [] };
    await expect(connectTo({ host: 'none.example', port }, reach, signal)).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
  });
});

describe('every protocol', () => {
  const mail = (security: 'tls' | 'none') => ({ host: '127.0.0.1', port, security, user: 'u', pass: 'p' });
  const call = (settings: unknown): MailCall => ({
    account: { ownerId: 'o', accountId: 1, email: 'u@example.org', settings: async () => settings },
    signal,
    deadlineMs: 10_000,
  });

  it.each<[string, (allow: () => boolean) => Promise<unknown>]>([
    [
      'IMAP',
      (allow) =>
        imapMail({ allowPrivateServers: allow }).folders(call({ imap: mail('none'), smtp: mail('none') })),
    ],
    [
      'IMAP over TLS',
      (allow) =>
        imapMail({ allowPrivateServers: allow }).folders(call({ imap: mail('tls'), smtp: mail('tls') })),
    ],
    ['SMTP', (allow) => smtpSender({ allowPrivateServers: allow }).verify(mail('none'), signal)],
    ['SMTP over TLS', (allow) => smtpSender({ allowPrivateServers: allow }).verify(mail('tls'), signal)],
    [
      'CalDAV',
      (allow) =>
        caldavCalendar({ reader: inlineReader(), allowPrivateServers: allow }).calendars(
          call({ caldav: { url: `http://127.0.0.1:${port}/`, user: 'u', pass: 'p' } }),
        ),
    ],
    [
      'CalDAV over TLS',
      (allow) =>
        caldavCalendar({ reader: inlineReader(), allowPrivateServers: allow }).calendars(
          call({ caldav: { url: `https://127.0.0.1:${port}/`, user: 'u', pass: 'p' } }),
        ),
    ],
  ])('checks the address before each connection: %s', async (_protocol, use) => {
    const before = connections;
    await expect(use(() => false)).rejects.toMatchObject(REFUSED);
    expect(connections).toBe(before);
    // The server closes what it accepts.
    await expect(use(() => true)).rejects.toMatchObject({ code: 'unavailable' });
    expect(connections).toBeGreaterThan(before);
  });

  it('refuses private addresses by default', async () => {
    const settings = {
      imap: mail('none'),
      smtp: mail('none'),
      caldav: { url: `http://127.0.0.1:${port}/`, user: 'u', pass: 'p' },
    };
    await expect(imapMail().verify(call(settings))).rejects.toMatchObject(REFUSED);
    await expect(caldavCalendar({ reader: inlineReader() }).calendars(call(settings))).rejects.toMatchObject(
      REFUSED,
    );
  });

  it('checks again for a later connection of a connected account', async () => {
    let allowed = true;
    const port = imapMail({ allowPrivateServers: () => allowed });
    const settings = { imap: mail('none'), smtp: mail('none') };
    await expect(port.folders(call(settings))).rejects.toMatchObject({ code: 'unavailable' });
    allowed = false;
    // Longer than the pause after a failure.
    await expect
      .poll(() => port.folders(call(settings)).catch((error: unknown) => error))
      .toMatchObject(REFUSED);
  });
});
