import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net, { type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { httpsGet } from '../../../adapters/discovery/https-get.ts';
import { httpsDocuments } from '../../../adapters/documents/https-documents.ts';
import { limitedFetch } from '../../../adapters/oauth/limited-fetch.ts';
import type { MailError } from '../../../core/ports/mail.ts';
import { makeCertificate } from '../../servers/certificate.ts';
import { accountOn } from '../caldav/account-on.ts';

// Webhooks are in test/adapters/webhooks/receiver-faults.test.ts.

let folder: string;
let ca: string;
const servers: net.Server[] = [];
const ports = { plain: 0, secure: 0 };

const INTERIM = 'HTTP/1.1 102 Processing\r\n\r\n';
const REASON = 'it only sent interim responses';
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';

/** Answers a request at last. */
function answerLate(socket: Socket): void {
  socket.on('error', () => undefined);
  socket.once('data', () => socket.write(`${INTERIM.repeat(100)}${ANSWER}`));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-interim-'));
  const { certFile, keyFile } = await makeCertificate(folder);
  ca = readFileSync(certFile, 'utf8');
  const plain = net.createServer(answerLate);
  const secure = tls.createServer({ cert: ca, key: readFileSync(keyFile) }, answerLate);
  for (const [name, server] of [['plain', plain] as const, ['secure', secure] as const]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ports[name] = (server.address() as AddressInfo).port;
    servers.push(server);
  }
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

const CLIENTS: Readonly<Record<string, () => Promise<unknown>>> = {
  'of the sign-in at a provider': () =>
    limitedFetch(`http://127.0.0.1:${ports.plain}/token`, { method: 'GET', headers: {} }),
  'of a calendar': () => {
    const { calendar, call } = accountOn(`http://127.0.0.1:${ports.plain}/`);
    return calendar.calendars(call).catch((error: MailError) => {
      throw error.cause instanceof Error ? error.cause : error;
    });
  },
  'for a client document': async () => {
    const source = httpsDocuments({ allowPrivateTargets: ['localhost'], ca });
    const url = `https://localhost:${ports.secure}/client.json`;
    const found = await source.fetch({ url, maxBytes: 1000, timeLimitMs: 10_000 });
    await source.close();
    if (found === undefined) throw new Error(REASON);
  },
  'for the settings of a domain': () => {
    const none = async () => [];
    const resolver = { resolveMx: none, resolveSrv: none, resolveAddresses: async () => ['127.0.0.1'] };
    const get = httpsGet({ resolver, mayReach: () => true, ca });
    return get(new URL(`https://localhost:${ports.secure}/`), new AbortController().signal);
  },
};

it.each(Object.keys(CLIENTS))(
  'a request %s fails if the server sends interim responses again and again',
  async (name) => {
    await expect(CLIENTS[name]?.()).rejects.toThrow(REASON);
  },
);
