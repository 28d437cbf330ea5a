import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpsGet } from '../../../adapters/discovery/https-get.ts';
import type { Resolver } from '../../../adapters/discovery/resolver.ts';
import { makeCertificate } from '../../servers/certificate.ts';

describe('httpsGet', () => {
  const { signal } = new AbortController();
  let folder: string;
  let ca: string;
  let server: Server;
  let origin: string;
  let answer: RequestListener;
  let requests = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-https-'));
    const { certFile, keyFile } = await makeCertificate(folder);
    ca = readFileSync(certFile, 'utf8');
    server = createServer({ cert: ca, key: readFileSync(keyFile) }, (request, response) => {
      requests += 1;
      answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // The certificate is for this name; the resolver decides where it points.
    origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  const get = (path: string, addresses: readonly string[] = ['127.0.0.1'], options = {}) =>
    httpsGet({ resolver: resolverTo(addresses), mayReach: isTestServer, ca, ...options })(
      new URL(path, origin),
      signal,
    );

  it('connects to the address that was checked', async () => {
    answer = (request, response) => response.end(`at ${request.url} of ${request.headers.host}`);
    const { status, body } = await get('/a?b=c');
    expect(status).toBe(200);
    expect(Buffer.from(body).toString()).toBe(`at /a?b=c of ${new URL(origin).host}`);
  });

  it.each([[['10.0.0.1']], [['127.0.0.1', '10.0.0.1']], [['::1', '127.0.0.1']]])(
    'sends nothing if one of the addresses is not allowed: %j',
    async (addresses) => {
      const before = requests;
      await expect(get('/', addresses)).rejects.toThrow('is not public');
      expect(requests).toBe(before);
    },
  );

  it('refuses an address outside the public internet by default', async () => {
    const before = requests;
    const guarded = httpsGet({ resolver: resolverTo(['127.0.0.1']), ca });
    await expect(guarded(new URL(origin), signal)).rejects.toThrow('is not public');
    expect(requests).toBe(before);
  });

  it.each(['https://127.0.0.1:1/', 'https://[::1]:1/', 'https://2130706433:1/'])(
    'refuses an IP address in place of a name: %s',
    async (url) => {
      const fetch = httpsGet({ resolver: resolverTo(['127.0.0.1']), mayReach: isTestServer, ca });
      await expect(fetch(new URL(url), signal)).rejects.toThrow('not a host name');
    },
  );

  it('refuses plain HTTP', async () => {
    await expect(get(origin.replace('https:', 'http:'))).rejects.toThrow('not an HTTPS address');
  });

  it('fails if the host has no address', async () => {
    await expect(get('/', [])).rejects.toThrow('no such host');
  });

  it('fails if the certificate is not trusted', async () => {
    const before = requests;
    await expect(get('/', ['127.0.0.1'], { ca: undefined })).rejects.toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    expect(requests).toBe(before);
  });

  it('does not follow redirects', async () => {
    answer = (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end('moved');
    const before = requests;
    const found = await get('/');
    expect(found).toEqual({ status: 302, location: '/elsewhere', body: new Uint8Array() });
    expect(requests).toBe(before + 1);
  });

  it.each([
    [65_536, 'resolves'],
    [65_537, 'rejects'],
  ])('with a body of %i bytes: %s', async (bytes, end) => {
    answer = (_request, response) => response.end(Buffer.alloc(bytes));
    const length = get('/').then(({ body }) => body.length);
    if (end === 'resolves') await expect(length).resolves.toBe(bytes);
    else await expect(length).rejects.toThrow('too large');
  });

  it('fails if the response breaks off', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half', () => response.destroy());
    };
    await expect(get('/')).rejects.toThrow();
  });

  it('fails if the server switches protocols', async () => {
    answer = (_request, response) =>
      response.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' }).end();
    await expect(get('/')).rejects.toThrow('does not speak plain HTTP');
  });

  it('fails if the server does not answer in time', async () => {
    answer = () => undefined;
    await expect(get('/')).rejects.toThrow('did not answer in time');
  });

  it('stops when the signal aborts', async () => {
    const giveUp = new AbortController();
    const reason = new Error('given up');
    answer = () => giveUp.abort(reason);
    const fetch = httpsGet({ resolver: resolverTo(['127.0.0.1']), mayReach: isTestServer, ca });
    await expect(fetch(new URL(origin), giveUp.signal)).rejects.toBe(reason);
  });
});

function isTestServer(address: string): boolean {
  return address === '127.0.0.1';
}

function resolverTo(addresses: readonly string[]): Resolver {
  return {
    resolveMx: async () => [],
    resolveSrv: async () => [],
    resolveAddresses: async () => addresses,
  };
}
