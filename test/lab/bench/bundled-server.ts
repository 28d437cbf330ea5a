import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { type Ask, asking, bundleOf } from './child.ts';

const ready = z.object({ base_url: z.url(), dashboard_url: z.url(), mcp_url: z.url() });

/** `countersign serve` as a process. */
export interface BundledServer {
  readonly pid: number;
  readonly baseUrl: string;
  readonly dashboardUrl: string;
  readonly mcpUrl: string;
  /** Asks a module that `flags` import. */
  readonly ask: Ask;
  stop(): Promise<void>;
}

/** The settings of a server with a new database. */
export function newSettings(): { readonly env: Environment; readonly file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const file = join(folder, 'countersign.db');
  const env = {
    PATH: process.env.PATH,
    COUNTERSIGN_DATABASE_URL: `file:${file}`,
    COUNTERSIGN_PORT: '0',
    COUNTERSIGN_LOG: 'warn',
  };
  return { env, file, remove: () => rmSync(folder, { recursive: true }) };
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** @param flags  of Node */
export async function startServer(env: Environment, flags: readonly string[] = []): Promise<BundledServer> {
  const child = spawn(process.execPath, [...flags, bundleOf('cli'), 'serve', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const { stdout } = child;
  if (stdout === null) throw new Error('its output is piped');
  const [line] = (await Promise.race([once(stdout, 'data'), ended])) as unknown[];
  const addresses = ready.parse(JSON.parse(String(line)));
  return {
    pid: child.pid ?? 0,
    baseUrl: addresses.base_url,
    dashboardUrl: addresses.dashboard_url,
    mcpUrl: addresses.mcp_url,
    ask: asking(child, 'countersign serve'),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
