import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { createService } from '../../../core/service/create-service.ts';
import type { Service } from '../../../core/service/service.ts';
import { nodeHandler } from '../../../hosts/node/node-handler.ts';
import { silentLog } from '../../open-service.ts';

/** A dashboard with a fixed clock, behind a trusted proxy that reports the caller's address. */
export interface SignInSite {
  readonly service: Service;
  readonly port: number;
  close(): Promise<void>;
}

export const FROM_MS = Date.parse('2026-03-03T12:00:00Z');

export async function openSite(
  storage: Storage,
  secretKey: Uint8Array,
  now: () => number = () => FROM_MS,
  between: (service: Service) => Service = (service) => service,
): Promise<SignInSite> {
  let listener: RequestListener = () => {};
  const server = createServer((req, res) => listener(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const service = createService({
    storage,
    mail: sandboxMail(),
    reader: inlineReader(),
    clock: { now: () => new Date(now()), every: () => () => {}, after: () => () => {} },
    random: (bytes) => randomBytes(bytes),
    log: silentLog,
    secretKeys: [secretKey],
    baseUrl: 'http://127.0.0.1:1',
    dashboardUrl: `http://127.0.0.1:${port}`,
  });
  listener = nodeHandler(between(service), { doors: ['dashboard'], trustedProxies: ['127.0.0.1'] });
  return {
    service,
    port,
    async close() {
      server.closeAllConnections();
      server.close();
      await storage.close();
    },
  };
}

export interface SignInAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly setCookies: readonly string[];
  readonly body: string;
}

/** A person or program at one address, with the form open. */
export interface Visitor {
  /** @param device  the value of the device cookie that the browser sends */
  signIn(from: string, fields: { email: string; password: string }, cookie?: string): Promise<SignInAnswer>;
}

export async function openForm(port: number): Promise<Visitor> {
  const agent = new Agent({ keepAlive: true, maxSockets: 400 });
  const shown = await send(port, agent, 'GET', {}, '');
  const formCookie = shown.setCookies.map(plainCookie).join('; ');
  const token = /name="form_token" value="([^"]+)"/.exec(shown.body)?.[1] ?? '';
  return {
    signIn(from, fields, device) {
      const headers = {
        cookie: device === undefined ? formCookie : `${formCookie}; ${deviceCookie(port)}=${device}`,
        'x-forwarded-for': from,
        'content-type': 'application/x-www-form-urlencoded',
      };
      const body = new URLSearchParams({ form_token: token, ...fields }).toString();
      return send(port, agent, 'POST', headers, body);
    },
  };
}

export function plainCookie(setCookie: string): string {
  return setCookie.split(';')[0] ?? '';
}

export function deviceCookie(port: number): string {
  return `countersign-${port}-device`;
}

/** The device cookie's value that a response sets. */
export function deviceOf({ setCookies }: SignInAnswer): string {
  const cookie = plainCookie(setCookies.find((one) => one.includes('-device=')) ?? '');
  return cookie.replace(/^.*=/, '');
}

async function send(
  port: number,
  agent: Agent,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<SignInAnswer> {
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const options = {
    host: '127.0.0.1',
    port,
    agent,
    method,
    path: '/sign-in',
    headers: { ...length, ...headers },
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(options, resolve);
    sent.once('error', reject);
    sent.end(body);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return {
    status: answer.statusCode ?? 0,
    retryAfter: answer.headers['retry-after'],
    setCookies: answer.headers['set-cookie'] ?? [],
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
