import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { dnsResolver } from '../../../adapters/discovery/dns.ts';
import { httpsSender } from '../../../adapters/webhooks/https-sender.ts';
import { makeCertificate } from '../../servers/certificate.ts';
import { startNameServer, type Zone } from '../../servers/dns.ts';

const HOST = 'hooks.example';
/** Public, but no longer routed anywhere: the network of 6bone. */
const UNROUTED = { aaaa: [0x3ffe, 0, 0, 0, 0, 0, 0, 1] };
const PUBLIC = { a: '93.184.216.34' };
const PRIVATE = expect.stringContaining('private');

describe('httpsSender, with DNS that fails or lies', () => {
  let folder: string;
  let ca: string;
  let receiver: tls.Server;
  let connections = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-dns-'));
    const { certFile, keyFile } = await makeCertificate(folder, { names: `DNS:${HOST}` });
    ca = readFileSync(certFile, 'utf8');
    receiver = tls.createServer({ cert: ca, key: readFileSync(keyFile) }, (socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'));
    });
    receiver.on('connection', () => {
      connections += 1;
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
  });
  afterAll(() => {
    receiver.close();
    rmSync(folder, { recursive: true });
  });

  async function open(zone: Zone, options: { allowPrivateTargets?: readonly string[] } = {}) {
    const names = await startNameServer(zone);
    const resolver = dnsResolver({ servers: [names.address] });
    const sender = httpsSender({
      ...options,
      ca,
      addressesOf: (host) => resolver.resolveAddresses(host, new AbortController().signal),
    });
    onTestFinished(async () => {
      await sender.close();
      await names.close();
    });
    return (timeLimitMs = 10_000) =>
      sender.post({
        url: `https://${HOST}:${(receiver.address() as AddressInfo).port}/hook`,
        headers: {},
        signal: new AbortController().signal,
        body: Buffer.from('{}'),
        timeLimitMs,
      });
  }

  it('posts to a private address only if the operator allows the host', async () => {
    const zone = { [`A ${HOST}`]: [{ a: '127.0.0.1' }] };
    const post = await open(zone, { allowPrivateTargets: [HOST] });
    expect(await post()).toMatchObject({ kind: 'answered', status: 204 });
    const refused = await open(zone, { allowPrivateTargets: ['other.example'] });
    expect(await refused()).toEqual({ kind: 'unanswered', reason: PRIVATE });
  });

  it.each<[string, Zone]>([
    ['among public addresses', { [`A ${HOST}`]: [PUBLIC, PUBLIC, { a: '10.0.0.1' }] }],
    [
      'in the other address family',
      { [`A ${HOST}`]: [PUBLIC], [`AAAA ${HOST}`]: [{ aaaa: [0xfd00, 0, 0, 0, 0, 0, 0, 1] }] },
    ],
    ['as an IPv4-mapped IPv6', { [`AAAA ${HOST}`]: [{ aaaa: [0, 0, 0, 0, 0, 0xffff, 0x7f00, 1] }] }],
    ['as an IPv4-compatible IPv6', { [`AAAA ${HOST}`]: [{ aaaa: [0, 0, 0, 0, 0, 0, 0x7f00, 1] }] }],
    ['behind NAT64', { [`AAAA ${HOST}`]: [{ aaaa: [0x64, 0xff9b, 0, 0, 0, 0, 0x7f00, 1] }] }],
    ['behind a local NAT64', { [`AAAA ${HOST}`]: [{ aaaa: [0x64, 0xff9b, 1, 0, 0, 0, 0x7f00, 1] }] }],
    ['behind 6to4', { [`AAAA ${HOST}`]: [{ aaaa: [0x2002, 0x7f00, 1, 0, 0, 0, 0, 1] }] }],
    ['behind Teredo', { [`AAAA ${HOST}`]: [{ aaaa: [0x2001, 0, 0, 0, 0, 0, 0x80ff, 0xfffe] }] }],
    [
      'behind an alias',
      { [`CNAME ${HOST}`]: [{ cname: 'internal.example' }], 'A internal.example': [{ a: '127.0.0.1' }] },
    ],
    [
      'behind an alias of an alias',
      {
        [`CNAME ${HOST}`]: [{ cname: 'cdn.example' }],
        'CNAME cdn.example': [{ cname: 'internal.example' }],
        'A internal.example': [PUBLIC, { a: '169.254.169.254' }],
      },
    ],
  ])('sends nothing if the answer contains a private address %s', async (_where, zone) => {
    const before = connections;
    const post = await open(zone);
    expect(await post()).toEqual({ kind: 'unanswered', reason: PRIVATE });
    expect(connections).toBe(before);
  });

  it('queries once per connection, so an answer that changes after the check has no effect', async () => {
    const before = connections;
    let queries = 0;
    const zone: Zone = {
      [`AAAA ${HOST}`]: [UNROUTED],
      get [`A ${HOST}`]() {
        queries += 1;
        return queries === 1 ? [] : [{ a: '127.0.0.1' }];
      },
    };
    const post = await open(zone);
    expect(await post(500)).toMatchObject({
      kind: 'unanswered',
      reason: expect.not.stringContaining('private'),
    });
    expect(queries).toBe(1);
    // The next attempt checks the new answer.
    expect(await post()).toEqual({ kind: 'unanswered', reason: PRIVATE });
    expect(queries).toBe(2);
    expect(connections).toBe(before);
  });

  it('tries the next address if the first does not answer', async () => {
    const zone: Zone = { [`AAAA ${HOST}`]: [UNROUTED], [`A ${HOST}`]: [{ a: '127.0.0.1' }] };
    const post = await open(zone, { allowPrivateTargets: [HOST] });
    expect(await post()).toMatchObject({ kind: 'answered', status: 204 });
  });

  it.each<[string, Zone, string]>([
    ['does not know the name', {}, 'There is no such host.'],
    ['has no address of the name', { [`MX ${HOST}`]: [] }, 'There is no such host.'],
    [
      'has an alias that leads nowhere',
      { [`CNAME ${HOST}`]: [{ cname: 'gone.example' }] },
      'There is no such host.',
    ],
    ['fails', { [`A ${HOST}`]: 'SERVFAIL' }, 'Its name could not be resolved.'],
    [
      'fails for one address family only',
      { [`A ${HOST}`]: 'SERVFAIL', [`AAAA ${HOST}`]: [UNROUTED] },
      'Its name could not be resolved.',
    ],
    ['does not answer', { [`A ${HOST}`]: 'silence' }, 'It did not answer in time.'],
  ])('reports a name server that %s', async (_fault, zone, reason) => {
    const post = await open(zone);
    expect(await post(zone[`A ${HOST}`] === 'silence' ? 300 : 10_000)).toEqual({
      kind: 'unanswered',
      reason,
    });
  });

  it('posts again once the name server has recovered', async () => {
    const zone: Record<string, Zone[string]> = { [`A ${HOST}`]: 'SERVFAIL' };
    const post = await open(zone, { allowPrivateTargets: [HOST] });
    expect(await post()).toMatchObject({ reason: 'Its name could not be resolved.' });
    zone[`A ${HOST}`] = [{ a: '127.0.0.1' }];
    expect(await post()).toMatchObject({ kind: 'answered', status: 204 });
  });
});
