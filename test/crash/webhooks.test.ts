import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpsSender } from '../../adapters/webhooks/https-sender.ts';
import { casesOf, onlyLong } from '../only-long.ts';
import { callWith } from '../open-service.ts';
import { bundleForChild } from '../run-typescript.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { asked, missingPostgres, type Postgres, startPostgres } from '../servers/postgres.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../servers/webhook-receiver.ts';
import { TRACE } from './kill-after.ts';
import { runUntilKilled, tracedCalls } from './killed.ts';
import { SEND } from './sandbox-scene.ts';
import { keepInPostgres, sceneParts, sceneService } from './scene.ts';
import { performWebhookAct, type WebhookStep } from './webhook-act.ts';

/**
 * The crash proof of webhooks. A process is killed with SIGKILL after the n-th call from the decision to the recorded
 * end of its delivery, for every n, and a new one is started. The event arrives at least once, always the same.
 */

/** The calls of a run that is not killed. The delivery may poll again afterwards. */
const CALLS = ['storage.decide', 'storage.moveDeliveries', 'sender.post', 'storage.moveDeliveries'];
/** The attempts that the receiver sees, if the kill follows each of them. */
const ATTEMPTS = [[1], [2], [1, 2], [1]];
const UNTIL_POSTED = CALLS.indexOf('sender.post');

/** Lets the lease of a lost attempt end. */
const PASS_A_MINUTE = (table: string) => `
  UPDATE ${table} SET due_ms = due_ms - 60000, ready_ms = ready_ms - 60000,
    lease_until_ms = CASE lease_until_ms WHEN 0 THEN 0 ELSE lease_until_ms - 60000 END`;

interface Place {
  /** Chooses the database of a scene in this folder. */
  prepare(folder: string): Promise<void>;
  passAMinute(folder: string): Promise<void>;
  /** Whether the gate has the same in another place, and here only the kill that loses most. */
  readonly isSecond: boolean;
}

