import { once } from 'node:events';
import { type ClientRequest, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { documentText, ROOT, tableIn } from '../docs/documents.ts';
import { onlyLong } from '../only-long.ts';
import { type PlainResponse, plainRequest, responseTo } from '../plain-request.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { LOOPBACK } from '../servers/web-proxy.ts';
import { until } from '../until.ts';
import { DASHBOARD_PATH, type DocumentedProxy, PROXIES, PROXY_PAGE } from './documented-proxies.ts';
import {
  openSite,
  type ProxiedSite,
  RECORDED_ROWS,
  RECORDED_TOOL,
  type SentRequest,
} from './proxied-site.ts';
import { CHECKS, type Check, pageWith, TRIED } from './proxy-checks.ts';

// Each proxy with the configuration of docs/proxies.md in front of `countersign serve`, as a client sees both.

const installed = PROXIES.filter(({ isMissing }) => !isMissing);
const sites = new Map<string, ProxiedSite>();
const held = new Map<string, Set<Check>>();

beforeAll(async () => {
  const opened = installed.map(async (proxy) => sites.set(proxy.name, await openSite(proxy)));
  await Promise.all(opened);
});
afterAll(() => Promise.all([...sites.values()].map((site) => site.stop())));

function siteOf({ name }: DocumentedProxy): ProxiedSite {
  const site = sites.get(name);
  if (site === undefined) throw new Error(`there is no ${name}`);
  return site;
}

function record({ name }: DocumentedProxy, check: Check): void {
  held.set(name, (held.get(name) ?? new Set()).add(check));
}

/** A request that the test goes on with, and its response as soon as that begins. */
function begun(
  site: ProxiedSite,
  sent: SentRequest,
): { out: ClientRequest; response: Promise<IncomingMessage> } {
  const out = request(site.options(sent));
  return { out, response: responseTo(out) };
}

function jsonIn({ bytes }: Pick<PlainResponse, 'bytes'>): unknown {
  return JSON.parse(bytes.toString());
}

function cancel(site: ProxiedSite, id: string): Promise<PlainResponse> {
  return site.send({ method: 'POST', path: `/api/v1/approvals/${id}/cancel` });
}

/** The address that this session came from, as the owner sees it. */
async function ownAddress(site: ProxiedSite, cookie: string): Promise<string | undefined> {
  const { bytes } = await site.send({ path: `${DASHBOARD_PATH}/settings`, headers: { cookie } });
  return /This session.*?from <[^>]+>([^<]+)</s.exec(bytes.toString())?.[1];
}

/** Ids in paths, as clients may encode them. */
const IDS = [
  ...['a%2Fb', 'a%252Fb', '%2E%2E%2Fme', 'a%2e%2e', 'a%5Cb', 'a%20b', 'a%3Fb', 'a%23b', 'a%7Cb', 'a%22b'],
  ...['%C3%BC', 'a;b', 'a+b', 'a:b@c,d=&$', "a'b(c)*!~"],
];

const DOWNLOAD = `${DASHBOARD_PATH}/activity/export.json?tool=${RECORDED_TOOL}`;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const SLOW_CLIENTS = 70;
/** The largest body that Countersign accepts. */
const BODY_BYTES = 262_144;

for (const proxy of PROXIES) {
  const title = titledWithout(proxy.isMissing ? [proxy.name] : [], `behind ${proxy.name}`);
  describe.skipIf(proxy.isMissing)(title, () => {
    const holds = (check: Check, prove: (site: ProxiedSite) => Promise<void>) =>
      it(CHECKS[check], async () => {
        await prove(siteOf(proxy));
        record(proxy, check);
      });

    holds('doors', async (site) => {
      expect(jsonIn(await site.send({ path: '/api/v1/me' }))).toMatchObject({ credential: { kind: 'pat' } });
      const called = await site.send(site.toolCall('get_me', {}));
      expect(jsonIn(called)).toMatchObject({ result: { structuredContent: { status: 'ok' } } });
    });

    holds('signIn', async (site) => {
      const refused = await site.send({ method: 'POST', path: '/assistant/mcp' });
      expect(refused.status).toBe(401);
      const challenge = String(refused.headers['www-authenticate']);
      const [, named = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
      const issuer = `${site.origin}/assistant`;
      expect(jsonIn(await site.send({ path: new URL(named).pathname }))).toMatchObject({
        authorization_servers: [issuer],
      });
      const path = '/.well-known/oauth-authorization-server/assistant';
      expect(jsonIn(await site.send({ path }))).toMatchObject({ issuer });
    });

    holds('pages', async (site) => {
      const cookie = await site.signIn();
      const { frames } = await site.openPage(cookie);
      const waiting = () => frames.at(-1)?.waiting;
      await expect.poll(waiting).toBe(0);
      const id = await site.ask('Seen at once');
      await expect.poll(waiting).toBe(1);
      const shown = await site.send({ path: `${DASHBOARD_PATH}/approvals/${id}`, headers: { cookie } });
      expect(shown.bytes.toString()).toContain('Seen at once');
      await cancel(site, id);
      await expect.poll(waiting).toBe(0);
    });

    holds('paths', async () => {
      const api = createServer((incoming, response) => response.end(incoming.url));
      api.listen(0, '127.0.0.1');
      await once(api, 'listening');
      onTestFinished(() => void api.close());
      const other = await proxy.start({ port: (api.address() as AddressInfo).port });
      onTestFinished(() => other.stop());
      const paths = IDS.map((id) => `/api/v1/messages/${id}?cursor=${id}`);
      const arrived: string[] = [];
      for (const path of paths) {
        const { bytes } = await plainRequest({ host: '127.0.0.1', port: other.port, path, agent: false });
        arrived.push(bytes.toString());
      }
      expect(arrived).toEqual(paths);
    });

    holds('addresses', async (site) => {
      const claims = { forwarded: 'for=192.0.2.7', 'x-forwarded-for': '192.0.2.7' };
      for (const headers of [{}, claims]) {
        const cookie = await site.signIn({ localAddress: '127.0.0.2', headers });
        expect(await ownAddress(site, cookie)).toBe('127.0.0.2');
      }
    });

    const hasIpv6 = LOOPBACK.includes('[::1]');
    describe.skipIf(!hasIpv6)(titledWithout(hasIpv6 ? [] : ['::1'], 'on ::1'), () => {
      holds('ipv6', async (site) => {
        const cookie = await site.signIn({ host: '::1' });
        expect(await ownAddress(site, cookie)).toBe('::1');
      });
    });

    holds('sizes', async (site) => {
      const download = { path: DOWNLOAD, headers: { cookie: await site.signIn() } };
      const [through, direct] = [await site.send(download), await site.sendDirectly(download)];
      expect(direct.bytes.length).toBeGreaterThan(4_000_000);
      expect(through.bytes.equals(direct.bytes)).toBe(true);
      const post = (size: number) =>
        site.send({
          ...{ method: 'POST', path: '/api/v1/trackers' },
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ title: 'Large' }).padEnd(size),
        });
      expect(jsonIn(await post(BODY_BYTES + 1))).toMatchObject({ code: 'payload_too_large' });
      expect((await post(BODY_BYTES)).status).toBe(202);
    });

    holds('slow', async (site) => {
      const path = `${DASHBOARD_PATH}/sign-in`;
      const body = new URLSearchParams({ email: 'ada@example.org', password: 'slow' }).toString();
      const sent = { method: 'POST', path, headers: FORM, body };
      const slow = Array.from({ length: SLOW_CLIENTS }, () => begun(site, sent));
      for (const { out } of slow) out.write(body.slice(0, 9));
      const unread = begun(site, { path: DOWNLOAD, headers: { cookie: await site.signIn() } });
      unread.out.end();
      const response = await unread.response;
      expect((await site.send({ path })).status).toBe(200);
      expect((await site.send({ path: '/api/v1/me' })).status).toBe(200);
      for (const { out } of slow) out.end(body.slice(9));
      const ended = slow.map(async (one) => (await one.response).resume().statusCode);
      // Their forms lack a token.
      expect(new Set(await Promise.all(ended))).toEqual(new Set([403]));
      expect(jsonIn({ bytes: await buffer(response) })).toHaveLength(RECORDED_ROWS);
    });

    holds('progress', async (site) => {
      const id = await site.ask('Waited for');
      const call = site.toolCall('get_approval', { approval_id: id, wait_s: 25 }, { progressToken: 1 });
      const { out, response } = begun(site, call);
      out.end(call.body);
      const events = await response;
      let read = '';
      events.setEncoding('utf8').on('data', (text: string) => {
        read += text;
      });
      await until(() => read.includes('notifications/progress'));
      expect(read).not.toContain('cancelled');
      await cancel(site, id);
      await until(() => read.includes('cancelled'));
    });

    holds('proxyRestart', async (site) => {
      const cookie = await site.signIn();
      const before = await site.openPage(cookie);
      await site.proxy.restart();
      await before.closed;
      expect((await site.send({ path: '/api/v1/me' })).status).toBe(200);
      const after = await site.openPage(cookie);
      await expect.poll(() => after.frames).toHaveLength(1);
    });

    holds('serverRestart', async (site) => {
      const cookie = await site.signIn();
      const before = await site.openPage(cookie);
      await site.stopServer();
      await before.closed;
      expect([502, 503]).toContain((await site.send({ path: '/api/v1/me' })).status);
      await site.startServer();
      expect((await site.send({ path: '/api/v1/me' })).status).toBe(200);
      const after = await site.openPage(cookie);
      await expect.poll(() => after.frames).toHaveLength(1);
    });
  });
}

