import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { sandboxCalendar } from '../../../adapters/sandbox/calendar.ts';
import { type SandboxMail, sandboxMail } from '../../../adapters/sandbox/mail.ts';
import type { SampleMessage } from '../../../adapters/sandbox/sample-message.ts';
import { httpsSender } from '../../../adapters/webhooks/https-sender.ts';
import type { Calendar } from '../../../core/ports/calendar.ts';
import type { CalendarObjects } from '../../../core/ports/calendar-objects.ts';
import type { MailIndex } from '../../../core/ports/mail-index.ts';
import type { MailProvider } from '../../../core/ports/mail-provider.ts';
import type { NoticeSender } from '../../../core/ports/notice-sender.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { WebhookSender } from '../../../core/ports/webhook-sender.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import type { Service } from '../../../core/service/service.ts';
import { MINUTE_MS } from '../../../core/time/durations.ts';
import { formToken } from '../../../hosts/dashboard/forms/csrf.ts';
import { SHOWN_FIELD } from '../../../hosts/dashboard/forms/shown-field.ts';
import { shownMark } from '../../../hosts/dashboard/forms/shown-since.tsx';
import { type NodeHandlerOptions, nodeHandler } from '../../../hosts/node/node-handler.ts';
import { openTestService, type TestKey, type TestService, testClock } from '../../open-service.ts';
import { plainRequest } from '../../plain-request.ts';
import { quickHash } from '../../quick-password.ts';
import { sessionToken } from '../../session-token.ts';
import { sqliteOnClock } from '../../store-clock.ts';
import { type BrowserKey, type FormFields, newBrowserKey, pairsOf } from './browser-key.ts';

export const EMAIL = 'owner@example.org';
export const PASSWORD = 'correct horse battery';

export interface Dashboard extends TestService {
  readonly url: string;
  readonly mail: SandboxMail;
  readonly key: TestKey;
  /** Requests a send with a key of the owner; it has to wait. @returns the approval's id */
  ask(letter: { to?: string[]; subject?: string; body?: string }): Promise<string>;
  /** Sends one request as it is, with any Host. */
  send(request: PlainRequest): Promise<PlainAnswer>;
  /** Sends a form as the page's script does, with the token and a signature by the session's key. */
  submit(request: SignedRequest): Promise<PlainAnswer>;
  /** Signs in without the form, with its own key. @returns the Cookie header of the session */
  cookie(owner?: { email: string; password: string }): Promise<string>;
  /** The browser that `cookie` signed in with. */
  browserOf(cookie: string): SignedIn;
}

interface SignedIn {
  readonly key: BrowserKey;
  readonly sessionId: string;
}

interface SignedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>> & { readonly cookie: string };
  readonly form?: FormFields;
}

interface PlainRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: FormFields;
}

export interface PlainAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface DashboardSetup extends NodeHandlerOptions {
  /** The public URL, as behind a proxy; default: where it listens. */
  readonly dashboardUrl?: string;
  /** Wraps the real service. */
  readonly between?: (service: Service) => Service;
  readonly calendar?: Calendar | CalendarObjects;
  readonly storage?: Storage;
  readonly webhookSender?: WebhookSender;
  readonly noticeSender?: NoticeSender;
  readonly mailProviders?: readonly MailProvider[];
  readonly mailIndex?: MailIndex;
  /** The owner's time zone; default: UTC. */
  readonly timezone?: string;
  /** The messages of the mailbox; default: those of the sandbox. */
  readonly samples?: () => readonly SampleMessage[];
  /** Whether the server takes the sockets of open pages; default: it does. */
  readonly hasSockets?: boolean;
}

