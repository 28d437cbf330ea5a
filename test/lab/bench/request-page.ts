import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { fetchHandler } from '../../../hosts/fetch/fetch-handler.ts';
import { callWith } from '../../open-service.ts';
import { sessionToken } from '../../session-token.ts';
import { benchReader } from './bench-reader.ts';
import { NO_LIMITS } from './no-limits.ts';
import type { Row } from './table.ts';

const VIEWS = 30;
const EMAIL = 'owner@example.org';
const PASSWORD = 'correct horse battery';
const URL = 'https://dashboard.example.org';

/** The CPU time of this process for the page of a request whose text has 50,000 characters, with findings in it. */
export async function requestPage(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-request-page-'));
  const service = createService({
    storage: sqliteStorage({ file: join(folder, 'countersign.db') }),
    mail: sandboxMail(),
    reader: benchReader(),
    secretKeys: [randomBytes(32)],
    baseUrl: 'https://api.example.org',
    dashboardUrl: URL,
    limits: NO_LIMITS,
  });
  try {
    const { ownerId } = await service.owners.create({ email: EMAIL, password: PASSWORD });
    await service.accounts.connect({ ownerId, email: EMAIL, settings: {} });
    const { apiKey } = await service.keys.create({ ownerId, name: 'bench', preset: 'full' });
    const line = 'Sign in at https://bank.example@evil.example/ with 1,240 and\u200b 980 before Tuesday.\n';
    const body = line.repeat(1000).slice(0, 50_000);
    const outcome = await callWith(service, apiKey, 'send_email', {
      to: ['ada@example.net'],
      subject: 'Long',
      body,
    });
    if (outcome.status !== 'pending_approval') throw new Error(`it does not wait: ${outcome.status}`);
    const from = { address: '192.0.2.1', device: undefined, browser: 'Chromium', proofKey: null };
    const signedIn = await service.sessions.signIn({ email: EMAIL, password: PASSWORD, ...from });
    const pages = fetchHandler(service, { doors: ['dashboard'], address: () => from.address });
    const headers = { cookie: `__Host-countersign=${sessionToken(signedIn)}` };
    const view = async () => {
      const response = await pages(new Request(`${URL}/approvals/${outcome.approval.id}`, { headers }));
      const page = await response.text();
      if (!page.includes('id="message-text"')) throw new Error(`the page is missing: ${response.status}`);
      return page;
    };
    for (let n = 0; n < VIEWS; n++) await view();
    const before = process.cpuUsage();
    let bytes = 0;
    for (let n = 0; n < VIEWS; n++) bytes = Buffer.byteLength(await view());
    const { user, system } = process.cpuUsage(before);
    return [
      {
        name: 'the page of a request with 50,000 characters: CPU time',
        unit: 'ms',
        ours: (user + system) / 1000 / VIEWS,
        bound: { most: 30 },
      },
      { name: '  its size', unit: 'KB', ours: bytes / 1000 },
    ];
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
}
