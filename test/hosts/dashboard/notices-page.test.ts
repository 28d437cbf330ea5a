import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { ownerNotices } from '../../../adapters/notices/owner-notices.ts';
import { vapidPublicKey } from '../../../core/ports/notice-target.ts';
import { approvalOf } from '../../core/scene.ts';
import {
  browserIsMissing,
  inBrowser,
  openBrowser,
  openNotifyingBrowser,
  press,
} from '../../servers/browser.ts';
import {
  created,
  type NoticeReceiver,
  newSubscriber,
  readVapid,
  type Subscriber,
  startNoticeReceiver,
} from '../../servers/notice-receiver.ts';
import { openDashboard } from './open-dashboard.ts';
import { signedInPage } from './signed-in-page.ts';

const PAGE = '/settings/notices';

const manifestFile = z.object({
  start_url: z.string(),
  scope: z.string(),
  icons: z.array(z.object({ src: z.string() })),
});

const foundMessages = z.object({ messages: z.array(z.object({ id: z.string() })) });

/** Lets a page subscribe without a push service of Google, which Chromium would ask. */
async function subscribeAs(page: Page, { p256dh, auth }: Subscriber, endpoint: string): Promise<void> {
  await page.addInitScript(
    ({ endpoint, keys }) => {
      const bytes = (text: string) =>
        Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
          .buffer;
      PushManager.prototype.subscribe = async (options) => {
        Reflect.set(window, 'subscribedWith', options);
        const known: Readonly<Record<string, string>> = keys;
        return {
          endpoint,
          getKey: (name: string) => bytes(known[name] ?? ''),
        } as unknown as PushSubscription;
      };
    },
    { endpoint, keys: { p256dh, auth } },
  );
}

