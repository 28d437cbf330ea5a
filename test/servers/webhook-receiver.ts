import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectDescribedWebhook } from '../described-webhook.ts';
import { makeCertificate } from './certificate.ts';

/** A real HTTPS server that receives webhooks, and checks each against the published description. */
export interface WebhookReceiver {
  readonly origin: string;
  /** To trust it. */
  readonly ca: string;
  /** In the order of their arrival. */
  readonly requests: readonly ReceivedRequest[];
  /** How many connections were opened. */
  connections(): number;
  /** How it answers; 204 unless set. */
  answer: (request: ReceivedRequest, response: ServerResponse, incoming: IncomingMessage) => void;
  /** Ends every connection. */
  drop(): void;
  /** @throws Error if a request was not as described */
  close(): void;
}

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-receiver-'));
  const { certFile, keyFile } = await makeCertificate(folder);
  const ca = readFileSync(certFile, 'utf8');
  const requests: ReceivedRequest[] = [];
  const undescribed: unknown[] = [];
  let connections = 0;
  const server = createServer({ cert: ca, key: readFileSync(keyFile) }, (incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.once('end', () => {
      const { method, url: path, headers } = incoming;
      const request = { method, path, headers, body: Buffer.concat(pieces) };
      requests.push(request);
      try {
        if (method === 'POST') expectDescribedWebhook(request);
      } catch (error) {
        undescribed.push(error);
      }
      receiver.answer(request, response, incoming);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: WebhookReceiver = {
    // The certificate is for this name.
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    ca,
    requests,
    connections: () => connections,
    answer: (_request, response) => {
      response.writeHead(204).end();
    },
    drop: () => server.closeAllConnections(),
    close() {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true });
      if (undescribed.length > 0) throw new AggregateError(undescribed, 'webhooks that are not as described');
    },
  };
  return receiver;
}
