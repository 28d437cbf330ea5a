import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { fetchHandler } from '../../../hosts/fetch/fetch-handler.ts';
import { openTestService } from '../../open-service.ts';
import { BASE, type MountedApp, openMount, request } from './open-mount.ts';

const LETTER = JSON.stringify({ to: ['ada@example.net'], subject: 'Hello', body: 'Hello' });

/** Requests a send through a parser of the app, which reads the body and leaves this on the request. */
async function sentThrough(app: MountedApp, left: (body: string) => object, body = LETTER) {
  app.answerWith((mount) => (req, res) => {
    void text(req).then((read) => {
      Object.assign(req, left(read));
      mount(req, res);
    });
  });
  const headers = { authorization: `Bearer ${app.key.apiKey}`, 'content-type': 'application/json' };
  const answer = await request(app, `${BASE}/v1/messages`, { method: 'POST', headers, body });
  return { status: answer.status, json: await answer.json() };
}

describe('a body that a parser of the app read first', () => {
  it.each<[string, (body: string) => object]>([
    ['its bytes as rawBody', (body) => ({ rawBody: Buffer.from(body), body: {} })],
    ['its bytes as body', (body) => ({ body: Buffer.from(body) })],
    ['its text', (body) => ({ body })],
    ['its value', (body) => ({ body: JSON.parse(body) as unknown })],
  ])('is taken if the parser left %s', async (_name, left) => {
    expect((await sentThrough(await openMount(), left)).status).toBe(202);
  });

  it.each<[string, object]>([
    ['nothing', {}],
    ['an empty object', { body: {} }],
    ['null', { body: null }],
    ['a number', { body: 7 }],
  ])('is refused with the remedy if the parser left %s', async (_name, left) => {
    expect(await sentThrough(await openMount(), () => left)).toMatchObject({
      status: 500,
      json: {
        code: 'internal_error',
        details: { remedy: expect.stringContaining('before any body parser') },
      },
    });
  });

  it('is refused if it is too large, whatever its length was', async () => {
    const value = { to: ['ada@example.net'], subject: 'Hello', body: 'x'.repeat(300_000) };
    expect(await sentThrough(await openMount(), () => ({ body: value }))).toMatchObject({
      status: 413,
      json: { code: 'payload_too_large' },
    });
  });
});

describe('a Fetch handler', () => {
  const url = `https://app.example.org${BASE}`;
  const open = async (address: () => string) => {
    const opened = await openTestService({ baseUrl: url, dashboardUrl: url });
    return { ...opened, mount: fetchHandler(opened.service, { address }) };
  };

  it('answers with several cookies, streams and redirects of its path', async () => {
    const { service, mount } = await open(() => '192.0.2.7');
    const page = await mount(new Request(`${url}/sign-in`));
    expect(page.status).toBe(200);
    expect(page.headers.getSetCookie()[0]).toContain(`; Path=${BASE}; HttpOnly; SameSite=Lax; Secure`);
    expect((await mount(new Request(`${url}/approvals`))).headers.get('location')).toBe(
      `${BASE}/sign-in?next=%2Fapprovals`,
    );
    expect((await mount(new Request('https://other.example.org/countersign/v1/me'))).status).toBe(421);
    await service.stop();
  });

  it('answers with whole downloads and with pictures', async () => {
    const { service, ownerId, addKey } = await openTestService({ baseUrl: url, dashboardUrl: url });
    const key = await addKey('full');
    for (let calls = 0; calls < 600; calls++) await key.call('get_me', {});
    const mount = fetchHandler(service, {
      address: () => '192.0.2.7',
      session: () => ({ ownerId, sessionId: 'session-1', authenticatedAt: new Date() }),
      signInUrl: '/login',
      stepUpUrl: '/confirm',
    });
    const get = (path: string) => mount(new Request(`${url}${path}`));
    const csv = await (await get('/activity/export.csv')).text();
    expect(csv.split('\r\n')[0]).toContain('What happened');
    expect(csv.trim().split('\r\n')).toHaveLength(601);
    const page = await (await get('/approvals')).text();
    const icon = /<link rel="apple-touch-icon" href="\/countersign([^"]+)"/.exec(page)?.[1] ?? '';
    const bytes = Buffer.from(await (await get(icon)).arrayBuffer());
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    await service.stop();
  });

  it.each(['', 'somebody', undefined])('refuses to answer if address returns %j', async (address) => {
    const { service, mount } = await open(() => address as string);
    const answer = await mount(new Request(`${url}/v1/me`));
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({
      details: { remedy: 'The option address of fetchHandler() must return the address of the caller.' },
    });
    await service.stop();
  });

  it('gives each caller a separate budget', async () => {
    let address = '192.0.2.7';
    const { service, mount } = await open(() => address);
    const left = async () => (await mount(new Request(`${url}/v1/me`))).headers.get('ratelimit-remaining');
    const [first, second] = [await left(), await left()];
    expect(Number(second)).toBe(Number(first) - 1);
    address = '198.51.100.7';
    expect(await left()).toBe(first);
    await service.stop();
  });

  it('names the remedy if the body was read first', async () => {
    const { service, mount, addKey } = await open(() => '192.0.2.7');
    const { apiKey } = await addKey('full');
    const sent = new Request(`${url}/v1/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'content-length': String(LETTER.length),
      },
      body: LETTER,
    });
    await sent.text();
    expect(await (await mount(sent)).json()).toMatchObject({
      details: { remedy: expect.stringContaining('Pass the request on unread') },
    });
    await service.stop();
  });

  it('needs the option address', async () => {
    const { service } = await openTestService({ baseUrl: url, dashboardUrl: url });
    const options = {} as { address: () => string };
    expect(() => fetchHandler(service, options)).toThrow('fetchHandler: the option address is missing.');
    await service.stop();
  });
});
