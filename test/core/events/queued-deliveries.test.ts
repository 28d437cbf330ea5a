import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStore } from '../../../adapters/sqlite/store.ts';
import { PER_ENDPOINT_MAX } from '../../../core/events/attempt-room.ts';
import { appendedEvent } from '../../../core/events/event-storage.ts';
import type { WebhookSender } from '../../../core/ports/webhook-sender.ts';
import { eventId } from '../../../core/secrets/record-ids.ts';
import { createStorage } from '../../../core/service/create-storage.ts';
import type { RowChange } from '../../../core/state/change.ts';
import type { StateStore } from '../../../core/state/store.ts';
import { openTestService, type TestService } from '../../open-service.ts';
import { until } from '../../until.ts';

const QUEUED = 10_000;
const OWNERS = ['a', 'b'];
const ENDPOINTS = 2;
const PER_ENDPOINT = QUEUED / OWNERS.length / ENDPOINTS;
/** Attempts of one owner that run at once. */
const OWN_ATTEMPTS = ENDPOINTS * PER_ENDPOINT_MAX;
const APPENDED_AT_ONCE = 500;

/** Counts the units that move deliveries, and the rows that each of them reads and writes. */
function countingStore(store: StateStore) {
  const counts = { units: 0, mostRead: 0, mostWritten: 0 };
  const counting: StateStore = {
    ...store,
    unit(commit, lock, queries, judge) {
      if (!('due' in queries)) return store.unit(commit, lock, queries, judge);
      counts.units += 1;
      return store.unit(commit, lock, queries, (found, nowMs) => {
        const judged = judge(found, nowMs);
        counts.mostRead = Math.max(counts.mostRead, rowsIn(found));
        counts.mostWritten = Math.max(counts.mostWritten, rowsOf(judged.changes));
        return judged;
      });
    },
  };
  return { counting, counts };
}

/** Every list that was found has one entry per row. */
function rowsIn(found: object): number {
  return Object.values(found).reduce<number>(
    (sum, value) => sum + (Array.isArray(value) ? value.length : 0),
    0,
  );
}

function rowsOf(changes: readonly RowChange[]): number {
  return changes.reduce((sum, one) => sum + (one.op === 'put_rows' ? one.rows.length : 1), 0);
}

let scene: TestService | undefined;
afterEach(() => scene?.service.stop(200));

it('10,000 queued events arrive once each, in small units, with fair turns for the endpoints', async () => {
  const { counting, counts } = countingStore(sqliteStore(openDatabase(':memory:'), Date.now));
  /** In the order of the posts. */
  const posts: { readonly url: string; readonly id: string }[] = [];
  const sender: WebhookSender = {
    async post({ url, headers }) {
      posts.push({ url, id: headers['service-event-id'] ?? '' });
      await setImmediate();
      return { kind: 'answered', status: 204, retryAfter: null };
    },
    close: async () => undefined,
  };
  scene = await openTestService({ storage: createStorage(counting, randomBytes), webhookSender: sender });
  const { service } = scene;
  const expected = new Map<string, string>();
  for (const name of OWNERS) {
    const { ownerId } = await service.owners.create({ ownerId: name, email: `${name}@example.org` });
    const urls = new Map<string, string>();
    for (let n = 0; n < ENDPOINTS; n += 1) {
      const { keyId } = await service.keys.create({ ownerId, name: 'agent', preset: 'full' });
      const url = `https://${name}.example.org/${n}`;
      await service.webhooks.add({ ownerId, keyId, url });
      urls.set(keyId, url);
    }
    const events = Array.from({ length: PER_ENDPOINT }).flatMap(() =>
      [...urls].map(([credentialId, url]) => {
        const id = eventId(randomBytes);
        expected.set(id, url);
        const data = { approval_id: `apr_${'a'.repeat(22)}`, state: 'approved', account_id: 1 } as const;
        const event = { type: 'approval.decided', data, id, credentialId, createdAt: new Date() } as const;
        return appendedEvent(ownerId, event);
      }),
    );
    while (events.length > 0) await counting.apply(ownerId, events.splice(0, APPENDED_AT_ONCE));
  }

  service.start();
  await until(() => posts.length >= QUEUED, { intervalMs: 20 });
  await service.stop();

  expect(posts).toHaveLength(QUEUED);
  expect(posts.filter(({ id, url }) => expected.get(id) !== url)).toEqual([]);
  expect(new Set(posts.map(({ id }) => id)).size).toBe(QUEUED);
  // The facts: an owner's endpoints with their keys, the attempts that ended, new events, and due deliveries.
  expect(counts.mostRead).toBeLessThanOrEqual(4 * OWN_ATTEMPTS);
  // Attempts that end and that start, and the positions of the endpoints.
  expect(counts.mostWritten).toBeLessThanOrEqual(3 * OWN_ATTEMPTS);
  expect(counts.units).toBeLessThanOrEqual(QUEUED / 2);
  // While one owner's attempts are recorded, the other owner has a turn.
  expect(greatestLead(posts)).toBeLessThanOrEqual(2 * OWN_ATTEMPTS);
});

/** How far the endpoint with the most posts was ever ahead of the one with the fewest. */
function greatestLead(posts: readonly { readonly url: string }[]): number {
  const counts = new Map(posts.map(({ url }) => [url, 0]));
  let lead = 0;
  for (const { url } of posts) {
    counts.set(url, (counts.get(url) ?? 0) + 1);
    lead = Math.max(lead, Math.max(...counts.values()) - Math.min(...counts.values()));
  }
  return lead;
}
