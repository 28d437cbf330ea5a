import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  request,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { sandboxCalendar } from '../../../adapters/sandbox/calendar.ts';
import { type SandboxMail, sandboxMail } from '../../../adapters/sandbox/mail.ts';
import type { Calendar } from '../../../core/ports/calendar.ts';
import type { Service } from '../../../core/service.ts';
import { dashboardHandler } from '../../../hosts/dashboard/handler.ts';
import type { DashboardOptions } from '../../../hosts/dashboard/visit.ts';
import { openTestService, type TestKey, type TestService } from '../../open-service.ts';

export const EMAIL = 'owner@example.org';
export const PASSWORD = 'correct horse battery';

export interface Dashboard extends TestService {
  readonly url: string;
  readonly mail: SandboxMail;
  readonly key: TestKey;
  /** A key of the owner asks to send a mail, and has to wait. @returns the approval's id */
  ask(letter: { to?: string[]; subject?: string; body?: string }): Promise<string>;
  /** Sends one request as it is, with any Host. */
  send(request: PlainRequest): Promise<PlainAnswer>;
  /** Signs in without the form. @returns the Cookie header of the session */
  cookie(): Promise<string>;
}

interface PlainRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
}

export interface PlainAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface DashboardSetup extends DashboardOptions {
  /** As a proxy would make it public; default: where it listens. */
  readonly dashboardUrl?: string;
  /** Stands between the dashboard and the real service. */
  readonly between?: (service: Service) => Service;
  readonly calendar?: Calendar;
  /** The owner's. */
  readonly timezone?: string;
}

/** The real service on SQLite and the sandbox mailbox, behind a server of its own; it ends with the test. */
export async function openDashboard(setup: DashboardSetup = {}): Promise<Dashboard> {
  const { dashboardUrl, between = (service) => service, calendar = sandboxCalendar(), ...others } = setup;
  const { timezone = 'UTC', ...options } = others;
  let listener: RequestListener = () => {};
  const server = createServer((req, res) => listener(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  const mail = sandboxMail();
  const opened = await openTestService({
    email: EMAIL,
    timezone,
    mail,
    calendar,
    dashboardUrl: dashboardUrl ?? url,
  });
  const { service, ownerId } = opened;
  listener = dashboardHandler(between(service), options);
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await service.stop();
  });
  await service.owners.setPassword(ownerId, PASSWORD);
  const key = await opened.addKey('full');

  return {
    ...opened,
    url,
    mail,
    key,
    async ask({ to = ['ada@example.net'], subject = 'Hello', body = 'Hello Ada' }) {
      const outcome = await key.call('send_email', { to, subject, body });
      if (outcome.status !== 'pending_approval')
        throw new Error(`it does not wait: ${JSON.stringify(outcome)}`);
      return outcome.approval.id;
    },
    send: (plain) => send(port, plain),
    async cookie() {
      const signedIn = await service.owners.signIn({
        email: EMAIL,
        password: PASSWORD,
        address: '192.0.2.1',
        device: undefined,
      });
      return `${cookieName(dashboardUrl ?? url)}=${signedIn?.session}`;
    },
  };
}

function cookieName(url: string): string {
  return url.startsWith('https:') ? '__Host-countersign' : `countersign-${new URL(url).port}`;
}

async function send(port: number, { method, path, headers = {}, form }: PlainRequest): Promise<PlainAnswer> {
  const body = form === undefined ? '' : new URLSearchParams(form).toString();
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const length = 'transfer-encoding' in headers ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const sent = request({
    host: '127.0.0.1',
    port,
    method: method ?? (form === undefined ? 'GET' : 'POST'),
    path,
    headers: { ...type, ...length, ...headers },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  sent.end(body);
  const answer = await answered;
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

/** The token in the first form of a page. */
export function formTokenIn(html: string): string {
  return /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? 'none';
}
