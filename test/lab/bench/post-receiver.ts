import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../../servers/certificate.ts';
import { answerParent } from './answer-parent.ts';
import type { ReceiverAnswer } from './deliveries.ts';

/** A receiver in a separate process, which answers everything with 204. */

const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-receiver-'));
const { certFile, keyFile } = await makeCertificate(folder);
const ca = readFileSync(certFile, 'utf8');
const server = createServer({ cert: ca, key: readFileSync(keyFile) }, (request, response) => {
  request.resume();
  request.once('end', () => response.writeHead(204).end());
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

answerParent(
  async (): Promise<ReceiverAnswer> => ({ port: (server.address() as AddressInfo).port, ca }),
  () => {
    rmSync(folder, { recursive: true });
    process.exit(0);
  },
);
