import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { Dovecot } from '../../servers/dovecot.ts';
import { addressOf } from '../../servers/mail-users.ts';
import { bareClient, LETTER, REST_MS } from './bare-client.ts';
import { startChild } from './child.ts';
import { mailEvents } from './mail-events.ts';
import { settingsOf } from './mail-settings.ts';
import { memoryAnswer } from './memory.ts';
import { median } from './rounds.ts';
import type { Row } from './table.ts';

const KB = 1024;
const FIRST_ACCOUNTS = 10;
const MORE_ACCOUNTS = 200;
const ROUNDS = 8;
const BURST = 300;

/** New mail: how soon it is listed and reported, how much of a burst, and the memory of each watched account. */
export async function watching(dovecot: Dovecot): Promise<Row[]> {
  return [...(await latency(dovecot)), ...(await mailEvents(dovecot)), ...(await memoryOfWatches(dovecot))];
}

async function latency(dovecot: Dovecot): Promise<Row[]> {
  const user = dovecot.addUser();
  const sender = await bareClient(dovecot, user);
  const bare = await bareClient(dovecot, user);
  await bare.mailboxOpen('INBOX');
  void bare.idle();
  const watch = await watchedInbox(dovecot, user);
  try {
    const reference: number[] = [];
    const ours: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await setTimeout(REST_MS);
      const announced = once(bare, 'exists').then(() => performance.now());
      const seen = watch.until(round + 1);
      await sender.append('INBOX', LETTER);
      const deliveredMs = performance.now();
      reference.push((await announced) - deliveredMs);
      ours.push((await seen) - deliveredMs);
    }
    for (let sent = 0; sent < BURST; sent += 1) await sender.append('INBOX', LETTER);
    const lastMs = performance.now();
    const burstMs = (await watch.until(ROUNDS + BURST)) - lastMs;
    return [
      {
        name: `a delivered message is listed by the watch; reference: exists of imapflow (median of ${ROUNDS})`,
        unit: 'ms',
        ours: median(ours),
        reference: median(reference),
      },
      {
        name: '  later than exists',
        unit: 'ms',
        ours: median(ours) - median(reference),
        bound: { most: 50 },
      },
      {
        name: `a burst of ${BURST} messages, each listed once: after the last one`,
        unit: 'ms',
        ours: burstMs,
        bound: { most: 1000 },
      },
    ];
  } finally {
    await watch.stop();
    for (const client of [sender, bare]) client.close();
  }
}

/** Watches an inbox from its next message on, as core does. */
async function watchedInbox(dovecot: Dovecot, user: string) {
  const mail = imapMail({ allowPrivateServers: true });
  const email = addressOf(user);
  const account = {
    ownerId: 'bench',
    accountId: 1,
    email,
    settings: async () => settingsOf(email, dovecot.port),
  };
  const waiting = new Map<number, (atMs: number) => void>();
  let last: number | undefined;
  let count = 0;
  let opened = () => {};
  const isOpen = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const call = { account, signal: new AbortController().signal, deadlineMs: 30_000 };
  const ended = mail.watchInbox(call, async ({ uidNext, arrivals }) => {
    last ??= uidNext - 1;
    opened();
    for (const row of await arrivals(last, BURST)) {
      last = row.place.uid;
      count += 1;
      waiting.get(count)?.(performance.now());
    }
  });
  ended.catch(() => undefined);
  await isOpen;
  return {
    /** Resolves with the time at which that many messages were listed. */
    until: (number: number) => new Promise<number>((resolve) => waiting.set(number, resolve)),
    async stop() {
      await mail.close();
      await ended.catch(() => undefined);
    },
  };
}

async function memoryOfWatches(dovecot: Dovecot): Promise<Row[]> {
  const idle = await bytesPerAccount(dovecot, 'idle');
  const watched = await bytesPerAccount(dovecot, 'watched');
  return [
    {
      name: `a watched account (mean of ${MORE_ACCOUNTS}): heap and buffers; reference: an idle one`,
      unit: 'KB',
      ours: watched / KB,
      reference: idle / KB,
    },
    {
      name: '  beside the connection',
      unit: 'KB',
      ours: (watched - idle) / KB,
      bound: { most: 300 },
    },
  ];
}

async function bytesPerAccount(dovecot: Dovecot, state: 'idle' | 'watched'): Promise<number> {
  const child = startChild('idle-accounts', ['--expose-gc']);
  try {
    const ask = (count: number) => {
      const users = Array.from({ length: count }, () => dovecot.addUser());
      return child.ask({ imapPort: dovecot.port, users, state }, memoryAnswer);
    };
    const before = await ask(FIRST_ACCOUNTS);
    const after = await ask(MORE_ACCOUNTS);
    return (after.heldBytes - before.heldBytes) / MORE_ACCOUNTS;
  } finally {
    await child.stop();
  }
}
