import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { DAY_MS } from '../../../core/time/durations.ts';
import { ownerPages } from '../../../hosts/dashboard/handler.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { sessionToken } from '../../session-token.ts';
import { benchReader } from './bench-reader.ts';
import { NO_LIMITS } from './no-limits.ts';
import { readRecorder, shownMessage } from './recorded-read.ts';
import type { Row } from './table.ts';

const ROWS = 10_000;
const VIEWS = 50;
const EMAIL = 'owner@example.org';
const PASSWORD = 'correct horse battery';
const URL_OF_PAGES = 'http://127.0.0.1:1';

const textOf = (n: number) => `Word ${n} and more words. `.repeat(50);

/** The owner's page of 10,000 calls: the newest, and the newest of one key and tool. */
export async function activityPages(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-activity-'));
  const storage = sqliteStorage({ file: join(folder, 'countersign.db') });
  const secretKeys = [randomBytes(32)];
  const service = createService({
    ...{ storage, mail: sandboxMail(), reader: benchReader(), secretKeys },
    ...{ baseUrl: 'http://127.0.0.1:2', dashboardUrl: URL_OF_PAGES, limits: NO_LIMITS },
  });
  try {
    const { ownerId } = await service.owners.create({ email: EMAIL, password: PASSWORD });
    const { keyId } = await service.keys.create({ ownerId, name: 'bench', preset: 'full' });
    const call = {
      kind: 'call',
      credentialId: keyId,
      outcome: 'ok',
      approvalId: null,
      durationMs: 12,
    } as const;
    const now = Date.now();
    const recordOf = readRecorder(secretKeys, { ownerId, credentialId: keyId });
    for (let n = 0; n < ROWS; n++) {
      const tool = n % 100 === 0 ? 'get_thread' : ['get_email', 'list_unread', 'mark_read'][n % 3];
      const activity = { ...call, tool: tool ?? null, shown: [`m1_${n}`], listed: [] };
      const at = new Date(now - (ROWS - n) * 60_000);
      await storage.finish({
        caller: { ownerId, credentialId: keyId },
        slotId: 'none',
        claim: null,
        activity,
        // The page names what was read in the last day.
        ...(now - at.getTime() < DAY_MS && { read: recordOf(shownMessage(n, textOf(n))) }),
        now: at,
      });
    }
    const from = { address: '192.0.2.1', device: undefined, browser: 'Chromium', proofKey: null };
    const signedIn = await service.sessions.signIn({ email: EMAIL, password: PASSWORD, ...from });
    const answer = ownerPages(service);
    const view = async (target: string) => {
      const headers = { host: '127.0.0.1:1', cookie: `countersign-1=${sessionToken(signedIn)}` };
      const head = { method: 'GET', target, headers, peer: '192.0.2.1' };
      const reply = await answer(head, async () => new Uint8Array());
      if (reply?.status !== 200) throw new Error(`the page answers ${reply?.status}`);
    };
    const rows: Row[] = [];
    for (const [name, target] of [
      ['the newest 100', '/activity'],
      ['the newest 100 of one key and tool', `/activity?key=${keyId}&tool=get_thread`],
    ] as const) {
      await view(target);
      const before = process.cpuUsage();
      for (let n = 0; n < VIEWS; n++) await view(target);
      const { user, system } = process.cpuUsage(before);
      rows.push({ name: `  ${name}`, unit: 'ms', ours: (user + system) / 1000 / VIEWS, bound: { most: 30 } });
    }
    return [{ name: `CPU of the activity page, with ${ROWS} calls`, unit: '' }, ...rows];
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
}