describe.skipIf(browserIsMissing)(inBrowser('the notices of an owner'), () => {
  let browser: Browser;
  let receiver: NoticeReceiver;
  beforeAll(async () => {
    receiver = await startNoticeReceiver();
    browser = await openNotifyingBrowser();
  });
  beforeEach(() => {
    receiver.requests.length = 0;
    receiver.answer = created;
  });
  afterAll(async () => {
    await browser.close();
    receiver.close();
  });

  const open = () =>
    openDashboard({
      noticeSender: ownerNotices({ allowPrivateTargets: ['localhost'], ca: receiver.ca }),
    });

  it('reach the service worker on a phone, and two taps decide a short reply without scrolling', async () => {
    const dashboard = await open();
    const { service, ownerId, clock, url, key } = dashboard;
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
    const page = await signedInPage(browser, dashboard, PAGE, phone);
    await page.context().grantPermissions(['notifications']);
    const subscriber = newSubscriber();
    await subscribeAs(page, subscriber, `${receiver.origin}/push/1`);
    await page.reload();
    await press(page, 'Turn on in this browser');
    await page.getByText('The channel is added.').waitFor();
    expect(await service.notices.list(ownerId)).toMatchObject([{ kind: 'push', name: 'Chrome on Linux' }]);

    const found = await key.call('search_inbox', { q: 'Termin' });
    const [message = expect.fail()] = foundMessages.parse('result' in found ? found.result : {}).messages;
    const text = 'Guten Tag,\n\nder Termin am Freitag passt mir. Bitte überweisen Sie mir 50 EUR zurück.';
    const { id } = approvalOf(await key.call('send_reply', { id: message.id, body: text }));
    clock.shift(5 * 60_000);
    service.start();
    await expect.poll(() => receiver.requests.length).toBe(1);
    const [{ headers, body } = expect.fail()] = receiver.requests;
    expect(readVapid(headers.authorization ?? '').publicKey).toBe(service.notices.pushKey(ownerId));
    const pushed = subscriber.decrypt(body);
    expect(JSON.parse(pushed)).toEqual({
      waiting: 1,
      approval_id: id,
      accounts_to_mend: 0,
      access_changed: false,
    });

    const devtools = await page.context().newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      devtools.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
        const active = versions.find(({ status }) => status === 'activated');
        if (active !== undefined) resolve(active.registrationId);
      });
    });
    await devtools.send('ServiceWorker.enable');
    const registrationId = await registered;
    const [worker = expect.fail()] = page.context().serviceWorkers();
    // Chromium drops a notice that it is still showing when somebody asks which ones are shown.
    await worker.evaluate(`
      globalThis.isShown = new Promise((resolve) => {
        const show = registration.showNotification.bind(registration);
        registration.showNotification = (...args) => show(...args).finally(resolve);
      });
      undefined`);
    await devtools.send('ServiceWorker.deliverPushMessage', { origin: url, registrationId, data: pushed });
    await worker.evaluate('isShown');
    const shown = () =>
      worker.evaluate<readonly { title: string; body: string; data: string }[]>(`
        registration.getNotifications().then((all) => all.map(({ title, body, data }) => ({ title, body, data })))`);
    await expect
      .poll(shown)
      .toEqual([
        { title: 'Countersign', body: '1 request waits for your decision.', data: `approvals/${id}` },
      ]);
    // The first tap. Headless Chromium has no notice to press, and opens a window only for a real press.
    const opened = await worker.evaluate<string>(`
      new Promise((resolve) => {
        clients.openWindow = async (address) => resolve(address);
        registration.getNotifications().then(([notification]) =>
          dispatchEvent(new NotificationEvent('notificationclick', { notification })));
      })`);
    expect(opened).toBe(`${url}/approvals/${id}`);
    await expect.poll(shown).toEqual([]);
    await page.goto(opened);

    // Seen without scrolling, above the bar with the buttons.
    const bottomOf = async (part: Locator) => {
      const box = await part.boundingBox();
      if (box === null) throw new Error('it is not shown');
      return box.y + box.height;
    };
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    expect(await bottomOf(approve)).toBeLessThan(844);
    const bar = await page.getByRole('form', { name: 'Decision' }).boundingBox();
    const findings = page.locator('#findings > li');
    expect(await findings.count()).toBeGreaterThan(0);
    for (const part of [
      page.locator('#sentence'),
      ...(await findings.all()),
      page.locator('#message-text'),
    ]) {
      expect(await bottomOf(part), await part.innerText()).toBeLessThanOrEqual(bar?.y ?? 0);
    }
    expect(await page.locator('#sentence').innerText()).toContain('termine@praxis.example');
    expect(await page.locator('#message-text').innerText()).toContain(text);
    expect(await page.evaluate('scrollY')).toBe(0);
    // The second tap.
    await approve.tap();
    await page.locator('#just-decided').waitFor();
    expect(dashboard.mail.transmitted()).toMatchObject([{ to: ['termine@praxis.example'] }]);
  });

  it('close when the owner opens a page, and do not come again', async () => {
    const dashboard = await open();
    const { service, ownerId, clock } = dashboard;
    const page = await signedInPage(browser, dashboard, '/approvals');
    const channel = { kind: 'ntfy', server: receiver.origin, topic: 'mine', token: null } as const;
    await service.notices.add(ownerId, channel);
    await dashboard.ask({ subject: 'Seen' });
    // The open page fetches itself again. Nobody may be looking at it.
    await page.getByText('Seen').waitFor();
    clock.shift(5 * 60_000);
    service.start();
    await expect.poll(() => receiver.requests.length).toBe(1);
    await dashboard.ask({ subject: 'New' });
    await page.reload();
    clock.shift(2 * 3_600_000);
    await dashboard.ask({ subject: 'Newest' });
    clock.shift(5 * 60_000);
    await expect.poll(() => receiver.requests.length).toBe(2);
    expect(receiver.requests[1]?.body.toString()).toBe('3 requests wait for your decision.');
  });

  it('are set up, tested, confirmed and removed on one page', async () => {
    const dashboard = await open();
    const { service, ownerId } = dashboard;
    const page = await signedInPage(browser, dashboard, '/settings');
    await page.getByRole('link', { name: 'Set up notices' }).click();
    const ntfy = page.getByRole('form', { name: 'ntfy' });
    await ntfy.getByLabel('Server').fill(receiver.origin);
    await ntfy.getByLabel('Topic').fill('mine');
    await press(page, 'Add ntfy topic', ntfy);
    await press(page, 'Send test notice');
    expect(receiver.requests[0]?.body.toString()).toBe('This is a test. Notices of Countersign arrive here.');
    const when = page.getByRole('form', { name: 'When notices come' });
    await when.getByLabel('If I open nothing for').selectOption('15 minutes');
    await when.getByLabel('Quiet from').fill('22:00');
    await when.getByLabel('Quiet until').fill('07:00');
    await press(page, 'Save', when);
    expect(await service.notices.settings(ownerId)).toEqual({
      delayMin: 15,
      quiet: { fromMin: 22 * 60, toMin: 7 * 60 },
    });
    expect(await when.getByLabel('Quiet from').inputValue()).toBe('22:00');
    receiver.answer = (_request, response) => response.writeHead(500).end();
    await press(page, 'Send test notice');
    await page.getByText('The test notice was not sent. Its server answered 500.').waitFor();
    await page.getByText(/^Notices have failed since/).waitFor();
    await press(page, 'Remove');
    await page.getByText('Nowhere yet.').waitFor();
    const webhook = page.getByRole('form', { name: 'Webhook' });
    await webhook.getByLabel('URL').fill('https://hooks.example.org/1');
    await press(page, 'Add webhook', webhook);
    expect(await page.locator('#notice-secret').textContent()).toMatch(/^whsec_/);
  });
});

