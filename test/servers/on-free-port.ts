import { freePorts, waitForPort } from './ports.ts';
import type { ProcessGroup } from './process-group.ts';

/**
 * Starts a server on a free port, and on another one if a test took that first.
 * @param logFile  of the server, for the message
 * @throws Error if it does not answer
 */
export async function onFreePort(
  logFile: string,
  start: (port: number) => ProcessGroup,
): Promise<[port: number, server: ProcessGroup]> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const [port = 0] = await freePorts(1);
    const server = start(port);
    if (await waitForPort(port, () => server.hasEnded())) return [port, server];
  }
  throw new Error(`the server did not start; see ${logFile}`);
}
