import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { httpsSender } from '../../../adapters/webhooks/https-sender.ts';
import { MINUTE_MS } from '../../../core/time/durations.ts';
import { verifyWebhook } from '../../../hosts/webhooks/verify-webhook.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../../servers/browser.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../servers/webhook-receiver.ts';
import { until } from '../../until.ts';
import { type Dashboard, openDashboard, PASSWORD } from './open-dashboard.ts';
import { SCREENS } from './screens.ts';
import { signedInPage } from './signed-in-page.ts';

const HOSTILE = `<img src=http://evil.example/x.png onerror=alert(1)>"'>\u202efdp.exe`;

describe.skipIf(browserIsMissing)(inBrowser('an owner with webhooks'), () => {
  let browser: Browser;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    [browser, receiver] = await Promise.all([openBrowser(), startWebhookReceiver()]);
  });
  afterEach(() => {
    receiver.answer = (_request, response) => response.writeHead(204).end();
  });
  afterAll(async () => {
    receiver.close();
  });

  const signedIn = (dashboard: Dashboard, path: string, options: BrowserContextOptions = {}) =>
    signedInPage(browser, dashboard, path, options);

  /** With a sender that reaches the receiver. */
  async function sending(): Promise<Dashboard> {
    const dashboard = await openDashboard({
      webhookSender: httpsSender({ allowPrivateTargets: ['localhost'], ca: receiver.ca }),
    });
    dashboard.service.start();
    return dashboard;
  }

  async function add({ service, ownerId, key }: Dashboard, url = `${receiver.origin}/hook`) {
    return service.webhooks.add({ ownerId, keyId: key.keyId, url });
  }

  /** The requests that carried this event. */
  function receivedOf(eventId: string) {
    return receiver.requests.filter(({ headers }) => headers['service-event-id'] === eventId);
  }

  async function deliveriesOf({ service, ownerId }: Dashboard, endpointId: string) {
    return (await service.webhooks.deliveries(ownerId, endpointId, { limit: 50 })).deliveries;
  }

  /** Waits until the newest delivery has had as many attempts, all ended. */
  async function ended(dashboard: Dashboard, endpointId: string, attempts: number) {
    return until(async () => {
      const [newest] = await deliveriesOf(dashboard, endpointId);
      return newest?.log.length === attempts && newest;
    });
  }

  it('adds an endpoint, whose secret is shown once, and sees a test event delivered exactly as shown', async () => {
    const dashboard = await sending();
    const page = await signedIn(dashboard, '/integrations');
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByLabel('URL').fill(`${receiver.origin}/hook?tenant=7`);
    await press(page, 'Add endpoint');
    const secret = (await page.locator('#endpoint-secret').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(page.url()).toBe(`${dashboard.url}/integrations/webhooks`);

    await page.getByRole('link', { name: 'I have copied it' }).click();
    expect(page.url()).toBe(`${dashboard.url}/integrations/webhooks/wh_1`);
    await press(page, 'Send test event');
    // The page reloads itself.
    await page.locator('.rows .state', { hasText: 'Delivered' }).waitFor();
    const [delivery] = await deliveriesOf(dashboard, 'wh_1');
    const [request, ...others] = receivedOf(delivery?.event.id ?? '');
    expect(others).toEqual([]);
    if (request === undefined) throw new Error('nothing was received');
    const event = verifyWebhook(request.body, request.headers, secret, { now: dashboard.clock.now() });
    expect(event).toMatchObject({ type: 'webhook.test', data: { endpoint_id: 'wh_1' } });

    await page.getByText('Request and answers').click();
    const shown = (await page.locator('.exact').textContent()) ?? '';
    const [head = '', body] = shown.split('\n\n');
    const [target, ...headers] = head.split('\n');
    expect(body).toBe(request.body.toString());
    expect(target).toBe(`POST ${receiver.origin}/hook?tenant=7`);
    expect(headers).toHaveLength(6);
    for (const line of headers) {
      const [name = '', value] = line.split(': ');
      if (name === 'service-signature') expect(value).toBe('t=…,v1=…');
      else expect(request.headers[name], name).toBe(value);
    }
    for (const path of ['/integrations', '/integrations/webhooks', '/integrations/webhooks/wh_1']) {
      await page.goto(`${dashboard.url}${path}`);
      expect(await page.content()).not.toContain('whsec_');
    }
  });

  it('rotates a secret, and sees the new one once, with the time when the old one ends', async () => {
    const dashboard = await sending();
    const { endpointId, secret } = await add(dashboard);
    const page = await signedIn(dashboard, '/integrations/webhooks');
    await press(page, 'Rotate secret');
    const next = (await page.locator('#endpoint-secret').textContent()) ?? '';
    expect(next).not.toBe(secret);
    expect(await page.locator('main').innerText()).toMatch(/Until .* both secrets sign each request/);
    await page.goto(`${dashboard.url}/integrations/webhooks`);
    expect(await page.content()).not.toContain('whsec_');
    expect(await page.locator('main').innerText()).toContain('the previous secret signs too until');
    await press(page, 'Send test event');
    const { event } = await ended(dashboard, endpointId, 1);
    const [request] = receivedOf(event.id);
    if (request === undefined) throw new Error('nothing was received');
    for (const one of [secret, next]) {
      const verified = verifyWebhook(request.body, request.headers, one, { now: dashboard.clock.now() });
      expect(verified.id).toBe(event.id);
    }
  });

  it('sees the status of an answer but not its body, and when the next attempt is due', async () => {
    const dashboard = await sending();
    receiver.answer = (_request, response) => response.writeHead(503).end(HOSTILE);
    const { endpointId } = await add(dashboard);
    await dashboard.service.webhooks.sendTest(dashboard.ownerId, endpointId);
    await ended(dashboard, endpointId, 1);
    const page = await signedIn(dashboard, `/integrations/webhooks/${endpointId}`);
    await page.getByText('Request and answers').click();
    expect(await page.content()).not.toContain('evil.example');
    const text = await page.locator('main').innerText();
    for (const part of ['Waiting', '1 attempt', 'next attempt', 'answered 503', 'Every attempt since']) {
      expect(text).toContain(part);
    }
    expect(await page.getByRole('button', { name: 'Redeliver' }).count()).toBe(0);
  });

  it('learns why an endpoint was disabled, enables it, and redelivers an event', async () => {
    const dashboard = await sending();
    receiver.answer = (_request, response) => response.writeHead(410).end();
    const { endpointId } = await add(dashboard);
    const page = await signedIn(dashboard, '/integrations/webhooks');
    await press(page, 'Send test event');
    await ended(dashboard, endpointId, 1);
    for (const path of ['/approvals', '/integrations']) {
      await page.goto(`${dashboard.url}${path}`);
      expect(await page.locator('#disabled-endpoints').textContent()).toContain(
        'A webhook endpoint was disabled: nothing is sent to it any more.',
      );
    }
    await page.locator('#disabled-endpoints a').click();
    expect(await page.locator('main').innerText()).toContain('Its receiver answered 410 Gone');
    expect(await page.getByRole('button', { name: 'Send test event' }).count()).toBe(0);

    receiver.answer = (_request, response) => response.writeHead(200).end('fine');
    await press(page, 'Enable');
    expect(await page.getByRole('status').textContent()).toContain('The endpoint is enabled.');
    expect(await page.locator('.key .state').textContent()).toBe('On');
    await page.goto(`${dashboard.url}/approvals`);
    expect(await page.locator('#disabled-endpoints').count()).toBe(0);

    dashboard.clock.shift(2 * MINUTE_MS);
    const { event } = await ended(dashboard, endpointId, 2);
    await page.goto(`${dashboard.url}/integrations/webhooks/${endpointId}`);
    await press(page, 'Redeliver');
    await until(() => receivedOf(event.id).length === 3);
    await page.locator('.rows .state', { hasText: 'Delivered' }).waitFor();
  });

  it('removes an endpoint after a confirmation', async () => {
    const dashboard = await openDashboard();
    await add(dashboard);
    const page = await signedIn(dashboard, '/integrations/webhooks');
    await page.getByRole('link', { name: 'Remove' }).click();
    await page.getByRole('link', { name: 'Keep it' }).click();
    expect(await dashboard.service.webhooks.list(dashboard.ownerId)).toHaveLength(1);
    await page.getByRole('link', { name: 'Remove' }).click();
    await press(page, 'Remove');
    expect(await page.getByRole('status').textContent()).toBe('The endpoint is removed.');
    expect(await dashboard.service.webhooks.list(dashboard.ownerId)).toEqual([]);
  });

  it('adds an endpoint without JavaScript, with the password and every chosen event', async () => {
    const dashboard = await openDashboard();
    const page = await signedIn(dashboard, '/integrations/webhooks', { javaScriptEnabled: false });
    await page.getByLabel('URL').fill('https://hooks.example.org/');
    await press(page, 'Add endpoint');
    expect(await page.locator('#repeated').innerText()).toContain('https://hooks.example.org/');
    expect(await dashboard.service.webhooks.list(dashboard.ownerId)).toEqual([]);
    expect(await page.getByRole('link', { name: 'Cancel' }).getAttribute('href')).toBe(
      '/integrations/webhooks',
    );
    await page.getByLabel('Your password').last().fill(PASSWORD);
    await press(page, 'Add endpoint');
    expect(await page.locator('#endpoint-secret').textContent()).toMatch(/^whsec_/);
    expect(await dashboard.service.webhooks.list(dashboard.ownerId)).toMatchObject([
      { types: ['message.received', 'approval.decided'], keyId: dashboard.key.keyId },
    ]);
  });

  it('sees what is wrong with the form, which keeps its fields', async () => {
    const dashboard = await openDashboard();
    const { service, ownerId } = dashboard;
    const page = await signedIn(dashboard, '/integrations/webhooks');
    await page.getByLabel('URL').fill('http://hooks.example.org/');
    await page.getByLabel('New mail').uncheck();
    await press(page, 'Add endpoint');
    expect(await page.getByRole('alert').textContent()).toContain('URL: enter an address that begins with');
    expect(await page.getByLabel('URL').inputValue()).toBe('http://hooks.example.org/');
    expect(await page.getByLabel('New mail').isChecked()).toBe(false);
    await page.getByLabel('URL').fill('https://hooks.example.org/');
    await page.getByLabel('Decided request').uncheck();
    await press(page, 'Add endpoint');
    expect(await page.getByRole('alert').textContent()).toBe('Events: choose at least one.');
    await page.getByLabel('Decided request').check();
    for (let n = 0; n < 10; n++) await add(dashboard);
    await press(page, 'Add endpoint');
    expect(await page.getByRole('alert').textContent()).toContain('Your plan allows no more endpoints.');
    await service.webhooks.remove(ownerId, 'wh_1');
    await service.keys.revoke(ownerId, dashboard.key.keyId);
    await press(page, 'Add endpoint');
    expect(await page.getByRole('alert').textContent()).toContain('Key: choose one that is neither revoked');
    const text = await page.locator('main').innerText();
    expect(text).toContain('Its key is revoked, so nothing is sent to it.');
    expect(text).toContain('Create a key first.');
    expect(await page.getByRole('button', { name: 'Send test event' }).count()).toBe(0);
    expect(await service.webhooks.list(ownerId)).toHaveLength(9);
  });

  it('learns that a key that may not read mail gets no events about it', async () => {
    const dashboard = await openDashboard();
    await add(dashboard);
    await dashboard.service.keys.setModes(dashboard.ownerId, dashboard.key.keyId, { 'mail:read': 'off' });
    const page = await signedIn(dashboard, '/integrations/webhooks');
    expect(await page.locator('#wh_1 .note').textContent()).toContain('The key may not read mail');
  });

  it('pages through deliveries, newest first', async () => {
    const dashboard = await openDashboard();
    const { endpointId } = await add(dashboard);
    for (let n = 0; n < 25; n++) await dashboard.service.webhooks.sendTest(dashboard.ownerId, endpointId);
    const ids = (await deliveriesOf(dashboard, endpointId)).map(({ event }) => event.id);
    const page = await signedIn(dashboard, `/integrations/webhooks/${endpointId}`);
    const shown = async () => {
      const text = await page.locator('.rows').innerText();
      return ids.filter((id) => text.includes(id));
    };
    expect(await shown()).toEqual(ids.slice(0, 20));
    await page.getByRole('link', { name: 'Older' }).click();
    expect(await shown()).toEqual(ids.slice(20));
    expect(await page.getByRole('link', { name: 'Older' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Newest' }).click();
    expect(await shown()).toEqual(ids.slice(0, 20));
  });

  it.each(SCREENS)('sees pages that fit the screen: %s', async (_name, width, colorScheme) => {
    const dashboard = await sending();
    receiver.answer = (_request, response) => response.writeHead(410).end('x'.repeat(500));
    const { endpointId } = await add(dashboard, `${receiver.origin}/${'path'.repeat(60)}`);
    await dashboard.service.webhooks.sendTest(dashboard.ownerId, endpointId);
    await ended(dashboard, endpointId, 1);
    await dashboard.service.webhooks.rotateSecret(dashboard.ownerId, endpointId);
    const start = '/integrations/webhooks';
    const page = await signedIn(dashboard, start, { viewport: { width, height: 800 }, colorScheme });
    const fits = async () =>
      expect(await page.evaluate('document.documentElement.scrollWidth'), page.url()).toBeLessThanOrEqual(
        width,
      );
    await fits();
    for (const path of ['/approvals', `${start}/${endpointId}/remove`, `${start}/${endpointId}`]) {
      await page.goto(`${dashboard.url}${path}`);
      await fits();
    }
    await page.getByText('Request and answers').click();
    await fits();
    await press(page, 'Rotate secret');
    await fits();
  });
});

describe('the page of webhooks', () => {
  it('offers no form if no webhooks are sent, and refuses one', async () => {
    const dashboard = await openDashboard({
      between: (service) => ({ ...service, webhooks: { ...service.webhooks, canSend: false } }),
    });
    const headers = { cookie: await dashboard.cookie() };
    const path = '/integrations/webhooks';
    const page = await dashboard.send({ path, headers });
    expect(page.body).toContain('No webhooks are sent here.');
    expect(page.body).not.toContain('name="url"');
    const form = { key: dashboard.key.keyId, url: 'https://hooks.example.org/', types: 'approval.decided' };
    expect((await dashboard.submit({ path, headers, form })).status).toBe(422);
    expect(await dashboard.service.webhooks.list(dashboard.ownerId)).toEqual([]);
  });
});

describe('webhooks of another owner', () => {
  it('can neither be seen nor changed', async () => {
    const dashboard = await openDashboard();
    const { service, ownerId, key } = dashboard;
    const { endpointId } = await service.webhooks.add({
      ownerId,
      keyId: key.keyId,
      url: 'https://hooks.example.org/',
    });
    const other = { email: 'other@example.org', password: 'a password of the other' };
    await service.owners.create(other);
    const headers = { cookie: await dashboard.cookie(other) };
    const path = `/integrations/webhooks/${endpointId}`;
    const before = await service.webhooks.list(ownerId);
    for (const page of [path, `${path}/remove`]) {
      expect((await dashboard.send({ path: page, headers })).status, page).toBe(404);
    }
    for (const action of ['test', 'rotate', 'enable', 'remove', 'redeliver']) {
      const form = { sequence: '1' };
      const answer = await dashboard.submit({ path: `${path}/${action}`, headers, form });
      expect(answer.status, action).toBe(404);
    }
    const form = { key: key.keyId, url: 'https://hooks.example.org/', types: 'approval.decided' };
    const added = await dashboard.submit({ path: '/integrations/webhooks', headers, form });
    expect(added.status).toBe(422);
    expect(await service.webhooks.list(ownerId)).toEqual(before);
    expect((await service.webhooks.deliveries(ownerId, endpointId, { limit: 1 })).deliveries).toEqual([]);
  });
});