describe('the files of the installable page', () => {
  it('are served to everyone, below the base path, and are checked for changes', async () => {
    const dashboard = await openDashboard({ dashboardUrl: 'https://app.example.org/countersign' });
    const headers = { host: 'app.example.org' };
    const get = (path: string) => dashboard.send({ path: `/countersign${path}`, headers });
    const worker = await get('/service-worker.js');
    expect(worker.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
    });
    expect(worker.headers['content-security-policy']).toContain(
      'worker-src app.example.org/countersign/service-worker.js; manifest-src app.example.org/countersign/manifest.webmanifest;',
    );
    const manifest = await get('/manifest.webmanifest');
    expect(manifest.headers['content-type']).toBe('application/manifest+json; charset=utf-8');
    const { start_url, scope, icons } = manifestFile.parse(JSON.parse(manifest.body));
    const address = 'https://app.example.org/countersign/manifest.webmanifest';
    expect(new URL(start_url, address).pathname).toBe('/countersign/approvals');
    expect(new URL(scope, address).pathname).toBe('/countersign/');
    const icon = await get(new URL(icons[0]?.src ?? '', address).pathname.replace('/countersign', ''));
    expect(icon).toMatchObject({ status: 200, body: expect.stringContaining('<svg') });
    const { body } = await get('/sign-in');
    expect(body).toContain('<link rel="manifest" href="/countersign/manifest.webmanifest"/>');
  });

  it.skipIf(browserIsMissing)('have pictures for home screens, which a browser can draw', async () => {
    const dashboard = await openDashboard();
    const browser = await openBrowser();
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(`${dashboard.url}/sign-in`);
    const drawn = await page.evaluate<readonly string[]>(`(async () => {
      const manifest = await (await fetch('/manifest.webmanifest')).json();
      const touch = document.querySelector('link[rel=apple-touch-icon]').href;
      const sizes = [];
      for (const src of [touch, ...manifest.icons.filter(({ type }) => type === 'image/png').map(({ src }) => src)]) {
        const image = new Image();
        image.src = src;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
        canvas.drawImage(image, 0, 0);
        const at = (x, y) => canvas.getImageData(x * image.width, y * image.height, 1, 1).data.join();
        // The corner, and the lowest corner of the tick.
        sizes.push([image.width, at(0, 0), at(13.5 / 32, 22 / 32)].join(' '));
      }
      return sizes;
    })()`);
    const colors = '1,114,173,255 255,255,255,255';
    expect(drawn).toEqual([`192 ${colors}`, `192 ${colors}`, `512 ${colors}`]);
  });

  it('work for every owner: the key of the browser belongs to one owner', async () => {
    const { service, ownerId } = await openDashboard();
    const other = await service.owners.create({ email: 'other@example.org' });
    const keys = [service.notices.pushKey(ownerId), service.notices.pushKey(other.ownerId)];
    expect(new Set(keys).size).toBe(2);
    expect(service.notices.pushKey(ownerId)).toBe(keys[0]);
    expect(() => vapidPublicKey('')).toThrow();
  });
});
