import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { type MailAccount, MailError } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { createService } from '../../../core/service/create-service.ts';
import { announcedInboxes } from '../../../core/watching/announced-inboxes.ts';
import { silentLog } from '../../open-service.ts';
import { idsIn, letter, OWN, openScene, resultOf, type Scene, type SceneOptions } from '../scene.ts';

interface Told extends Scene {
  readonly credentialId: string;
  readonly key: Awaited<ReturnType<Scene['addKey']>>;
  /** Mail arrives in the inbox. */
  arrive(subject: string): Promise<void>;
  /** The subjects of the messages of all events, in order. */
  told(): Promise<string[]>;
}

async function open(options: SceneOptions = {}): Promise<Told> {
  const scene = await openScene({ samples: () => [letter('old', { subject: 'Old' })], ...options });
  const { storage, ownerId, keyring, clock } = scene;
  const key = await scene.addKey('full', { 'mail:manage': 'direct' });
  const [credential] = await storage.credentials(ownerId, keyring);
  if (credential === undefined) throw new Error('the key is missing');
  const { credentialId } = credential;
  await storage.addEndpoint({
    ownerId,
    credentialId,
    url: 'https://hooks.example.org/',
    types: ['message.received'],
    seal: () => 'sealed',
    signer: keyring,
    now: clock.now(),
  });
  let arrived = 0;
  return {
    ...scene,
    key,
    credentialId,
    async arrive(subject) {
      arrived += 1;
      await scene.mail.deliver(accountOf(ownerId), 'INBOX', rawMail(subject, arrived), clock.now());
    },
    async told() {
      const subjects: string[] = [];
      for (const { type, data } of await storage.events({ ownerId, afterId: 0, limit: 10_000 })) {
        if (type !== 'message.received') continue;
        const message = resultOf(await key.call('get_email', { id: data.message_id }));
        subjects.push(String(message.subject));
      }
      return subjects;
    },
  };
}

function accountOf(ownerId: string, accountId = 1): MailAccount {
  return { ownerId, accountId, email: OWN, settings: async () => ({}) };
}

function rawMail(subject: string, n: number): Buffer {
  return Buffer.from(
    `From: Maya <maya@mail.example>\r\nTo: ${OWN}\r\nSubject: ${subject}\r\nMessage-ID: <${n}@mail.example>\r\n` +
      `Date: Fri, 20 Nov 2026 10:00:00 +0000\r\n\r\nText\r\n`,
  );
}

const events = ({ storage, ownerId }: Scene) => storage.events({ ownerId, afterId: 0, limit: 10_000 });