/** The real service on SQLite and the sandbox mailbox, behind its own server. It stops with the test. */
export async function openDashboard(setup: DashboardSetup = {}): Promise<Dashboard> {
  const {
    dashboardUrl,
    between = (service) => service,
    calendar = sandboxCalendar(),
    samples,
    hasSockets = true,
    ...others
  } = setup;
  const clock = testClock();
  const {
    timezone = 'UTC',
    storage = sqliteOnClock(':memory:', () => clock.now().getTime()),
    webhookSender = httpsSender(),
    noticeSender,
    mailIndex,
    mailProviders = [],
    ...options
  } = others;
  let listener: RequestListener = () => {};
  const server = createServer((req, res) => listener(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  const mail = sandboxMail(samples === undefined ? {} : { samples });
  const secretKeys = [randomBytes(32)];
  const opened = await openTestService({
    email: EMAIL,
    timezone,
    mail,
    calendar,
    clock,
    storage,
    secretKeys,
    webhookSender,
    ...(noticeSender && { noticeSender }),
    ...(mailIndex && { mailIndex }),
    mailProviders,
    dashboardUrl: dashboardUrl ?? url,
  });
  const { service, ownerId } = opened;
  const mounted = nodeHandler(between(service), { doors: ['dashboard'], ...options });
  if (hasSockets) mounted.attachUpgrade(server);
  listener = mounted;
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await service.stop();
  });
  await storage.setPassword(ownerId, quickHash(PASSWORD), createKeyring(secretKeys, randomBytes));
  const key = await opened.addKey('full');
  const browsers = new Map<string, SignedIn>();
  const browserOf = (cookie: string) => {
    const browser = browsers.get(cookie);
    if (browser === undefined) throw new Error('no browser signed in with this cookie');
    return browser;
  };

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
    async submit({ path, headers, form = {} }) {
      const { key, sessionId } = browserOf(headers.cookie);
      const fields: [string, string][] = [['form_token', formToken(headers.cookie.split('=')[1] ?? '')]];
      const given = pairsOf(form);
      // A test may send another token.
      if (given.some(([name]) => name === 'form_token')) fields.pop();
      fields.push(...given);
      if (!given.some(([name]) => name === SHOWN_FIELD)) {
        const [, token = ''] = fields.find(([name]) => name === 'form_token') ?? [];
        fields.push(...pairsOf(shownSince(path, token, clock.now().getTime() - MINUTE_MS)));
      }
      const origin = headers.origin ?? url;
      const form_proof = await key.sign({ origin, sessionId, path, fields });
      return send(port, { path, headers, form: [...fields, ['form_proof', form_proof]] });
    },
    async cookie(owner = { email: EMAIL, password: PASSWORD }) {
      const key = await newBrowserKey();
      const from = { address: '192.0.2.1', device: undefined, browser: 'Firefox on Linux' };
      const signedIn = await service.sessions.signIn({ ...owner, ...from, proofKey: key.publicKey });
      const token = sessionToken(signedIn);
      const found = await service.sessions.find(token);
      if (found === undefined) throw new Error('nobody was signed in');
      const cookie = `${cookieName(dashboardUrl ?? url)}=${token}`;
      browsers.set(cookie, { key, sessionId: found.session.id });
      return cookie;
    },
    browserOf,
  };
}

/** What the page of a request sends with its decision. Empty for other forms. */
export function shownSince(path: string, token: string, atMs: number): Record<string, string> {
  const [, param] = /^\/approvals\/(?:together\/)?([^/]+)\/(?:approve|reject|change)\b/.exec(path) ?? [];
  return param === undefined ? {} : { [SHOWN_FIELD]: shownMark({ token, param }, atMs) };
}

function cookieName(url: string): string {
  return url.startsWith('https:') ? '__Host-countersign' : `countersign-${new URL(url).port}`;
}

async function send(port: number, { method, path, headers = {}, form }: PlainRequest): Promise<PlainAnswer> {
  const body = form === undefined ? '' : new URLSearchParams(pairsOf(form)).toString();
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const length = 'transfer-encoding' in headers ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const answer = await plainRequest(
    {
      host: '127.0.0.1',
      port,
      method: method ?? (form === undefined ? 'GET' : 'POST'),
      path,
      headers: { ...type, ...length, ...headers },
    },
    body,
  );
  return { status: answer.status, headers: answer.headers, body: answer.bytes.toString('utf8') };
}

/** The token in the first form of a page. */
export function formTokenIn(html: string): string {
  return /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? 'none';
}
