import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { httpsSender } from '../../adapters/webhooks/https-sender.ts';
import { isInstalled, OCR_PACKAGES } from '../debian-packages.ts';
import { ownRestServer } from '../hosts/rest/rest-server.ts';
import { buildCli, type Cli } from '../hosts/server/cli-process.ts';
import { browserIsMissing, inBrowser, openBrowser } from '../servers/browser.ts';
import { makeCertificate } from '../servers/certificate.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { freePorts } from '../servers/ports.ts';
import { until } from '../until.ts';
import { type InstalledPackage, installPackage, lineOf } from './installed-package.ts';
import { decide, signedIn } from './owner-pages.ts';

let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installPackage();
});
afterAll(() => installed?.remove());

it('examples/quickstart.mjs succeeds', async () => {
  expect(await installed.run('quickstart').ended).toEqual({
    code: 0,
    stdout: 'It waited for its owner, and was sent once.\n',
    stderr: '',
  });
});

it.each(['ai-sdk', 'langchain'])('examples/%s.mjs succeeds', async (name) => {
  expect(await installed.run(name).ended).toEqual({
    code: 0,
    stdout: 'Your message waits for your approval.\n',
    stderr: '',
  });
});

it('examples/summarizer.mjs shows what the model wrote', async () => {
  const { stdout, stderr } = await installed.run('summarizer').ended;
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^[1-9]\d* messages about the Atlas launch\.\nAnswer Maya\.\n$/);
});

describe('examples/ocr.mjs', () => {
  const picture = join(import.meta.dirname, '../adapters/extract/documents/picture.png');

  it('without tesseract says what to install, and that the attachment is a picture', async () => {
    const ended = await installed.run('ocr', { PATH: '/nowhere' }, [picture]).ended;
    expect(ended.stderr).toBe('There is no tesseract here: apt-get install tesseract-ocr\n');
    expect(JSON.parse(ended.stdout)).toEqual({
      kind: 'empty',
      reason: 'image',
      picture: { format: 'PNG', width: 200, height: 200 },
    });
    expect(ended.code).toBe(0);
  });

  const missing = OCR_PACKAGES.filter((name) => !isInstalled(name));
  it.skipIf(missing.length > 0)(titledWithout(missing, 'reads what a picture shows'), async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-ocr-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'shown.png');
    const drawing = `
from PIL import Image, ImageDraw, ImageFont
font = ImageFont.truetype('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf', 48)
image = Image.new('RGB', (900, 120), 'white')
ImageDraw.Draw(image).text((20, 30), 'The invoice comes to forty', 'black', font)
image.save('${file}')`;
    await promisify(execFile)('/usr/bin/python3', ['-c', drawing]);
    const { stdout } = await installed.run('ocr', {}, [file, picture]).ended;
    const [shown = '', blank = ''] = stdout.split('\n');
    expect(JSON.parse(shown)).toEqual({
      kind: 'text',
      text: '[Read from a picture by a program, which makes mistakes.]\n\nThe invoice comes to forty',
      cut: false,
    });
    expect(JSON.parse(blank)).toMatchObject({ kind: 'empty', reason: 'image' });
  });
});