describe('new mail', () => {
  it('becomes an event as soon as the server announces it, and old mail does not', async () => {
    const scene = await open();
    const { service, arrive, told } = scene;
    await arrive('Before the start');
    service.start();
    await expect.poll(told).toEqual(['Before the start']);
    for (const subject of ['One', 'Two', 'Three']) await arrive(subject);
    await expect.poll(told).toEqual(['Before the start', 'One', 'Two', 'Three']);
    expect((await events(scene))[0]).toMatchObject({
      type: 'message.received',
      credentialId: null,
      data: { account_id: 1 },
    });
    await service.stop();
  });

  it('becomes an event without waiting for the text of any message', async () => {
    const scene = await open({
      mailAs: (mail) => ({ ...mail, readAll: () => new Promise(() => undefined) }),
    });
    await scene.key.call('create_tracker', { title: 'Atlas', keywords: 'atlas' });
    scene.service.start();
    await scene.arrive('Atlas');
    await expect.poll(() => events(scene)).toHaveLength(1);
    await scene.service.stop(100);
  });

  it('does not become an event if only a tracker waits for it', async () => {
    const scene = await open();
    await scene.storage.removeEndpoint(scene.ownerId, 1);
    await scene.key.call('create_tracker', { title: 'Atlas', keywords: 'atlas' });
    await scene.arrive('Atlas');
    await scene.service.watch();
    expect(await events(scene)).toEqual([]);
    const found = await scene.storage.tracker({
      ownerId: scene.ownerId,
      trackerId: 1,
      upTo: undefined,
      limit: 1,
    });
    expect(found?.total).toBe(1);
  });

  it('is reported completely and in order after a burst of 5,000 messages', async () => {
    const scene = await open();
    const { service, ownerId, mail } = scene;
    await service.watch();
    for (let n = 1; n <= 5000; n++) await mail.deliver(accountOf(ownerId), 'INBOX', rawMail(`Mail ${n}`, n));
    await service.watch();
    const found = await events(scene);
    expect(found).toHaveLength(5000);
    const ids = found.map(({ data }) => ('message_id' in data ? data.message_id : ''));
    expect(new Set(ids)).toHaveLength(5000);
    for (const n of [1, 2500, 5000]) {
      const message = resultOf(await scene.key.call('get_email', { id: ids[n - 1] }));
      expect(message.subject).toBe(`Mail ${n}`);
    }
  });

  it('is not reported while the key may not read mail, nor afterwards', async () => {
    const scene = await open();
    const { service, storage, arrive, told, ownerId, credentialId, keyring, clock } = scene;
    const read = async (mode: 'on' | 'off') => {
      const credential = (await storage.credentials(ownerId, keyring))[0];
      if (credential === undefined) throw new Error('the key is missing');
      const modes = { ...credential.modes, 'mail:read': mode };
      await storage.setModes({ ownerId, credentialId, modes, signer: keyring, now: clock.now() });
    };
    await service.watch();
    await arrive('One');
    await service.watch();
    await read('off');
    clock.shift(60_000);
    await service.watch();
    await arrive('While off');
    clock.shift(60_000);
    await service.watch();
    await read('on');
    clock.shift(60_000);
    await service.watch();
    await arrive('Two');
    await service.watch();
    expect(await told()).toEqual(['One', 'Two']);
  });

  it('is not what a request moved into the inbox', async () => {
    const scene = await open();
    const { service, arrive, told, key } = scene;
    await service.watch();
    await arrive('Moved');
    await service.watch();
    const [id] = await idsIn(key);
    resultOf(await key.call('archive_email', { id }));
    const [archived] = await idsIn(key, 'archive');
    resultOf(await key.call('move_email', { id: archived, target_folder: 'INBOX' }));
    await arrive('New');
    await service.watch();
    expect(await told()).toEqual(['Moved', 'New']);
  });

  it('is reported once by two processes, and by the second one at once when the first stops', async () => {
    let isClosed = false;
    const secretKeys = [randomBytes(32)];
    const scene = await open({
      secretKeys,
      mailAs: (mail) => ({ ...mail, close: async () => undefined }),
      storageAs: (storage) => ({
        ...storage,
        close: async () => {
          isClosed = true;
        },
      }),
    });
    const second = createService({
      storage: scene.storage,
      mail: scene.mail,
      reader: inlineReader(),
      clock: scene.clock,
      random: (bytes) => randomBytes(bytes),
      log: silentLog,
      secretKeys,
      baseUrl: 'http://127.0.0.1:8787',
      dashboardUrl: 'http://127.0.0.1:8788',
    });
    scene.service.start();
    await scene.arrive('One');
    await expect.poll(() => events(scene)).toHaveLength(1);
    await second.watch();
    await scene.arrive('Two');
    await expect.poll(() => events(scene)).toHaveLength(2);
    await scene.service.stop();
    expect(isClosed).toBe(true);
    await scene.arrive('Three');
    await second.watch();
    expect(await events(scene)).toHaveLength(3);
  });

  it('is polled for if the server cannot announce it, or refuses another connection', async () => {
    for (const end of ['cannot_announce', 'no_connection_to_spare'] as const) {
      const scene = await open({ mailAs: (mail) => ({ ...mail, watchInbox: async () => end }) });
      await scene.arrive('One');
      scene.service.start();
      await expect.poll(() => events(scene)).toHaveLength(1);
      await scene.service.stop();
    }
  });

  it('is watched for again after the connection was lost', async () => {
    let lose = (): void => {};
    let opened = 0;
    const lost = (mail: Mail): Mail => ({
      ...mail,
      async watchInbox(call, visit) {
        opened += 1;
        const ending = new Promise<never>((_resolve, reject) => {
          lose = () => reject(new MailError('unavailable', 'of the test'));
        });
        return Promise.race([mail.watchInbox(call, visit), ending]);
      },
    });
    const scene = await open({ mailAs: lost });
    scene.service.start();
    await scene.arrive('One');
    await expect.poll(() => events(scene)).toHaveLength(1);
    lose();
    scene.clock.shift(60_000);
    await expect.poll(() => opened).toBe(2);
    await scene.service.stop();
  });

  it('is not waited for in an account that was removed', async () => {
    let isWatching = false;
    const scene = await open({
      mailAs: (mail) => ({
        ...mail,
        async watchInbox(call, visit) {
          isWatching = true;
          try {
            return await mail.watchInbox(call, visit);
          } finally {
            isWatching = false;
          }
        },
      }),
      leaseMs: 1000,
    });
    scene.service.start();
    await expect.poll(() => isWatching).toBe(true);
    await scene.storage.removeAccount({
      ownerId: scene.ownerId,
      accountId: 1,
      targetsBegin: 'none',
      now: scene.clock.now(),
    });
    await expect.poll(() => isWatching).toBe(false);
    await scene.service.stop();
  });
});

describe('the places for announced inboxes', () => {
  it('go to every owner first, then to second accounts, and stay the same', () => {
    const inboxes = fc.uniqueArray(
      fc.record({ ownerId: fc.constantFrom('a', 'b', 'c'), accountId: fc.integer({ min: 1, max: 6 }) }),
      { selector: ({ ownerId, accountId }) => `${ownerId} ${accountId}` },
    );
    fc.assert(
      fc.property(inboxes, fc.nat(12), (all, most) => {
        const chosen = [...announcedInboxes(all, most)];
        expect(chosen).toHaveLength(Math.min(all.length, most));
        const count = (ownerId: string, among: typeof all) =>
          among.filter((one) => one.ownerId === ownerId).length;
        for (const { ownerId } of all) {
          for (const other of chosen) {
            // Nobody has two places more than an owner who still waits for one.
            if (count(ownerId, chosen) === count(ownerId, all)) continue;
            expect(count(other.ownerId, chosen) - count(ownerId, chosen)).toBeLessThanOrEqual(1);
          }
        }
        expect([...announcedInboxes(all.toReversed(), most)].toSorted(byName)).toEqual(
          chosen.toSorted(byName),
        );
      }),
    );
  });
});

interface Named {
  readonly ownerId: string;
  readonly accountId: number;
}

function byName(a: Named, b: Named): number {
  return a.ownerId.localeCompare(b.ownerId) || a.accountId - b.accountId;
}
