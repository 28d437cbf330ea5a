import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { z } from 'zod';
import { answerParent } from './answer-parent.ts';
import type { bareAnswer } from './child-messages.ts';
import { watchDelay } from './loop-delay.ts';

/** A process with a server that does nothing: what the machine itself adds to a wait. */

const measured = watchDelay();
const server = createServer((_request, response) => response.end('ok'));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

answerParent(
  async (): Promise<z.infer<typeof bareAnswer>> => ({ port, delay: measured() }),
  () => process.exit(0),
);
