import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { Service } from '../../../core/service/service.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { benchReader } from './bench-reader.ts';
import { NO_LIMITS } from './no-limits.ts';
import { readRecorder, shownMessage } from './recorded-read.ts';
import type { Row } from './table.ts';

const READS = 10_000;
const FILED = 15;
const WORDS = 300;

/** What it costs to file a request after 10,000 messages were read, beyond what it costs after none. */
export async function provenance(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-provenance-'));
  const storage = sqliteStorage({ file: join(folder, 'countersign.db') });
  const secretKeys = [randomBytes(32)];
  const service = createService({
    storage,
    mail: sandboxMail(),
    reader: benchReader(),
    secretKeys,
    baseUrl: 'http://127.0.0.1:1',
    dashboardUrl: 'http://127.0.0.1:2',
    limits: NO_LIMITS,
  });
  try {
    const { ownerId } = await service.owners.create({
      email: 'owner@example.org',
      password: 'correct horse battery',
    });
    await service.accounts.connect({ ownerId, email: 'owner@example.org', settings: {} });
    const { apiKey, keyId } = await service.keys.create({ ownerId, name: 'bench', preset: 'full' });
    const before = await filingMs(service, apiKey, 'before');
    const recordOf = readRecorder(secretKeys, { ownerId, credentialId: keyId });
    const hashing: number[] = [];
    for (let n = 0; n < READS; n++) {
      const began = performance.now();
      const read = recordOf(passage(n));
      hashing.push(performance.now() - began);
      await storage.finish({
        caller: { ownerId, credentialId: keyId },
        slotId: 'none',
        claim: null,
        activity: {
          kind: 'call',
          credentialId: keyId,
          tool: 'get_email',
          outcome: 'ok',
          approvalId: null,
          durationMs: 1,
          shown: [`m${n}`],
          listed: [],
        },
        read,
        now: new Date(),
      });
    }
    const after = await filingMs(service, apiKey, 'after');
    hashing.sort((a, b) => a - b);
    return [
      { name: `filing a request after ${READS} messages were read`, unit: '' },
      {
        name: '  CPU, beyond that after none, median',
        unit: 'ms',
        ours: after - before,
        bound: { most: 20 },
      },
      {
        name: `  recording the read of a message of ${WORDS} words, median`,
        unit: 'ms',
        ours: hashing[READS / 2] ?? Number.NaN,
      },
    ];
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
}

function passage(n: number) {
  const words = Array.from({ length: WORDS }, (_, at) => ((n * 7919 + at * 104_729) % 99_991).toString(36));
  const text = `${words.join(' ')} desk-${n}@sender.example https://www.sender-${n}.example/ 12,00 EUR`;
  return shownMessage(n, text);
}

/** The median CPU time of a filed request that nobody has answered, in milliseconds. */
async function filingMs({ calls }: Service, token: string, run: string): Promise<number> {
  const spent: number[] = [];
  for (let n = 0; n < FILED; n++) {
    const admission = await calls.admitCaller({ token, address: '192.0.2.1' });
    if (admission.kind !== 'admitted') throw new Error(`the call was ${admission.kind}`);
    const began = process.cpuUsage();
    const { outcome } = await calls.runTool(admission.caller, {
      tool: 'send_email',
      args: {
        to: [`desk-${n}@sender.example`],
        subject: `${run} ${n}`,
        body: 'Where? https://www.sender-5.example/',
      },
      idempotencyKey: undefined,
      sizeBytes: (answer) => Buffer.byteLength(JSON.stringify(answer)),
    });
    const { user, system } = process.cpuUsage(began);
    spent.push((user + system) / 1000);
    if (outcome.status !== 'pending_approval') throw new Error(`it does not wait: ${outcome.status}`);
  }
  spent.sort((a, b) => a - b);
  return spent[Math.floor(FILED / 2)] ?? Number.NaN;
}
