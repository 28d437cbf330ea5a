import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import type { Dovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import type { Postfix } from '../../servers/postfix.ts';
import { run } from '../../servers/process-group.ts';
import { type Environment, newSettings, startServer } from './bundled-server.ts';
import { bundleOf, startChild } from './child.ts';
import { seedInbox } from './maildir.ts';
import type { Row } from './table.ts';

export const memoryAnswer = z.object({
  /** On and off the heap, after a collection. */
  heldBytes: z.number(),
  rssBytes: z.number(),
});
export type MemoryAnswer = z.infer<typeof memoryAnswer>;

const MB = 1024 * 1024;
const KB = 1024;
/** Longer than a round of background work. */
const REST_MS = 8000;
const CALLS = 20;
const CLI = bundleOf('cli');
const FIRST_ACCOUNTS = 10;
const MORE_ACCOUNTS = 50;
const MESSAGES = 100;

/** The memory of the bundled server at rest, and what each account with an idle connection adds. */
export async function memory(dovecot: Dovecot, postfix: Postfix): Promise<Row[]> {
  const idle = startChild('idle-accounts', ['--expose-gc']);
  try {
    const ask = (count: number) => {
      const users = Array.from({ length: count }, () => seedInbox(dovecot, MESSAGES));
      return idle.ask({ imapPort: dovecot.port, users, state: 'idle' }, memoryAnswer);
    };
    const before = await ask(FIRST_ACCOUNTS);
    const after = await ask(MORE_ACCOUNTS);
    return [
      {
        name: 'countersign serve at rest, one idle account: resident memory',
        unit: 'MB',
        ours: (await serverAtRest(dovecot, postfix)) / MB,
        bound: { most: 120 },
      },
      {
        name: `a connected, idle account (mean of ${MORE_ACCOUNTS}): heap and buffers`,
        unit: 'KB',
        ours: (after.heldBytes - before.heldBytes) / MORE_ACCOUNTS / KB,
        bound: { most: 300 },
      },
      {
        name: '  resident memory',
        unit: 'KB',
        ours: (after.rssBytes - before.rssBytes) / MORE_ACCOUNTS / KB,
      },
    ];
  } finally {
    await idle.stop();
  }
}

const printed = z.object({ api_key: z.string().optional() });

/** @returns bytes of resident memory */
async function serverAtRest(dovecot: Dovecot, postfix: Postfix): Promise<number> {
  const { env, remove } = newSettings();
  try {
    const apiKey = await connectAccount(env, dovecot, postfix);
    const server = await startServer(env);
    try {
      for (let call = 0; call < CALLS; call += 1) {
        const path = call % 2 === 0 ? '/v1/me' : '/v1/messages';
        const headers = { Authorization: `Bearer ${apiKey}` };
        const answer = await fetch(`${server.baseUrl}${path}`, { headers });
        if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
        await answer.text();
      }
      await setTimeout(REST_MS);
      return residentBytes(server.pid);
    } finally {
      await server.stop();
    }
  } finally {
    remove();
  }
}

/** Sets up an owner on the command line, as a person would. @returns an API key */
async function connectAccount(env: Environment, dovecot: Dovecot, postfix: Postfix) {
  const command = async (words: readonly string[], input = '') => {
    const line = [...assignments(env), process.execPath, CLI, ...words, '--json'];
    return printed.parse(JSON.parse(await run('/usr/bin/env', line, input)));
  };
  const email = addressOf(seedInbox(dovecot, MESSAGES));
  const imap = ['--imap', `imap://127.0.0.1:${dovecot.port}`];
  const smtp = ['--smtp', `smtp://127.0.0.1:${postfix.port}`];
  await command(['owner', 'add', email], 'a long password\n');
  await command(['account', 'add', '--owner', email, '--email', email, ...imap, ...smtp], `${PASSWORD}\n`);
  return (await command(['key', 'add', '--owner', email, '--name', 'bench', '--preset', 'full'])).api_key;
}

function assignments(env: Environment): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value ?? ''}`);
}

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * KB;
}
