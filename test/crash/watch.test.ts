import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { sandboxMail } from '../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import { createMessageHandles } from '../../core/call/message-handles.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createKeyring } from '../../core/secrets/keyring.ts';
import { systemClock } from '../../hosts/embedded/system-clock.ts';
import { workAtOnce } from '../at-once.ts';
import { casesOf } from '../only-long.ts';
import { callWith } from '../open-service.ts';
import { bundleForChild } from '../run-typescript.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';
import { performAct } from './act.ts';
import { runUntilKilled, tracedCalls } from './killed.ts';
import { LEASE_MS, type Scene, SECRET_KEY, sceneParts, sceneService, writeScene } from './scene.ts';

/**
 * The crash proof of the watch. The inbox has more new mail than one read takes. A process is killed with
 * SIGKILL after the n-th port call of its check, and a new service continues. Each message becomes one event and
 * is linked once, in order.
 */

interface Inbox {
  readonly kind: Scene['mail'];
  readonly email: string;
  readonly settings: unknown;
  deliver(ownerId: string, raws: readonly Buffer[]): Promise<void>;
}

/** More than one read of texts takes. */
const NEW_MAIL = 25;
const WITH_LAUNCH = 3;
const AT_ONCE = 4;

function mailNo(n: number): Buffer {
  const subject = n % WITH_LAUNCH === 0 ? `Atlas launch ${n}` : `Atlas ${n}`;
  const head = ['From: Maya <maya@mail.example>', `Subject: ${subject}`, `Message-ID: <${n}@mail.example>`];
  return Buffer.from([...head, 'Date: Fri, 20 Nov 2026 10:00:00 +0000', '', `Text ${n}`, ''].join('\r\n'));
}

const KEYRING = createKeyring([SECRET_KEY], randomBytes);

const numbers = Array.from({ length: NEW_MAIL + 1 }, (_, index) => index + 1);
/** The links that each tracker has in the end, oldest first. The last message arrived after the crash. */
const EXPECTED = {
  atlas: numbers,
  launch: numbers.filter((n) => n % WITH_LAUNCH === 0),
  resolved: [],
};

const made = z.object({ tracker_id: z.int() });

/**
 * Adds trackers and an empty inbox that the watch knows. Then mail arrives. @returns the owner, and the
 * trackers' numbers
 */
async function prepare(folder: string, inbox: Inbox) {
  const parts = sceneParts(folder, inbox.kind);
  const service = sceneService(parts);
  const { email, settings } = inbox;
  const { ownerId } = await service.owners.create({ email });
  await service.accounts.connect({ ownerId, email, settings });
  const modes = { 'trackers:remove': 'direct' } as const;
  const { apiKey } = await service.keys.create({ ownerId, name: 'agent', preset: 'full', modes });
  const call = async (tool: string, args: Record<string, unknown>) => {
    const outcome = await callWith(service, apiKey, tool, args);
    if (outcome.status !== 'ok') throw new Error(`${tool} was not done`);
    return made.parse(outcome.result).tracker_id;
  };
  const trackers = {
    atlas: await call('create_tracker', { title: 'Atlas', keywords: 'atlas, maya' }),
    launch: await call('create_tracker', { title: 'Launch', keywords: 'launch' }),
    resolved: await call('create_tracker', { title: 'Resolved', keywords: 'atlas' }),
  };
  await call('resolve_tracker', { tracker_id: trackers.resolved });
  await addEndpoint(parts.storage, ownerId);
  await service.watch();
  await service.stop();
  writeScene(folder, { mail: inbox.kind, settings, email, ownerId, apiKey, act: { mode: 'watch' } });
  await inbox.deliver(ownerId, numbers.slice(0, NEW_MAIL).map(mailNo));
  return { ownerId, trackers };
}

async function addEndpoint(storage: Storage, ownerId: string): Promise<void> {
  const [key] = await storage.credentials(ownerId, KEYRING);
  if (key === undefined) throw new Error('the key is missing');
  const answer = await storage.addEndpoint({
    ownerId,
    credentialId: key.credentialId,
    url: 'https://hooks.example.org/',
    types: ['message.received'],
    seal: () => 'sealed',
    signer: KEYRING,
    now: new Date(),
  });
  expect(answer.kind).toBe('added');
}

/** The UIDs of the messages of all events, in order, counted from the first one. */
async function toldUids(storage: Storage, ownerId: string): Promise<number[]> {
  const handles = createMessageHandles(KEYRING, storage, systemClock);
  const uids: number[] = [];
  for (const { type, data } of await storage.events({ ownerId, afterId: 0, limit: 1000 })) {
    if (type !== 'message.received') continue;
    const id = await handles.open(ownerId, data.message_id);
    if (id.kind === 'opened') uids.push(id.parts.uid);
  }
  return uids.map((uid) => uid - (uids[0] ?? 0) + 1);
}

