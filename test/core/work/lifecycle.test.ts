import { createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { ServiceError, ServiceStoppedError } from '../../../core/contract/errors.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { Service } from '../../../core/service/service.ts';
import { dashboardCookies } from '../../../hosts/dashboard/cookies.ts';
import { nodeHandler } from '../../../hosts/node/node-handler.ts';
import { hold } from '../../hold.ts';
import { openTestService, wireBytes } from '../../open-service.ts';

/** A storage that counts how often it is closed. */
function countedStorage(): { storage: Storage; closed: () => number } {
  const storage = sqliteStorage({ file: ':memory:' });
  let closed = 0;
  const close = async () => {
    closed += 1;
    await storage.close();
  };
  return { storage: { ...storage, close }, closed: () => closed };
}

/** A mailbox whose next list waits until the test releases it. */
function slowMail() {
  const mail = sandboxMail();
  const { wait, underWay, letGo } = hold();
  const list: typeof mail.list = async (call, query) => {
    await wait();
    return mail.list(call, query);
  };
  return { mail: { ...mail, list }, underWay, letGo };
}

const CALLS: Record<string, (service: Service, ownerId: string) => Promise<unknown>> = {
  'owners.create': ({ owners }) => owners.create({ email: 'late@example.org' }),
  'owners.byEmail': ({ owners }) => owners.byEmail('demo@countersign.test'),
  'keys.list': ({ keys }, ownerId) => keys.list(ownerId),
  'keys.create': ({ keys }, ownerId) => keys.create({ ownerId, name: 'agent', preset: 'read' }),
  'accounts.list': ({ accounts }, ownerId) => accounts.list(ownerId),
  'accounts.connect': ({ accounts }, ownerId) =>
    accounts.connect({ ownerId, email: 'a@example.org', settings: {} }),
  'accounts.calendars': ({ accounts }, ownerId) =>
    accounts.calendars({ ownerId, email: 'a@example.org', settings: {} }),
  'approvals.list': ({ approvals }, ownerId) => approvals.list(ownerId, { state: 'all', limit: 1 }),
  'webhooks.list': ({ webhooks }, ownerId) => webhooks.list(ownerId),
  'trackers.list': ({ trackers }, ownerId) => trackers.list(ownerId, { state: 'active', limit: 1 }),
  'sessions.find': ({ sessions }) => sessions.find('token'),
  'signIns.revoke': ({ signIns }) => signIns.revoke('token'),
  'on approval.decided': (service) => service.on('approval.decided', () => undefined),
  'on approval.pending': async (service) => service.on('approval.pending', () => undefined),
  start: async (service) => service.start(),
  recover: (service) => service.recover(),
  watch: (service) => service.watch(),
  healthy: (service) => service.healthy(),
};

describe('a stopped service', () => {
  it('stays stopped if it is stopped again, and closes its storage once', async () => {
    const { storage, closed } = countedStorage();
    const { service } = await openTestService({ storage });
    service.start();
    await Promise.all([service.stop(), service.stop()]);
    await service.stop();
    expect(closed()).toBe(1);
  });

  it.each(Object.entries(CALLS))('refuses %s with ServiceStoppedError', async (_name, call) => {
    const { service, ownerId } = await openTestService();
    await service.stop();
    const refused = await call(service, ownerId).then(
      () => 'answered',
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(ServiceStoppedError);
    expect(refused).toBeInstanceOf(ServiceError);
    expect(refused).toMatchObject({ name: 'ServiceStoppedError', code: 'temporarily_unavailable' });
  });

  it('answers 503 at its doors', async () => {
    const { service, addKey } = await openTestService();
    const { apiKey } = await addKey('full');
    await service.stop();
    const { baseUrl, dashboardUrl } = service;
    const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const authorization = `Bearer ${apiKey}`;
    const cookie = `${dashboardCookies(dashboardUrl).session}=${'x'.repeat(43)}`;
    expect(
      await statusOf(nodeHandler(service, { doors: ['rest'] }), `${baseUrl}/v1/me`, { authorization }),
    ).toBe(503);
    expect(
      await statusOf(nodeHandler(service, { doors: ['mcp'] }), `${baseUrl}/mcp`, { authorization }, list),
    ).toBe(503);
    expect(
      await statusOf(nodeHandler(service, { doors: ['dashboard'] }), `${dashboardUrl}/approvals`, { cookie }),
    ).toBe(503);
  });
});

describe('a service that stops', () => {
  it('lets running calls end, and admits no more', async () => {
    const { mail, underWay, letGo } = slowMail();
    const { service, addKey } = await openTestService({ mail });
    const { apiKey, call } = await addKey('full');
    const running = call('summarize_inbox');
    await underWay;
    const stopped = service.stop();
    expect(await call('get_me')).toMatchObject({ status: 'error', code: 'temporarily_unavailable' });
    expect(await service.calls.admitCaller({ token: apiKey, address: '192.0.2.1' })).toMatchObject({
      kind: 'refused',
    });
    letGo();
    expect(await running).toMatchObject({ status: 'ok' });
    await stopped;
  });

  it('fails a call that runs longer than the stop waits', async () => {
    const { mail, underWay, letGo } = slowMail();
    const { service, addKey } = await openTestService({ mail });
    const { apiKey } = await addKey('full');
    const admission = await service.calls.admitCaller({ token: apiKey, address: '192.0.2.1' });
    if (admission.kind !== 'admitted') throw new Error('the call must be admitted');
    const running = service.calls.runTool(admission.caller, {
      tool: 'summarize_inbox',
      args: {},
      idempotencyKey: undefined,
      sizeBytes: wireBytes,
    });
    await underWay;
    await service.stop(1);
    letGo();
    expect(await running).toMatchObject({ outcome: { status: 'error', code: 'temporarily_unavailable' } });
  });

  it('stops at the end of `await using`', async () => {
    const { storage, closed } = countedStorage();
    async function work() {
      await using service = (await openTestService({ storage })).service;
      await service.healthy();
      expect(closed()).toBe(0);
    }
    await work();
    expect(closed()).toBe(1);
  });
});

/** Sends one request to a handler, addressed to its public URL. @returns the HTTP status */
async function statusOf(
  handler: RequestListener,
  publicUrl: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<number | undefined> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const { host, pathname } = new URL(publicUrl);
  return new Promise((resolve, reject) => {
    const sent = request({
      ...{ host: '127.0.0.1', port, path: pathname, method: body === undefined ? 'GET' : 'POST' },
      headers: {
        ...headers,
        host,
        accept: 'application/json, text/event-stream',
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    });
    sent.on('response', (answer) => resolve(answer.resume().statusCode));
    sent.on('error', reject);
    sent.end(body);
  });
}
