import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { ListenerEvent } from '../../../core/events/event-listener.ts';
import type { Log } from '../../../core/ports/log.ts';
import { DAY_MS } from '../../../core/time/durations.ts';
import { openTestService, silentLog, type TestService, testClock } from '../../open-service.ts';
import { until } from '../../until.ts';

type Decided = ListenerEvent<'approval.decided'>;

describe('a listener of stored events', () => {
  const opened: TestService[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const { service } of opened.splice(0)) await service.stop();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  async function newFile(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-listeners-'));
    folders.push(folder);
    return join(folder, 'app.db');
  }

  async function open(options: Parameters<typeof openTestService>[0] = {}) {
    const scene = await openTestService(options);
    opened.push(scene);
    const { service, ownerId } = scene;
    const key = await scene.addKey('full');
    let count = 0;
    /** Files a request and rejects it. @returns its id */
    const reject = async () => {
      count += 1;
      const subject = `Request ${count}`;
      const filed = await key.call('send_email', { to: ['new@example.org'], subject, body: 'Body' });
      if (filed.status !== 'pending_approval') throw new Error(filed.status);
      await service.approvals.reject(ownerId, filed.approval.id);
      return filed.approval.id;
    };
    return { ...scene, reject };
  }

  const ids = (events: readonly Decided[]) => events.map(({ data }) => data.approval_id);

  it('gets events from now on, in order, with owner and cursor', async () => {
    const { service, ownerId, reject } = await open();
    await reject();
    const got: Decided[] = [];
    await service.on('approval.decided', (event) => got.push(event));
    service.start();
    const expected = [await reject(), await reject(), await reject()];
    await until(() => got.length >= 3);
    expect(ids(got)).toEqual(expected);
    expect(got[0]).toEqual({
      ownerId,
      cursor: expect.stringMatching(/^ec1_\w{1,36}$/),
      id: expect.stringMatching(/^evt_/),
      type: 'approval.decided',
      sequence: 2,
      credentialId: expect.stringMatching(/^key_/),
      createdAt: expect.any(Date),
      data: { approval_id: expected[0], state: 'rejected', account_id: 1 },
    });
  });

  it('gets an event without waiting for the next poll', async () => {
    const clock = testClock();
    // No poll ever comes.
    const { service, reject } = await open({ clock: { ...clock, every: () => () => undefined } });
    const got: Decided[] = [];
    await service.on('approval.decided', (event) => got.push(event));
    service.start();
    const first = await reject();
    await until(() => got.length === 1);
    const second = await reject();
    await until(() => got.length === 2);
    expect(ids(got)).toEqual([first, second]);
  });

  it('continues after its cursor in another process, also for events of a process that is gone', async () => {
    const file = await newFile();
    const first = await open({ storage: sqliteStorage({ file }) });
    const got: Decided[] = [];
    await first.service.on('approval.decided', (event) => got.push(event));
    first.service.start();
    const handled = await first.reject();
    await until(() => got.length === 1);
    await first.service.stop();
    opened.length = 0;
    const writer = await open({ storage: sqliteStorage({ file }), email: 'second@countersign.test' });
    const missed = [await writer.reject(), await writer.reject()];
    const reader = await open({ storage: sqliteStorage({ file }), email: 'third@countersign.test' });
    const after = got[0]?.cursor;
    await reader.service.on('approval.decided', (event) => got.push(event), { after });
    reader.service.start();
    await until(() => got.length === 3);
    const live = await writer.reject();
    await until(() => got.length === 4);
    expect(ids(got)).toEqual([handled, ...missed, live]);
  });

  it('that fails gets the same event again, and other listeners do not wait for it', async () => {
    const clock = testClock();
    const errors: string[] = [];
    const log: Log = { ...silentLog, error: (message) => errors.push(message) };
    const { service, reject } = await open({ clock, log });
    const failing: Decided[] = [];
    await service.on('approval.decided', async (event) => {
      failing.push(event);
      if (failing.length <= 2) throw new Error('not now');
    });
    const other: Decided[] = [];
    await service.on('approval.decided', (event) => other.push(event));
    service.start();
    const expected = [await reject(), await reject()];
    await until(() => other.length === 2);
    expect(ids(failing)).toEqual([expected[0]]);
    clock.shift(1000);
    await until(() => failing.length === 2);
    clock.shift(2000);
    await until(() => failing.length === 4);
    expect(ids(failing)).toEqual([expected[0], expected[0], expected[0], expected[1]]);
    expect(errors).toEqual(Array(2).fill('a listener failed; it gets the event again'));
  });

  it('gets one event at a time, and none after it is removed', async () => {
    const { service, reject } = await open();
    const got: Decided[] = [];
    const ends: (() => void)[] = [];
    const remove = await service.on('approval.decided', (event) => {
      got.push(event);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
    const other: Decided[] = [];
    await service.on('approval.decided', (event) => other.push(event));
    service.start();
    await reject();
    await reject();
    await reject();
    await until(() => other.length === 3);
    expect(got).toHaveLength(1);
    ends[0]?.();
    await until(() => got.length === 2);
    remove();
    ends[1]?.();
    await reject();
    await until(() => other.length === 4);
    expect(got).toHaveLength(2);
  });

  it('cannot start at a cursor that is malformed, of another stream, or too old', async () => {
    const clock = testClock();
    const { service, reject } = await open({ clock });
    const got: Decided[] = [];
    await service.on('approval.decided', (event) => got.push(event));
    service.start();
    await reject();
    await reject();
    await until(() => got.length === 2);
    const [first = '', last = ''] = got.map(({ cursor }) => cursor);
    const on = (after: string) => service.on('approval.decided', () => undefined, { after });
    for (const cursor of ['', 'x', `${first} `, 'ec1_0_1', first.slice(0, -1)]) {
      await expect(on(cursor)).rejects.toMatchObject({ name: 'EventCursorError', code: 'malformed' });
    }
    const later = `${last.slice(0, last.lastIndexOf('_'))}_999`;
    for (const cursor of [`ec1_${randomBytes(8).toString('hex')}_1`, later]) {
      await expect(on(cursor)).rejects.toMatchObject({ code: 'foreign' });
    }
    await expect(service.on('message.received', () => undefined, { after: first })).rejects.toMatchObject({
      code: 'foreign',
    });
    (await on(first))();
    clock.shift(31 * DAY_MS);
    await service.recover();
    await expect(on(first)).rejects.toMatchObject({ code: 'too_old' });
    // Nothing after this one was erased.
    (await on(last))();
  });
});