async function look(folder: string, ownerId: string, trackers: Record<keyof typeof EXPECTED, number>) {
  const storage = sqliteStorage({ file: join(folder, 'scene.db') });
  try {
    const found = async (trackerId: number) => {
      const all = await storage.tracker({ ownerId, trackerId, upTo: undefined, limit: 1000 });
      if (all === undefined) throw new Error('a tracker is missing');
      const linked = all.links.map(({ content }) => (content.kind === 'mail' ? content.message.subject : ''));
      return {
        linked: linked.toReversed().map((subject) => Number(/\d+$/.exec(subject)?.[0])),
        summarised: all.tracker.summary.sourceCount,
      };
    };
    return {
      atlas: await found(trackers.atlas),
      launch: await found(trackers.launch),
      resolved: await found(trackers.resolved),
      told: await toldUids(storage, ownerId),
    };
  } finally {
    await storage.close();
  }
}

/**
 * Starts again and checks the inbox. This process takes the place of a new one: all that it has of the killed process
 * is the folder.
 */
async function restart(folder: string, inbox: Inbox): Promise<void> {
  // The killed process has the lease of the inbox.
  await new Promise((resolve) => setTimeout(resolve, LEASE_MS));
  const service = sceneService(sceneParts(folder, inbox.kind));
  await service.watch();
  await service.stop();
}

/** @returns the port calls that ended before the kill, in order */
async function play(
  inbox: (folder: string) => Inbox,
  check: (folder: string) => Promise<void>,
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cs-watch-'));
  try {
    const box = inbox(folder);
    const { ownerId, trackers } = await prepare(folder, box);
    await check(folder);
    const calls = tracedCalls(folder);
    await box.deliver(ownerId, [mailNo(NEW_MAIL + 1)]);
    await restart(folder, box);
    expect(
      await look(folder, ownerId, trackers),
      `killed after ${calls.length} calls, ${calls.at(-1)}`,
    ).toEqual({
      atlas: { linked: EXPECTED.atlas, summarised: 20 },
      launch: { linked: EXPECTED.launch, summarised: EXPECTED.launch.length },
      resolved: { linked: [], summarised: 0 },
      told: numbers,
    });
    return calls;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param isTried  whether the process is killed after this call, of which there were so many of the same name before
 * @param inGate  the same for the gate
 */
function watchProof(
  name: string,
  inbox: (folder: string) => Inbox,
  isTried: (call: string) => boolean,
  inGate: (call: string, before: number) => boolean,
): void {
  it(`${name}: reports every message and links it once, in order`, async () => {
    const bundle = await bundleForChild(join(import.meta.dirname, 'actor.ts'), 'bundle');
    const whole = await play(inbox, (folder) => performAct(folder, 0));
    // The proof is empty unless the watch has several steps between which it can be killed.
    expect(whole.filter((call) => call === 'storage.advanceInbox')).toHaveLength(
      1 + Math.ceil(NEW_MAIL / 20),
    );
    expect(whole).toEqual(expect.arrayContaining(['mail.readAll', 'storage.saveSummary']));
    const tried = whole.flatMap((call, index) =>
      isTried(call)
        ? [{ call, nth: index + 1, before: whole.slice(0, index).filter((one) => one === call).length }]
        : [],
    );
    const kills = casesOf('crash: kills', tried, ({ call, before }) => inGate(call, before));
    await workAtOnce(AT_ONCE, kills, ({ nth }) =>
      play(inbox, (folder) => runUntilKilled(bundle, [folder, String(nth)])),
    );
  });
}

describe('the watch, killed after every port call', () => {
  const KILLED_IN_GATE = /^storage\.(advanceInbox|saveSummary)$|^mail\.readAll$/;
  const KILLED_ON_DOVECOT = /^storage\.(advanceInbox|leaseInboxes)$|^mail\.visitInbox$/;

  watchProof(
    'sandbox',
    (folder) => ({
      kind: 'sandbox',
      email: 'demo@countersign.test',
      settings: {},
      async deliver(ownerId, raws) {
        const mail = sandboxMail({ journalFile: join(folder, 'sandbox.journal') });
        const account = { ownerId, accountId: 1, email: 'demo@countersign.test', settings: async () => ({}) };
        for (const raw of raws) await mail.deliver(account, 'INBOX', raw);
        await mail.close();
      },
    }),
    () => true,
    (call, before) => KILLED_IN_GATE.test(call) && (call === 'storage.advanceInbox' || before === 0),
  );

  describe.skipIf(missingServers().length > 0)(titled('on Dovecot'), () => {
    let dovecot: Dovecot;
    // Nothing is sent, but connecting an account also checks its sending server.
    let postfix: Postfix;
    beforeAll(async () => {
      dovecot = await startDovecot({ tls: false });
      postfix = await startPostfix(dovecot, { tls: false });
    });
    afterAll(async () => {
      await postfix?.stop();
      await dovecot?.stop();
    });

    watchProof(
      'Dovecot',
      () => {
        const user = dovecot.addUser();
        const email = addressOf(user);
        const server = { host: '127.0.0.1', security: 'none', user: email, pass: PASSWORD } as const;
        return {
          kind: 'imap',
          email,
          settings: { imap: { ...server, port: dovecot.port }, smtp: { ...server, port: postfix.port } },
          async deliver(_ownerId, raws) {
            for (const raw of raws) await dovecot.deliver(user, raw);
          },
        };
      },
      (call) => KILLED_ON_DOVECOT.test(call),
      (call, before) => call === 'mail.visitInbox' || (call === 'storage.advanceInbox' && before === 1),
    );
  });
});
