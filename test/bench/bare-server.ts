import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { answerParent } from './answer-parent.ts';
import { loopDelay, watchDelay } from './loop-delay.ts';

/** A process with a server that does nothing: what the machine itself adds to a wait. */

export const bareAnswer = z.object({ port: z.int(), delay: loopDelay });

const measured = watchDelay();
const server = createServer((_request, response) => response.end('ok'));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

answerParent(
  async (): Promise<z.infer<typeof bareAnswer>> => ({ port, delay: measured() }),
  () => process.exit(0),
);
