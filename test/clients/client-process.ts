import { type ChildProcess, fork } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { nodeBinaries } from '../package/node-binaries.ts';
import { npm } from '../package/npm.ts';
import { eventually } from '../until.ts';
import type { TriedClient } from './tried-clients.ts';

/** Where a client connects. */
export type Door =
  | { readonly url: string; readonly key: string }
  /** It signs in. */
  | { readonly url: string }
  | { readonly command: Command };

interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A client in a process of its own. */
export interface ClientProcess {
  /** @throws Error with what the client said, as all that follow do */
  connect(door: Door): Promise<void>;
  /** The names of the tools. */
  list(): Promise<string[]>;
  call(tool: string, args?: object): RunningCall;
  close(): Promise<void>;
  kill(): void;
}

export interface RunningCall {
  /** All that the client returned, as JSON. */
  readonly answer: Promise<string>;
  /** How many reports of progress the client passed on. */
  readonly reports: number;
  abort(): Promise<void>;
}

const message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answer'), id: z.number(), value: z.unknown() }),
  z.object({ kind: z.literal('failure'), id: z.number(), message: z.string() }),
  z.object({ kind: z.literal('progress'), id: z.number() }),
  z.object({ kind: z.literal('page'), url: z.string(), listens: z.boolean() }),
]);

/** Installs the client. @returns the folder of its project */
export async function installClient({ packages }: TriedClient): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'countersign-client-'));
  await npm(project, ['init', '--yes', '--init-type=module']);
  await npm(project, ['install', '--ignore-scripts', ...packages]);
  await cp(join(import.meta.dirname, 'programs'), project, { recursive: true });
  return project;
}

export function removeClient(project: string): Promise<void> {
  return rm(project, { recursive: true, force: true });
}

/** @param openPage  lets the client in. @returns the address to which the browser returns */
export async function startClient(
  { program: [name, ...args], node }: TriedClient,
  project: string,
  openPage: (url: string) => Promise<string>,
): Promise<ClientProcess> {
  const binary = node === undefined ? undefined : (await nodeBinaries()).find(({ major }) => major === node);
  const child = fork(join(project, `${name}.mjs`), args, {
    cwd: project,
    execPath: binary?.path ?? process.execPath,
    execArgv: [],
    env: {
      PATH: process.env.PATH,
      HOME: project,
      DO_NOT_TRACK: '1',
      NO_COLOR: '1',
      MASTRA_TELEMETRY_DISABLED: '1',
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  return talkingTo(child, openPage);
}

interface Awaited {
  resolve(value: unknown): void;
  reject(error: Error): void;
  reports: number;
}

function talkingTo(child: ChildProcess, openPage: (url: string) => Promise<string>): ClientProcess {
  const awaited = new Map<number, Awaited>();
  let ids = 0;
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.once('exit', (code) => {
    for (const one of awaited.values()) one.reject(new Error(`the client ended with ${code}: ${said}`));
  });
  child.on('message', (given) => {
    const sent = message.parse(given);
    if (sent.kind === 'page') {
      letIn(sent).catch((error: unknown) => {
        said += String(error);
        child.kill('SIGKILL');
      });
      return;
    }
    const one = awaited.get(sent.id);
    if (one === undefined) return;
    if (sent.kind === 'progress') {
      one.reports += 1;
      return;
    }
    awaited.delete(sent.id);
    if (sent.kind === 'answer') one.resolve(sent.value);
    else one.reject(new Error(`${sent.message}\n${said}`));
  });

  async function letIn({ url, listens }: { url: string; listens: boolean }): Promise<void> {
    const address = await openPage(url);
    // A program names its page before it listens.
    if (listens) await eventually(() => fetch(address));
    else child.send({ verb: 'returned', given: address });
  }

  function tell(verb: string, given?: object): { id: number; entry: Awaited; value: Promise<unknown> } {
    ids += 1;
    const id = ids;
    const entry: Awaited = { resolve() {}, reject() {}, reports: 0 };
    const value = new Promise<unknown>((resolve, reject) => Object.assign(entry, { resolve, reject }));
    awaited.set(id, entry);
    child.send({ id, verb, given });
    return { id, entry, value };
  }

  return {
    async connect(door) {
      await tell('connect', door).value;
    },
    list: async () => z.array(z.string()).parse(await tell('list').value),
    call(tool, args = {}) {
      const { id, entry, value } = tell('call', { name: tool, args });
      const answer = value.then((text) => z.string().parse(text));
      // It may be read only later.
      answer.catch(() => {});
      return {
        answer,
        get reports() {
          return entry.reports;
        },
        async abort() {
          await tell('abort', { call: id }).value;
        },
      };
    },
    async close() {
      await tell('close').value;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
