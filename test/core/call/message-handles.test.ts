import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { HandledMessage } from '../../../core/accounts/message-handle.ts';
import { createMessageHandles } from '../../../core/call/message-handles.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { DAY_MS } from '../../../core/time/durations.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { connect } from '../../contracts/storage/message-handles.ts';
import { addOwner } from '../../contracts/storage/scene.ts';
import { testClock } from '../../open-service.ts';

const [older, newer] = [randomBytes(32), randomBytes(32)];

function message(name: string, path: string, uid: number, uidValidity = '1'): HandledMessage {
  const fingerprint = createHash('sha256').update(name).digest('hex');
  const place = { path, uidValidity, uid };
  return { accountId: 1, place, stableId: null, fingerprint, internalDate: new Date(0), sizeBytes: 1 };
}

async function opened() {
  const storage = sqliteStorage({ file: ':memory:' });
  const ownerId = await addOwner(storage);
  await connect(storage, ownerId);
  /** Another process, which has none of it in memory. */
  const host = (keys: readonly Uint8Array[] = [older], clock = systemClock) =>
    createMessageHandles(createKeyring(keys, randomBytes), storage, clock);
  return { storage, ownerId, host };
}

/** Where an id leads, in the folders that there are. */
async function placeOf(
  handles: ReturnType<typeof createMessageHandles>,
  ownerId: string,
  id: string,
): Promise<string> {
  const found = await handles.open(ownerId, id);
  if (found.kind !== 'opened') return found.kind;
  const { uidValidity, uid, isIn } = found.parts;
  return `${FOLDERS.find(isIn)} ${uidValidity} ${uid}`;
}

const FOLDERS = ['INBOX', 'Archive', 'Trash'];
const MOVERS = ['program', 'program, noticed', 'key'] as const;

describe('the ids of messages', () => {
  it('are asked of the storage once a day, and by each process', async () => {
    const { storage, ownerId } = await opened();
    const clock = testClock();
    let asked = 0;
    const counting = {
      ...storage,
      messageHandles: (...args: Parameters<typeof storage.messageHandles>) => {
        asked += 1;
        return storage.messageHandles(...args);
      },
    };
    const handles = createMessageHandles(createKeyring([older], randomBytes), counting, clock);
    const rows = [message('a', 'INBOX', 1), message('b', 'INBOX', 2)];
    const ids = await handles.idsOf(ownerId, rows);
    expect(await handles.idsOf(ownerId, rows.toReversed())).toEqual(ids.toReversed());
    expect(asked).toBe(1);
    const more = await handles.idsOf(ownerId, [rows[0] ?? message('', '', 0), message('c', 'INBOX', 3)]);
    expect(more[0]).toBe(ids[0]);
    expect(asked).toBe(2);
    clock.shift(DAY_MS);
    expect(await handles.idsOf(ownerId, rows)).toEqual(ids);
    expect(asked).toBe(3);
    expect(await handles.idsOf(ownerId, [])).toEqual([]);
    expect(asked).toBe(3);
  });

  it('stay after a new secret key, as long as the older one is in the ring', async () => {
    const { ownerId, host } = await opened();
    const [before = ''] = await host([older]).idsOf(ownerId, [message('a', 'INBOX', 1)]);
    const rotated = host([newer, older]);
    expect(await rotated.idsOf(ownerId, [message('a', 'INBOX', 1)])).toEqual([before]);
    expect(await placeOf(rotated, ownerId, before)).toBe('INBOX 1 1');
    // Moved, it keeps the id of the older key.
    await rotated.moved(ownerId, before, message('a', 'Archive', 7));
    expect(await rotated.idsOf(ownerId, [message('a', 'Archive', 7)])).toEqual([before]);
    const fresh = host([newer]);
    const [after = ''] = await fresh.idsOf(ownerId, [message('a', 'Archive', 7)]);
    expect(after).not.toBe(before);
    expect(await placeOf(fresh, ownerId, before)).toBe('Archive 1 7');
  });

  it('stay with messages that a key moved, on every host, before anybody has used them there', async () => {
    const { ownerId, host } = await opened();
    const [one, other] = [host(), host()];
    const ids = await one.idsOf(ownerId, [message('a', 'INBOX', 1), message('b', 'INBOX', 2)]);
    await other.idsOf(ownerId, [message('a', 'INBOX', 1), message('b', 'INBOX', 2)]);
    await one.movedTo(
      ownerId,
      [...ids, 'm1_000000000000098', 'm1_A'].map((id) => ({ id, path: 'Archive' })),
    );
    expect(await placeOf(one, ownerId, ids[0] ?? '')).toBe('Archive 0 0');
    const there = [message('b', 'Archive', 8), message('a', 'Archive', 9)];
    expect(await other.idsOf(ownerId, there)).toEqual(ids.toReversed());
    expect(await one.idsOf(ownerId, there)).toEqual(ids.toReversed());
    expect(await placeOf(host(), ownerId, ids[0] ?? '')).toBe('Archive 1 9');
  });

  it('whose secret key is gone lead nowhere, and stay taken', async () => {
    const { ownerId, host } = await opened();
    const [before = ''] = await host([older]).idsOf(ownerId, [message('a', 'INBOX', 1)]);
    expect(await placeOf(host([newer]), ownerId, before)).toBe('unknown');
  });

  it('that somebody exchanged in the database lead nowhere', async () => {
    const { storage, ownerId, host } = await opened();
    const ids = await host().idsOf(ownerId, [message('a', 'INBOX', 1), message('b', 'INBOX', 2)]);
    const [one, other] = await storage.handledMessages(
      ownerId,
      ids.map((id) => Number(id.slice(3, 16))),
    );
    if (one === undefined || other === undefined) throw new Error('a handle is missing');
    await storage.replaceHandledMessages(ownerId, [
      { accountId: 1, handle: one.handle, sealed: other.sealed },
    ]);
    const places = await Promise.all(ids.map((id) => placeOf(host(), ownerId, id)));
    expect(places.toSorted()).toEqual([expect.stringMatching(/^INBOX/), 'unknown']);
  });

  // A mailbox that changes while several processes show it.
  const mailbox = fc.commands(
    [
      fc.record({ name: fc.constantFrom('a', 'b'), path: fc.constantFrom(...FOLDERS) }).map(deliver),
      fc
        .record({ at: fc.nat(9), path: fc.constantFrom(...FOLDERS), by: fc.constantFrom(...MOVERS) })
        .map(move),
      fc.record({ at: fc.nat(9), path: fc.constantFrom(...FOLDERS) }).map(copy),
      fc.record({ path: fc.constantFrom(...FOLDERS), by: fc.nat(1) }).map(show),
      fc.record({ path: fc.constantFrom(...FOLDERS) }).map(renumber),
    ],
    { maxCommands: 25 },
  );

  it('tell the messages of an answer apart, and lead to where each was shown last, whatever happened before', async () => {
    await fc.assert(
      fc.asyncProperty(mailbox, async (commands) => {
        const { ownerId, host } = await opened();
        const real: Real = { ownerId, hosts: [host(), host()] };
        await fc.asyncModelRun(() => ({ model: { messages: [], next: 1, validity: 1 }, real }), commands);
      }),
      { numRuns: 60 },
    );
  });
});

