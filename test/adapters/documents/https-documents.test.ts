import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { httpsDocuments } from '../../../adapters/documents/https-documents.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../servers/webhook-receiver.ts';

describe('httpsDocuments', () => {
  let server: WebhookReceiver;
  beforeAll(async () => {
    server = await startWebhookReceiver();
  });
  afterAll(() => server.close());

  function fetch(
    url = `${server.origin}/client.json`,
    options: Parameters<typeof httpsDocuments>[0] = {},
    timeLimitMs = 10_000,
  ) {
    const source = httpsDocuments({ allowPrivateTargets: ['localhost'], ca: server.ca, ...options });
    onTestFinished(() => source.close());
    return source.fetch({ url, maxBytes: 1000, timeLimitMs });
  }

  function answer(status: number, headers: Record<string, string>, body: string) {
    server.answer = (_request, response) => response.writeHead(status, headers).end(body);
  }

  it('returns a JSON document with its Cache-Control', async () => {
    answer(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'max-age=9' }, '{}');
    expect(await fetch()).toEqual({ body: Buffer.from('{}'), cacheControl: 'max-age=9' });
    expect(server.requests.at(-1)).toMatchObject({ method: 'GET', path: '/client.json' });
  });

  it.each([
    ['a redirect', 302, { location: 'https://localhost/' }, ''],
    ['an error', 404, { 'content-type': 'application/json' }, '{}'],
    ['a page', 200, { 'content-type': 'text/html' }, '{}'],
    ['a long document', 200, { 'content-type': 'application/json' }, 'x'.repeat(1001)],
  ])('returns nothing for %s', async (_what, status, headers: Record<string, string>, body) => {
    answer(status, headers, body);
    expect(await fetch()).toBeUndefined();
  });

  it('returns nothing if the document does not arrive in time', async () => {
    server.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    };
    expect(await fetch(undefined, {}, 300)).toBeUndefined();
  });

  it('connects to no private address, whatever the DNS says', async () => {
    answer(200, { 'content-type': 'application/json' }, '{}');
    const before = server.connections();
    expect(await fetch(undefined, { allowPrivateTargets: [] })).toBeUndefined();
    const port = new URL(server.origin).port;
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1']) {
      expect(await fetch(`https://${host}:${port}/client.json`, { allowPrivateTargets: [] })).toBeUndefined();
    }
    const addressesOf = async () => ['93.184.215.14', '127.0.0.1'];
    const url = `https://assistant.example:${port}/client.json`;
    expect(await fetch(url, { allowPrivateTargets: [], addressesOf })).toBeUndefined();
    expect(server.connections()).toBe(before);
  });

  it('trusts no certificate that it cannot verify', async () => {
    const source = httpsDocuments({ allowPrivateTargets: ['localhost'] });
    onTestFinished(() => source.close());
    const url = `${server.origin}/client.json`;
    expect(await source.fetch({ url, maxBytes: 1000, timeLimitMs: 10_000 })).toBeUndefined();
  });
});
