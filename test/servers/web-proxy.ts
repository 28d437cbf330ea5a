import { mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { onFreePort } from './on-free-port.ts';
import { waitForPort } from './ports.ts';
import { startProcessGroup } from './process-group.ts';

/** A proxy for HTTP in front of a server. */
export interface WebProxy {
  readonly port: number;
  /** Kills it, as a crash would, and starts it again on its port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The loopback addresses that this machine has, as they are written in a URL. */
export const LOOPBACK = [
  '127.0.0.1',
  ...Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).some(({ address }) => address === '::1') ? '[::1]' : [],
  ),
];

/** Starts a program on each loopback address. It keeps its files in a folder of its own. */
export async function startWebProxy(
  name: string,
  program: string,
  /** Writes the configuration. @returns the arguments of the program, which stays in the foreground */
  configure: (folder: string, port: number) => readonly string[],
): Promise<WebProxy> {
  const folder = mkdtempSync(`/tmp/cs-${name}-`);
  const log = `${folder}/${name}.log`;
  const start = (port: number) => startProcessGroup(program, configure(folder, port), log);
  const [port, first] = await onFreePort(log, start);
  let server = first;
  return {
    port,
    async restart() {
      await server.kill();
      server = start(port);
      if (!(await waitForPort(port, () => server.hasEnded())))
        throw new Error(`${name} did not restart; see ${log}`);
    },
    async stop() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
