import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ProbedServer, probeServer } from '../../../adapters/remote/probe.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { freePorts } from '../../servers/ports.ts';
import { type Postfix, startPostfix } from '../../servers/postfix.ts';

const reach = { allowPrivateServers: true };

function probed(server: Partial<ProbedServer>, ms = 15_000) {
  const whole = { protocol: 'IMAP', host: 'localhost', port: 0, security: 'tls', ...server } as const;
  return probeServer(whole, reach, AbortSignal.timeout(ms));
}

async function troubleOf(server: Partial<ProbedServer>, ms?: number) {
  const probe = await probed(server, ms);
  return probe.kind === 'problem' ? [probe.error.trouble, probe.error.message] : probe.kind;
}

describe.skipIf(missingServers().length > 0)(titled('looking at a server before any password'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  beforeAll(async () => {
    dovecot = await startDovecot();
    postfix = await startPostfix(dovecot, { certificate: dovecot.certificate });
  });
  afterAll(async () => {
    await postfix?.stop();
    await dovecot?.stop();
  });

  it.each([
    ['IMAP', 'tls', () => dovecot.tlsPort],
    ['IMAP', 'starttls', () => dovecot.port],
    ['SMTP', 'tls', () => postfix.tlsPort],
    ['SMTP', 'starttls', () => postfix.port],
  ] as const)(
    'shows its certificate, and accepts the pinned one: %s, %s',
    async (protocol, security, port) => {
      const server = { protocol, security, port: port() };
      const { fingerprint } = dovecot.certificate;
      expect(await probed(server)).toEqual({ kind: 'untrusted', fingerprint, because: 'it is self-signed' });
      expect(await probed({ ...server, tlsFingerprint: fingerprint })).toEqual({ kind: 'good' });
      const changed = { kind: 'untrusted', fingerprint, because: 'it is not the one that you trusted' };
      expect(await probed({ ...server, tlsFingerprint: 'ab'.repeat(32) })).toEqual(changed);
    },
  );

  it('accepts plain text on this machine', async () => {
    expect(await probed({ port: dovecot.port, security: 'none' })).toEqual({ kind: 'good' });
  });

  it.each([
    ['IMAP', 'imaps', () => dovecot.tlsPort],
    ['SMTP', 'smtps', () => postfix.tlsPort],
  ] as const)('says that a port speaks TLS: %s', async (protocol, scheme, port) => {
    const server = { protocol, port: port(), security: 'starttls' } as const;
    const message = `the port of the ${protocol} server speaks TLS: use TLS (${scheme})`;
    expect(await troubleOf(server)).toEqual(['wants_tls', message]);
  });

  it('says that a port does not speak TLS', async () => {
    const message = 'the port of the IMAP server does not speak TLS from the start: use STARTTLS (imap)';
    expect(await troubleOf({ port: dovecot.port })).toEqual(['other', message]);
  });
});

describe('a server that cannot be used', () => {
  it('whose name does not exist', async () => {
    const message = 'there is no such host: check the name of the IMAP server';
    const unknown = Object.assign(new Error('no'), { code: 'ENOTFOUND' });
    const server = { protocol: 'IMAP', host: 'imap.example.invalid', port: 993, security: 'tls' } as const;
    const noDns = { ...reach, addressesOf: () => Promise.reject(unknown) };
    const probe = await probeServer(server, noDns, AbortSignal.timeout(5000));
    expect(probe).toMatchObject({ kind: 'problem', error: { trouble: 'no_such_host', message } });
  });

  it('where nothing listens', async () => {
    const [port = 0] = await freePorts(1);
    const message = 'nothing listens on the port of the IMAP server';
    expect(await troubleOf({ port })).toEqual(['nothing_listens', message]);
  });

  it.each(['tls', 'starttls', 'none'] as const)('that does not answer: %s', async (security) => {
    const server = net.createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    const sockets = new Set<net.Socket>();
    server.on('connection', (socket) => sockets.add(socket));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as net.AddressInfo;
    const silent = { host: '127.0.0.1', port, security };
    expect(await troubleOf(silent, 500)).toEqual(['no_answer', 'the IMAP server does not answer']);
  });
});