onlyLong('proxies: waits', () => {
  it(`behind all at once: ${CHECKS.waits}`, async () => {
    await Promise.all(
      installed.map(async (proxy) => {
        await waits(siteOf(proxy));
        record(proxy, 'waits');
      }),
    );
  });
});

/** Longer than the default timeouts of proxies, which are a minute or less. */
const SILENCE_MS = 70_000;

async function waits(site: ProxiedSite): Promise<void> {
  const page = await site.openPage(await site.signIn());
  const id = await site.ask('Never decided');
  const silence = delay(SILENCE_MS);
  const [rest, mcp] = await Promise.all([
    site.send({ path: `/api/v1/approvals/${id}?wait_s=25` }),
    site.send(site.toolCall('get_approval', { approval_id: id, wait_s: 25 })),
  ]);
  expect(jsonIn(rest)).toMatchObject({ approval: { state: 'pending' } });
  expect(jsonIn(mcp)).toMatchObject({ result: { structuredContent: { approval: { state: 'pending' } } } });
  await silence;
  const seen = page.frames.length;
  await cancel(site, id);
  await until(() => page.frames.length > seen);
}

describe(`the table of ${PROXY_PAGE}`, () => {
  it('has every proxy, and every check of it', () => {
    const page = documentText(PROXY_PAGE);
    const head = [TRIED, ...PROXIES.map(({ name }) => `${name} [\\d.]+`)].join(' \\| ');
    expect(page).toMatch(new RegExp(`^\\| ${head} \\|$`, 'm'));
    const rows = Object.values(CHECKS).map((check) => [check, ...PROXIES.map(() => 'yes')]);
    expect(tableIn(page, TRIED)).toEqual(rows);
  });

  onlyLong('proxies: waits', () => {
    // To write it: COUNTERSIGN_TESTS=long npm test -- test/e2e/proxies.test.ts --update
    it.skipIf(installed.length < PROXIES.length)('says what this run saw', async () => {
      const page = pageWith(({ name }, check) => held.get(name)?.has(check) === true);
      await expect(page).toMatchFileSnapshot(join(ROOT, PROXY_PAGE));
    });
  });
});
