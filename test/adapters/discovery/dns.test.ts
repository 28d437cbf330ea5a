import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dnsResolver } from '../../../adapters/discovery/dns.ts';
import type { Resolver } from '../../../adapters/discovery/resolver.ts';
import { type NameServer, startNameServer } from '../../servers/dns.ts';

describe('a resolver on a name server', () => {
  let server: NameServer;
  let resolver: Resolver;
  const { signal } = new AbortController();

  beforeAll(async () => {
    server = await startNameServer({
      'MX example.org': [
        { mx: [20, 'backup.example.org'] },
        { mx: [5, 'mx.example.org'] },
        { mx: [10, 'second.example.org'] },
      ],
      'MX no-mail.example': [{ mx: [0, '.'] }],
      'MX broken.example': 'SERVFAIL',
      'MX silent.example': 'silence',
      'SRV _imaps._tcp.example.org': [
        { srv: [10, 1, 993, 'later.example.org'] },
        { srv: [0, 1, 994, 'light.example.org'] },
        { srv: [0, 9, 993, 'heavy.example.org'] },
      ],
      'SRV _imap._tcp.example.org': [{ srv: [0, 0, 0, '.'] }],
      'A example.org': [{ a: '192.0.2.1' }, { a: '192.0.2.2' }],
      'AAAA example.org': [{ aaaa: [0x2001, 0xdb8, 0, 0, 0, 0, 0, 1] }],
      'A half.example': [{ a: '192.0.2.3' }],
      'AAAA half.example': 'SERVFAIL',
    });
    resolver = dnsResolver({ servers: [server.address] });
  });
  afterAll(() => server.close());

  it('returns mail hosts by preference', async () => {
    expect(await resolver.resolveMx('example.org', signal)).toEqual([
      'mx.example.org',
      'second.example.org',
      'backup.example.org',
    ]);
  });

  it('returns services by priority, then weight', async () => {
    expect(await resolver.resolveSrv('_imaps._tcp.example.org', signal)).toEqual([
      { host: 'heavy.example.org', port: 993 },
      { host: 'light.example.org', port: 994 },
      { host: 'later.example.org', port: 993 },
    ]);
  });

  it('returns the addresses of both families', async () => {
    expect(await resolver.resolveAddresses('example.org', signal)).toEqual([
      '192.0.2.1',
      '192.0.2.2',
      '2001:db8::1',
    ]);
  });

  it.each([
    ['a name that does not exist', () => resolver.resolveMx('nowhere.example', signal)],
    ['a name without such a record', () => resolver.resolveMx('half.example', signal)],
    ['a domain that takes no mail', () => resolver.resolveMx('no-mail.example', signal)],
    ['a service that is not offered', () => resolver.resolveSrv('_imap._tcp.example.org', signal)],
    ['a host that does not exist', () => resolver.resolveAddresses('nowhere.example', signal)],
  ])('returns nothing for %s', async (_name, query) => {
    expect(await query()).toEqual([]);
  });

  it.each([
    ['fails', 'ESERVFAIL', () => resolver.resolveMx('broken.example', signal)],
    ['fails for one family', 'ESERVFAIL', () => resolver.resolveAddresses('half.example', signal)],
    ['does not answer', 'ETIMEOUT', () => resolver.resolveMx('silent.example', signal)],
  ])('throws when the server %s', async (_name, code, query) => {
    await expect(query()).rejects.toMatchObject({ code });
  });

  it('stops when its signal aborts', async () => {
    const giveUp = new AbortController();
    const query = resolver.resolveMx('silent.example', giveUp.signal);
    const reason = new Error('given up');
    giveUp.abort(reason);
    await expect(query).rejects.toBe(reason);
    await expect(resolver.resolveMx('example.org', giveUp.signal)).rejects.toBe(reason);
  });
});