interface Model {
  /** What the server has. */
  messages: HandledMessage[];
  next: number;
  validity: number;
}
interface Real {
  readonly ownerId: string;
  readonly hosts: readonly ReturnType<typeof createMessageHandles>[];
}
type Step = fc.AsyncCommand<Model, Real>;

const validityOf = (model: Model, path: string) =>
  model.messages.find(({ place }) => place.path === path)?.place.uidValidity ?? String(model.validity);

function put(model: Model, name: HandledMessage, path: string): HandledMessage {
  const place = { path, uidValidity: validityOf(model, path), uid: model.next++ };
  const added = { ...name, place };
  model.messages.push(added);
  return added;
}

function deliver({ name, path }: { name: string; path: string }): Step {
  return {
    check: () => true,
    async run(model) {
      put(model, message(name, path, 0), path);
    },
    toString: () => `deliver ${name} to ${path}`,
  };
}

/** @param by  another program, whose move is noticed when the id is used, or not at all; or a key of this service */
function move({ at, path, by }: { at: number; path: string; by: (typeof MOVERS)[number] }): Step {
  return {
    check: ({ messages }) => messages.length > 0,
    async run(model, { ownerId, hosts: [host] }) {
      const [moved] = model.messages.splice(at % model.messages.length, 1);
      if (moved === undefined || host === undefined) return;
      const [id = ''] = await host.idsOf(ownerId, [moved]);
      const there = put(model, moved, path);
      if (by === 'program, noticed') await host.moved(ownerId, id, there);
      if (by === 'key') await host.movedTo(ownerId, [{ id, path }]);
      const [now = ''] = await host.idsOf(ownerId, [there]);
      expect(await placeOf(host, ownerId, now)).toBe(placed(there));
    },
    toString: () => `a ${by} moves ${at} to ${path}`,
  };
}

function copy({ at, path }: { at: number; path: string }): Step {
  return {
    check: ({ messages }) => messages.length > 0,
    async run(model) {
      const one = model.messages[at % model.messages.length];
      if (one !== undefined) put(model, one, path);
    },
    toString: () => `copy ${at} to ${path}`,
  };
}

function show({ path, by }: { path: string; by: number }): Step {
  return {
    check: () => true,
    async run(model, { ownerId, hosts }) {
      const rows = model.messages.filter(({ place }) => place.path === path);
      const host = hosts[by];
      if (host === undefined) throw new Error('there are two hosts');
      const ids = await host.idsOf(ownerId, rows);
      expect(ids).toHaveLength(rows.length);
      expect(new Set(ids).size).toBe(ids.length);
      for (const [index, row] of rows.entries()) {
        expect(await placeOf(host, ownerId, ids[index] ?? '')).toBe(placed(row));
      }
      // The same again, and by the same process.
      expect(await host.idsOf(ownerId, rows)).toEqual(ids);
    },
    toString: () => `show ${path} by ${by}`,
  };
}

/** The server numbers a folder anew. */
function renumber({ path }: { path: string }): Step {
  return {
    check: () => true,
    async run(model) {
      model.validity += 1;
      model.messages = model.messages.map((one) =>
        one.place.path === path
          ? { ...one, place: { path, uidValidity: String(model.validity), uid: model.next++ } }
          : one,
      );
    },
    toString: () => `renumber ${path}`,
  };
}

function placed({ place: { path, uidValidity, uid } }: HandledMessage): string {
  return `${path} ${uidValidity} ${uid}`;
}
