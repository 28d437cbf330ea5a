import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/postgres/database.ts';
import { postgresStore } from '../../../adapters/postgres/store.ts';
import { openDatabase as openFile } from '../../../adapters/sqlite/database.ts';
import { sqliteStore } from '../../../adapters/sqlite/store.ts';
import { httpsSender } from '../../../adapters/webhooks/https-sender.ts';
import { appendedEvent } from '../../../core/events/event-storage.ts';
import type { EventContent } from '../../../core/events/webhook-event.ts';
import { eventId } from '../../../core/secrets/record-ids.ts';
import { createStorage } from '../../../core/service/create-storage.ts';
import type { StateStore } from '../../../core/state/store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/time/durations.ts';
import { verifyWebhook } from '../../../hosts/webhooks/verify-webhook.ts';
import { onlyLong } from '../../only-long.ts';
import { openTestService, type TestService, testClock } from '../../open-service.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { type MovableDatabases, movableDatabases } from '../../servers/movable-databases.ts';
import { missingPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../servers/webhook-receiver.ts';
import { until } from '../../until.ts';

/** A store whose clock tests can move. */
interface MovableStore {
  readonly store: StateStore;
  /** Moves the clock of the store, also back. */
  passTime(ms: number): Promise<void>;
}

describe('webhooks on SQLite', () => {
  deliveryFaults(async () => {
    let passedMs = 0;
    return {
      store: sqliteStore(openFile(':memory:'), () => Date.now() + passedMs),
      passTime: async (ms) => {
        passedMs += ms;
      },
    };
  });
});

const missing = missingPostgres();
onlyLong('delivery faults: Postgres', () => {
  describe.skipIf(missing.length > 0)(titledWithout(missing, 'webhooks on Postgres'), () => {
    let postgres: Postgres;
    let databases: MovableDatabases;
    beforeAll(async () => {
      postgres = await startPostgres();
      databases = movableDatabases(postgres);
    });
    afterAll(async () => {
      await databases?.drop();
      await postgres?.stop();
    });

    deliveryFaults(async () => {
      const { connectionString, passTime, giveBack } = await databases.take();
      const store = postgresStore(openDatabase(connectionString));
      const close = () => store.close().then(giveBack);
      return { store: { ...store, close }, passTime };
    });
  });
});

const MESSAGE_ID = `m1_${'A'.repeat(40)}`;
const OWN = { email: 'demo@countersign.test', settings: {} };

function deliveryFaults(openStore: () => Promise<MovableStore>): void {
  let receiver: WebhookReceiver;
  let scene: TestService & MovableStore;
  let key: { readonly keyId: string };
  const warnings: unknown[] = [];

  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  beforeEach(async () => {
    const opened = await openStore();
    const real = testClock();
    // Background work runs ten times as often.
    const clock = { ...real, every: (ms: number, task: () => void) => real.every(ms / 10, task) };
    const service = await openTestService({
      clock,
      storage: createStorage(opened.store, randomBytes),
      webhookSender: httpsSender({ allowPrivateTargets: ['localhost'], ca: receiver.ca }),
      log: {
        info() {},
        warn: (message, fields) => warnings.push([message, fields]),
        error: (message, fields) => warnings.push([message, fields]),
      },
    });
    scene = { ...service, ...opened };
    key = await scene.addKey('full');
  });
  afterEach(async () => {
    await scene.service.stop();
    warnings.length = 0;
    (receiver.requests as unknown[]).length = 0;
    receiver.answer = (_request, response) => response.writeHead(204).end();
  });
  afterAll(() => receiver.close());

  const answerWith = (status: number) => {
    receiver.answer = (_request, response) => response.writeHead(status).end();
  };
  const add = () =>
    scene.service.webhooks.add({ ownerId: scene.ownerId, keyId: key.keyId, url: receiver.origin });
  const append = (content: EventContent, count = 1, credentialId: string | null = null) => {
    const { ownerId, store, clock } = scene;
    return store.apply(
      ownerId,
      Array.from({ length: count }, () =>
        appendedEvent(ownerId, {
          ...content,
          id: eventId(randomBytes),
          credentialId,
          createdAt: clock.now(),
        }),
      ),
    );
  };
  const newMail = (accountId: number, count = 1) =>
    append({ type: 'message.received', data: { account_id: accountId, message_id: MESSAGE_ID } }, count);
  const decided = (count = 1, credentialId: string | null = null) =>
    append(
      {
        type: 'approval.decided',
        data: { approval_id: `apr_${'a'.repeat(22)}`, state: 'approved', account_id: 1 },
      },
      count,
      credentialId,
    );
  const deliveries = async (endpointId: string, limit = 100) =>
    (await scene.service.webhooks.deliveries(scene.ownerId, endpointId, { limit })).deliveries;
  const received = (count: number) => until(() => receiver.requests.length >= count);
  /** Waits until no delivery is due or under way. */
  const idle = (endpointId: string) =>
    until(async () => {
      const all = await deliveries(endpointId);
      return (
        all.length > 0 &&
        all.every(({ state, log, attempts }) => state !== 'waiting' || log.length === attempts)
      );
    });
  const typesSince = (count: number) =>
    receiver.requests.slice(count).map(({ headers }) => headers['service-event-type']);
  /** Ends the wait for every retry. */
  const nextAttempt = async () => {
    scene.clock.shift(DAY_MS);
    await scene.passTime(DAY_MS);
  };

  it('are tried six times and signed with the time of each attempt, though both clocks jump', async () => {
    const { service, clock } = scene;
    answerWith(503);
    const { endpointId, secret } = await add();
    await decided();
    service.start();
    const jumps = [2 * DAY_MS, -2 * DAY_MS, -3 * DAY_MS, 3 * DAY_MS, -HOUR_MS];
    const times: Date[] = [];
    for (const [index, jumpMs] of jumps.entries()) {
      await received(index + 1);
      await idle(endpointId);
      times.push(clock.now());
      // The two clocks disagree.
      clock.shift(-jumpMs / 10);
      await scene.passTime(jumpMs);
      if (jumpMs < 0 && jumpMs > -DAY_MS) await scene.passTime(2 * DAY_MS);
    }
    await received(6);
    await idle(endpointId);
    times.push(clock.now());
    await nextAttempt();
    await nextAttempt();
    await decided();
    await received(7);
    const requests = receiver.requests.slice(0, 6);
    expect(requests.map(({ headers }) => headers['service-delivery-attempt'])).toEqual([...'123456']);
    expect(new Set(requests.map(({ headers }) => headers['service-event-id'])).size).toBe(1);
    const [, first] = await deliveries(endpointId);
    expect(first).toMatchObject({ state: 'failed', attempts: 6 });
    for (const [index, { headers, body }] of requests.entries()) {
      const line = first?.log[index];
      expect(headers['service-signature']).toContain(`t=${Math.floor((line?.at.getTime() ?? 0) / 1000)},`);
      expect(line?.durationMs).toBeLessThan(MINUTE_MS);
      const now = times[index] ?? new Date(0);
      expect(verifyWebhook(body, headers, secret, { now }).type).toBe('approval.decided');
    }
  });

  it('are delivered, though the clock was a year ahead while their attempt was under way', async () => {
    const { service } = scene;
    await scene.passTime(400 * DAY_MS);
    const held: ServerResponse[] = [];
    receiver.answer = (_request, response) => held.push(response);
    const { endpointId } = await add();
    await decided();
    service.start();
    await received(1);
    await scene.passTime(-400 * DAY_MS);
    receiver.answer = (_request, response) => response.writeHead(204).end();
    // The lease ended: another process would take the attempt over.
    await received(2);
    for (const response of held) response.writeHead(503).end();
    await until(async () => (await deliveries(endpointId))[0]?.state === 'delivered');
  });

  it('of a receiver that holds 1,000 of them hostage do not delay those of others', async () => {
    const { service, ownerId } = scene;
    let held = 0;
    let heldAtMost = 0;
    receiver.answer = ({ path }, response) => {
      if (path !== '/hostage') {
        response.writeHead(204).end();
        return;
      }
      held += 1;
      heldAtMost = Math.max(heldAtMost, held);
      // An attempt ends by itself after a while, and the next one begins.
      response.once('close', () => {
        held -= 1;
      });
    };
    const url = (path: string) => `${receiver.origin}${path}`;
    await service.webhooks.add({ ownerId, keyId: key.keyId, url: url('/hostage') });
    const other = await scene.addKey('read');
    const { endpointId } = await service.webhooks.add({ ownerId, keyId: other.keyId, url: url('/other') });
    await decided(1000, key.keyId);
    await decided(20, other.keyId);
    service.start();
    await until(async () => {
      const all = await deliveries(endpointId);
      return all.length === 20 && all.every(({ state }) => state === 'delivered');
    });
    // Four at a time. While these end and the next begin, both may be open.
    expect(heldAtMost).toBeGreaterThanOrEqual(4);
    expect(heldAtMost).toBeLessThanOrEqual(8);
    // Lets the service stop.
    await service.webhooks.remove(ownerId, 'wh_1');
    receiver.drop();
  });

  it('are not sent once their key is revoked', async () => {
    const { service, ownerId } = scene;
    answerWith(503);
    const { endpointId } = await add();
    await decided();
    service.start();
    await received(1);
    await idle(endpointId);
    await service.keys.revoke(ownerId, key.keyId);
    await decided();
    await nextAttempt();
    await until(async () => (await deliveries(endpointId))[0]?.state === 'dropped');
    expect(await deliveries(endpointId)).toHaveLength(1);
    expect(receiver.requests).toHaveLength(1);
  });

  it('report no new mail once mail:read is off', async () => {
    const { service, ownerId } = scene;
    answerWith(503);
    const { endpointId } = await add();
    await newMail(1);
    service.start();
    await received(1);
    await idle(endpointId);
    await service.keys.setModes(ownerId, key.keyId, { 'mail:read': 'off' });
    answerWith(204);
    await nextAttempt();
    await newMail(1);
    await decided();
    await received(2);
    await until(async () => (await deliveries(endpointId)).every(({ state }) => state !== 'waiting'));
    expect((await deliveries(endpointId)).map(({ event, state }) => [event.type, state])).toEqual([
      ['approval.decided', 'delivered'],
      ['message.received', 'dropped'],
    ]);
    expect(typesSince(1)).toEqual(['approval.decided']);
  });

  it('report no new mail of an account that was removed', async () => {
    const { service, ownerId } = scene;
    const second = await service.accounts.connect({ ownerId, ...OWN, email: 'second@countersign.test' });
    answerWith(503);
    const { endpointId } = await add();
    await newMail(second.accountId);
    service.start();
    await received(1);
    await idle(endpointId);
    await service.accounts.remove(ownerId, second.accountId);
    answerWith(204);
    await nextAttempt();
    await newMail(second.accountId);
    await newMail(1);
    await received(2);
    await until(async () => (await deliveries(endpointId)).every(({ state }) => state !== 'waiting'));
    expect((await deliveries(endpointId)).map(({ event, state }) => [event.data, state])).toEqual([
      [{ account_id: 1, message_id: MESSAGE_ID }, 'delivered'],
      [{ account_id: second.accountId, message_id: MESSAGE_ID }, 'dropped'],
    ]);
    // The owner cannot send it again either.
    const dropped = (await deliveries(endpointId)).at(-1)?.event.sequence ?? 0;
    await service.webhooks.redeliver(ownerId, endpointId, dropped);
    await until(
      async () =>
        (await deliveries(endpointId)).at(-1)?.state === 'dropped' && receiver.requests.length === 2,
    );
  });

  it('are signed anew in each attempt, with both secrets after a rotation', async () => {
    const { service, ownerId, clock } = scene;
    answerWith(503);
    const { endpointId, secret } = await add();
    await decided();
    service.start();
    const verifies = (index: number, one: string) => {
      const { body, headers } = receiver.requests[index] ?? expect.fail('nothing was received');
      try {
        return verifyWebhook(body, headers, one, { now: clock.now() }).type === 'approval.decided';
      } catch {
        return false;
      }
    };
    await received(1);
    await idle(endpointId);
    const rotated = await service.webhooks.rotateSecret(ownerId, endpointId);
    expect([secret, rotated.secret].map((one) => verifies(0, one))).toEqual([true, false]);
    clock.shift(HOUR_MS);
    await scene.passTime(HOUR_MS);
    await received(2);
    await idle(endpointId);
    expect([secret, rotated.secret].map((one) => verifies(1, one))).toEqual([true, true]);
    clock.shift(DAY_MS);
    await scene.passTime(DAY_MS);
    await received(3);
    expect([secret, rotated.secret].map((one) => verifies(2, one))).toEqual([false, true]);
    const [first, second, third] = receiver.requests.map(({ body }) => body.toString());
    expect([second, third]).toEqual([first, first]);
  });

  it('whose endpoint is removed during the attempt are not tried again', async () => {
    const { service, ownerId } = scene;
    let answer: ServerResponse | undefined;
    receiver.answer = (_request, response) => {
      answer = response;
    };
    const removed = await add();
    await decided();
    service.start();
    await received(1);
    await service.webhooks.remove(ownerId, removed.endpointId);
    answer?.writeHead(503).end();
    answerWith(204);
    await nextAttempt();
    const { endpointId } = await add();
    await decided();
    await received(2);
    await idle(endpointId);
    expect(receiver.requests).toHaveLength(2);
    expect(await deliveries(removed.endpointId)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('that ended can be sent again by hand with the same event and a new signature', async () => {
    const { service, ownerId, clock } = scene;
    const { endpointId, secret } = await add();
    await decided();
    service.start();
    await received(1);
    await idle(endpointId);
    clock.shift(29 * DAY_MS);
    const [delivery] = await deliveries(endpointId);
    await service.webhooks.redeliver(ownerId, endpointId, delivery?.event.sequence ?? 0);
    await received(2);
    const [first, second] = receiver.requests;
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers['service-delivery-attempt']).toBe('1');
    const now = clock.now();
    expect(verifyWebhook(second?.body ?? '', second?.headers ?? {}, secret, { now }).id).toBe(
      delivery?.event.id,
    );
  });

  it.each([
    ['gone', 410, 0],
    ['failing', 503, 5],
  ])('to an endpoint that is %s stop, and its owner is notified', async (reason, status, days) => {
    const { service, ownerId } = scene;
    answerWith(status);
    const { endpointId } = await add();
    await decided();
    service.start();
    await received(1);
    await idle(endpointId);
    for (let day = 1; day < days; day++) {
      await nextAttempt();
      // Each day also has a new event: the first ones have failed by then.
      await decided();
      await until(async () => {
        const [newest] = await deliveries(endpointId);
        return newest?.event.sequence === day + 1 && newest.log.length === 1;
      });
      await idle(endpointId);
      expect(await service.webhooks.list(ownerId)).toMatchObject([{ disabled: null }]);
    }
    if (days > 0) await nextAttempt();
    await until(async () => (await service.webhooks.list(ownerId))[0]?.disabled === reason);
    expect(warnings).toContainEqual(['a webhook endpoint was disabled', { reason }]);
    // The other attempts of the day are recorded before the clock moves.
    await idle(endpointId);
    const before = receiver.requests.length;
    answerWith(204);
    await nextAttempt();
    // What waited is dropped once it is due.
    await until(async () => (await deliveries(endpointId)).every(({ state }) => state !== 'waiting'));
    await decided();
    await service.webhooks.enable(ownerId, endpointId);
    await decided();
    await until(async () => (await deliveries(endpointId))[0]?.state === 'delivered');
    // Only the event since then.
    const newest = (await deliveries(endpointId))[0]?.event.id;
    const ids = receiver.requests.slice(before).map(({ headers }) => headers['service-event-id']);
    expect(ids.filter((id) => id === newest)).toHaveLength(1);
    const sequences = (await deliveries(endpointId)).map(({ event }) => event.sequence);
    const delivered = Math.max(1, days);
    expect(sequences.slice(0, 2)).toEqual([delivered + 2, delivered]);
  });
}