it('examples/webhook-receiver.mjs handles each event once, though it crashes and events come again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-receiver-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { certFile, keyFile } = await makeCertificate(folder);
  const sender = httpsSender({
    allowPrivateTargets: ['localhost'],
    ca: await readFile(certFile, 'utf8'),
  });
  const api = await ownRestServer({ given: { webhookSender: sender } });
  const { service, ownerId } = api;
  const { keyId, apiKey } = await service.keys.create({ ownerId, name: 'agent', preset: 'full' });
  const [port = 0] = await freePorts(1);
  const url = `https://localhost:${port}`;
  const { endpointId, secret } = await service.webhooks.add({ ownerId, keyId, url });
  const start = async (apiUrl: string) => {
    const receiver = installed.run('webhook-receiver', {
      ...{ TLS_CERT: certFile, TLS_KEY: keyFile, WEBHOOK_SECRET: secret, COUNTERSIGN_KEY: apiKey },
      ...{ COUNTERSIGN_URL: apiUrl, PORT: String(port), EVENTS_FILE: join(folder, 'events.db') },
    });
    await lineOf(receiver, (line) => line === `Listening on ${url}`);
    return receiver;
  };
  const delivered = () =>
    until(async () => {
      const { deliveries } = await service.webhooks.deliveries(ownerId, endpointId, { limit: 100 });
      return deliveries.length > 0 && deliveries.every(({ state }) => state === 'delivered') && deliveries;
    });

  // It accepts an event that it cannot handle, because the API does not answer, and crashes.
  const first = await start('http://127.0.0.1:1');
  const forged = {
    url,
    headers: { 'service-signature': `t=1,v1=${'0'.repeat(64)}` },
    timeLimitMs: 10_000,
    signal: new AbortController().signal,
  };
  expect(await sender.post({ ...forged, body: Buffer.from('{}') })).toMatchObject({ status: 400 });
  expect(await sender.post({ ...forged, body: Buffer.alloc(1_000_000) })).toMatchObject({ status: 400 });
  const filed = await fetch(`http://127.0.0.1:${api.port}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: ['ada@example.org'], subject: 'Hello', body: 'Hello.' }),
  });
  const { approval } = waiting.parse(await filed.json());
  service.start();
  await service.approvals.reject(ownerId, approval.id);
  const [rejection] = await delivered();
  await lineOf({ ...first, lines: first.errors }, (line) => line.startsWith('will try again: '));
  first.kill('SIGKILL');
  const crashed = await first.ended;
  expect(crashed.stderr).toMatch(/^(refused: The signature does not match.*\n){2}will try again: /);
  expect(crashed.stdout).not.toContain(approval.id);

  // Started again it handles the event, and only once.
  const second = await start(`http://127.0.0.1:${api.port}`);
  await lineOf(second, (line) => line.startsWith(`${approval.id}: rejected: `));
  await service.webhooks.redeliver(ownerId, endpointId, rejection?.event.sequence ?? 0);
  await lineOf(second, (line) => line === `${rejection?.event.id}: received again`);
  await service.webhooks.sendTest(ownerId, endpointId);
  await lineOf(second, (line) => line.endsWith(': webhook.test'));
  second.kill('SIGTERM');
  const { stdout, stderr } = await second.ended;
  expect(stdout.match(/: rejected: /g)).toHaveLength(1);
  expect(stderr).toBe('');
});

const waiting = z.object({ approval: z.object({ id: z.string() }) });

describe.skipIf(browserIsMissing)(inBrowser('examples/agent.mjs, beside serve --demo'), () => {
  let cli: Cli;
  let server: Awaited<ReturnType<Cli['serve']>>;
  let browser: Browser;
  beforeAll(async () => {
    cli = await buildCli();
    server = await cli.serve(['serve', '--demo', '--json']);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await server?.stop('SIGTERM');
    cli?.remove();
  });

  it('learns whether its answer was sent', async () => {
    const { owner, api_key } = server;
    if (owner === undefined || api_key === undefined) throw new Error('the demo names no owner');
    const page = await signedIn(browser, server.dashboard_url, owner);
    const asksAndWaits = async (button: 'Approve' | 'Reject') => {
      const agent = installed.run('agent', { COUNTERSIGN_URL: server.base_url, COUNTERSIGN_KEY: api_key });
      await lineOf(agent, (line) => line === `${server.dashboard_url}/approvals`);
      await page.goto('/approvals');
      await page.getByRole('region', { name: 'Waiting for you' }).getByRole('link').click();
      await decide(page, button);
      return agent;
    };
    // Each polls no faster than allowed, so both wait at the same time.
    const agents = [await asksAndWaits('Approve'), await asksAndWaits('Reject')];
    const [approved, rejected] = await Promise.all(agents.map(({ ended }) => ended));
    expect(approved).toMatchObject({ code: 0, stderr: '' });
    expect(approved?.stdout).toMatch(/\nexecuted: /);
    expect(rejected).toMatchObject({ code: 1, stderr: '' });
    expect(rejected?.stdout).toMatch(/\nrejected: /);
  });
});