function webhookCrashProof({ prepare, passAMinute, isSecond }: Place): void {
  let receiver: WebhookReceiver;
  let bundle: string;
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
    bundle = await bundleForChild(join(import.meta.dirname, 'webhook-actor.ts'), 'bundle');
  });
  afterAll(() => receiver.close());

  async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const folder = mkdtempSync(join(tmpdir(), 'cs-webhooks-'));
    try {
      return await work(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Files a request, whose key has an endpoint. @returns the requests that the endpoint received, in order */
  async function filed(folder: string) {
    await prepare(folder);
    const { ca, origin, requests } = receiver;
    const service = sceneService({
      ...sceneParts(folder, 'sandbox'),
      webhookSender: httpsSender({ allowPrivateTargets: ['localhost'], ca }),
    });
    const email = 'demo@countersign.test';
    const { ownerId } = await service.owners.create({ email });
    await service.accounts.connect({ ownerId, email, settings: {} });
    const { keyId, apiKey } = await service.keys.create({ ownerId, name: 'agent', preset: 'full' });
    const path = folder.slice(tmpdir().length);
    const { endpointId } = await service.webhooks.add({ ownerId, keyId, url: `${origin}${path}` });
    const outcome = await callWith(service, apiKey, SEND.tool, SEND.args);
    if (outcome.status !== 'pending_approval') throw new Error('the request is not pending');
    await service.stop();
    const approvalId = outcome.approval.id;
    writeFileSync(join(folder, 'scene.json'), JSON.stringify({ ownerId, approvalId, endpointId, ca }));
    const received = () =>
      requests
        .filter((request) => request.path === path)
        .map(({ headers, body }) => ({
          attempt: Number(headers['service-delivery-attempt']),
          id: headers['service-event-id'],
          body: body.toString(),
        }));
    return { ownerId, endpointId, approvalId, received };
  }

  /** Performs a step, in a process of its own if it is to be killed. @returns the calls that ended */
  async function run(folder: string, step: WebhookStep, killAfter: number): Promise<readonly string[]> {
    rmSync(join(folder, TRACE), { force: true });
    if (killAfter === 0) await performWebhookAct(folder, step, 0);
    else await runUntilKilled(bundle, [folder, step, String(killAfter)]);
    return tracedCalls(folder);
  }

  async function stored(folder: string, ownerId: string, endpointId: string) {
    const { storage } = sceneParts(folder, 'sandbox');
    const events = await storage.events({ ownerId, afterId: 0, limit: 10 });
    const endpoint = Number(endpointId.slice('wh_'.length));
    const { deliveries } = await storage.deliveries({
      ownerId,
      endpointId: endpoint,
      before: undefined,
      limit: 10,
    });
    await storage.close();
    return { events, deliveries };
  }

  it('delivers the event at least once, with the same id, whichever call the kill follows', async () => {
    await inFolder(async (folder) => {
      const { received } = await filed(folder);
      expect((await run(folder, 'reject', 0)).slice(0, CALLS.length)).toEqual(CALLS);
      expect(received()).toHaveLength(1);
    });
    const kills = casesOf(
      'crash: kills',
      CALLS.map((call, index) => ({ call, index })),
      ({ call }) => !isSecond || call === 'sender.post',
    );
    await Promise.all(
      kills.map(({ call, index }) =>
        inFolder(async (folder) => {
          const { ownerId, endpointId, approvalId, received } = await filed(folder);
          expect((await run(folder, 'reject', index + 1)).at(-1)).toBe(call);
          await passAMinute(folder);
          await run(folder, 'deliver', 0);
          const { events, deliveries } = await stored(folder, ownerId, endpointId);
          expect(events, call).toMatchObject([{ data: { approval_id: approvalId, state: 'rejected' } }]);
          const attempts = ATTEMPTS[index] ?? [];
          expect(
            received().map(({ attempt }) => attempt),
            call,
          ).toEqual(attempts);
          for (const { id, body } of received()) {
            expect([id, body], call).toEqual([events[0]?.id, received()[0]?.body]);
          }
          expect(deliveries, call).toMatchObject([{ state: 'delivered', attempts: attempts.at(-1) }]);
        }),
      ),
    );
  });

  const countAttempts = () =>
    it('counts the attempts of killed processes, and makes no seventh', async () => {
      await inFolder(async (folder) => {
        const { ownerId, endpointId, received } = await filed(folder);
        await run(folder, 'reject', UNTIL_POSTED + 1);
        for (let attempt = 2; attempt <= 6; attempt++) {
          await passAMinute(folder);
          expect((await run(folder, 'deliver', UNTIL_POSTED)).at(-1)).toBe('sender.post');
        }
        await passAMinute(folder);
        await run(folder, 'deliver', 0);
        expect(received().map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
        expect(new Set(received().map(({ id }) => id)).size).toBe(1);
        const { deliveries } = await stored(folder, ownerId, endpointId);
        expect(deliveries).toMatchObject([{ state: 'failed', attempts: 6, log: [] }]);
      });
    });
  if (isSecond) onlyLong('crash: stages', countAttempts);
  else countAttempts();
}

describe('a webhook, the process killed after every call', () => {
  webhookCrashProof({
    isSecond: false,
    prepare: async () => undefined,
    passAMinute: async (folder) => {
      const db = new Database(join(folder, 'scene.db'));
      db.exec(PASS_A_MINUTE('deliveries'));
      db.close();
    },
  });
});

const missing = missingPostgres();
describe.skipIf(missing.length > 0)(
  titledWithout(missing, 'a webhook on Postgres, the process killed after every call'),
  () => {
    let postgres: Postgres;
    const databases = new Map<string, string>();
    beforeAll(async () => {
      postgres = await startPostgres();
    });
    afterAll(async () => {
      for (const url of databases.values()) await postgres.dropDatabase(url);
      await postgres?.stop();
    });

    webhookCrashProof({
      isSecond: true,
      async prepare(folder) {
        const url = await postgres.createDatabase();
        databases.set(folder, url);
        keepInPostgres(folder, url);
      },
      passAMinute: async (folder) => {
        await asked(databases.get(folder) ?? '', PASS_A_MINUTE('countersign.deliveries'));
      },
    });
  },
);
