import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { Service } from '../../../core/service/service.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { nodeHandler } from '../../../hosts/node/node-handler.ts';
import { browserIsMissing, openBrowser } from '../../servers/browser.ts';
import { sessionToken } from '../../session-token.ts';
import { benchReader } from './bench-reader.ts';
import { NO_LIMITS } from './no-limits.ts';
import type { Row } from './table.ts';

const REQUESTS = 20;
const EMAIL = 'owner@example.org';
const PASSWORD = 'correct horse battery';

/** Notes when each request appears, on the clock that this process has too. */
const NOTE_ROWS = `window.seen = {};
new MutationObserver(() => {
  for (const { id } of document.querySelectorAll('main li[id]')) window.seen[id] ??= Date.now();
}).observe(document.querySelector('main'), { childList: true, subtree: true })`;

/** From the commit of a request until an open page of Chromium shows it. */
export async function openPages(): Promise<Row[]> {
  const name = 'from the commit of a request until an open page shows it';
  if (browserIsMissing) return [{ name: `${name}: skipped, needs Chromium`, unit: '' }];
  const folder = mkdtempSync(join(tmpdir(), 'countersign-open-pages-'));
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const committed = new Map<string, number>();
  const secretKeys = [randomBytes(32)];
  /** Each has its own connection, and learns nothing from the other: like two processes. */
  const open = (): Service => {
    const storage = sqliteStorage({ file: join(folder, 'countersign.db') });
    return createService({
      storage: {
        ...storage,
        async file(filing) {
          const filed = await storage.file(filing);
          committed.set(filing.approvalId, Date.now());
          return filed;
        },
      },
      mail: sandboxMail(),
      reader: benchReader(),
      secretKeys,
      baseUrl: 'http://127.0.0.1:1',
      dashboardUrl: url,
      limits: NO_LIMITS,
    });
  };
  const [here, elsewhere] = [open(), open()];
  const pages = nodeHandler(here, { doors: ['dashboard'] });
  server.on('request', pages);
  pages.attachUpgrade(server);
  const { ownerId } = await here.owners.create({ email: EMAIL, password: PASSWORD });
  await here.accounts.connect({ ownerId, email: EMAIL, settings: {} });
  const { apiKey } = await here.keys.create({ ownerId, name: 'bench', preset: 'full' });
  const browser = await openBrowser();
  try {
    const from = { address: '192.0.2.1', device: undefined, browser: 'Chromium', proofKey: null };
    const signedIn = await here.sessions.signIn({ email: EMAIL, password: PASSWORD, ...from });
    const context = await browser.newContext();
    const cookie = { name: `countersign-${new URL(url).port}`, value: sessionToken(signedIn), url };
    await context.addCookies([cookie]);
    const page = await context.newPage();
    await page.goto(`${url}/approvals`);
    await page.evaluate(NOTE_ROWS);
    const rows: Row[] = [];
    for (const [service, where] of [
      [here, 'filed by the process of the page'],
      [elsewhere, 'filed by another process'],
    ] as const) {
      const delays: number[] = [];
      for (let n = 0; n < REQUESTS; n++) {
        const id = await ask(service, apiKey, `${where} ${n}`);
        await page.locator(`li#${id}`).waitFor();
        const seen = z.record(z.string(), z.number()).parse(await page.evaluate('window.seen'));
        delays.push((seen[id] ?? Number.NaN) - (committed.get(id) ?? Number.NaN));
        await service.approvals.reject(ownerId, id);
      }
      delays.sort((one, other) => one - other);
      rows.push(
        { name: `  ${where}, median of ${REQUESTS}`, unit: 'ms', ours: delays[REQUESTS / 2] ?? Number.NaN },
        { name: '  the slowest', unit: 'ms', ours: delays.at(-1) ?? Number.NaN, bound: { most: 1000 } },
      );
    }
    return [{ name, unit: '' }, ...rows];
  } finally {
    await browser.close();
    await Promise.all([here.stop(), elsewhere.stop()]);
    server.close();
    rmSync(folder, { recursive: true });
  }
}

/** Requests a send that has to wait. @returns its id */
async function ask({ calls }: Service, token: string, subject: string): Promise<string> {
  const admission = await calls.admitCaller({ token, address: '192.0.2.1' });
  if (admission.kind !== 'admitted') throw new Error(`the call was ${admission.kind}`);
  const { outcome } = await calls.runTool(admission.caller, {
    tool: 'send_email',
    args: { to: ['ada@example.net'], subject, body: subject },
    idempotencyKey: undefined,
    sizeBytes: (answer) => Buffer.byteLength(JSON.stringify(answer)),
  });
  if (outcome.status !== 'pending_approval') throw new Error(`it does not wait: ${outcome.status}`);
  return outcome.approval.id;
}
