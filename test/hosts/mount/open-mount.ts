import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { LogFields } from '../../../core/ports/log.ts';
import { MINUTE_MS } from '../../../core/time/durations.ts';
import { shownMark } from '../../../hosts/dashboard/forms/shown-since.tsx';
import type { AppSession } from '../../../hosts/dashboard/owners/app-session.ts';
import { type NodeHandlerOptions, nodeHandler } from '../../../hosts/node/node-handler.ts';
import { openTestService, type TestKey, type TestService } from '../../open-service.ts';

/** An app with Countersign below a path, and its own sign-in. The cookie `app` names the session. */
export interface MountedApp extends TestService {
  readonly origin: string;
  /** The address of the mount. */
  readonly url: string;
  readonly key: TestKey;
  /** The sessions of the app, by its cookie. A function replaces the whole hook. */
  readonly sessions: Map<string, AppSession | (() => unknown)>;
  readonly logged: (readonly [message: string, fields: LogFields | undefined])[];
  /** What the app does with a request. Default: everything goes to the mount. */
  answerWith(listener: (mount: RequestListener) => RequestListener): void;
}

export const BASE = '/countersign';

export async function openMount(
  options: NodeHandlerOptions = {},
  { base = BASE, ownSignIn = false }: { base?: string; ownSignIn?: boolean } = {},
): Promise<MountedApp> {
  let listener: RequestListener = () => {};
  const server = createServer((req, res) => listener(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const url = `${origin}${base}`;
  const opened = await openTestService({ baseUrl: url, dashboardUrl: url });
  const sessions: MountedApp['sessions'] = new Map();
  const logged: [string, LogFields | undefined][] = [];
  const note = (message: string, fields?: LogFields) => void logged.push([message, fields]);
  const session = (req: IncomingMessage) => {
    const found = sessions.get(/app=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1] ?? '') ?? null;
    return (typeof found === 'function' ? found() : found) as AppSession | null;
  };
  const mount = nodeHandler(opened.service, {
    ...(ownSignIn ? {} : { session, signInUrl: '/login', stepUpUrl: '/confirm' }),
    log: { info: note, warn: note, error: note },
    ...options,
  });
  listener = mount;
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await opened.service.stop();
  });
  return {
    ...opened,
    origin,
    url,
    key: await opened.addKey('full'),
    sessions,
    logged,
    answerWith(between) {
      listener = between(mount);
    },
  };
}

/** Signs a user of the app in. @returns the Cookie header */
export function signInToApp(app: MountedApp, changes: Partial<AppSession> = {}): string {
  const cookie = `c${app.sessions.size}`;
  const authenticatedAt = app.clock.now();
  app.sessions.set(cookie, {
    ownerId: app.ownerId,
    sessionId: `secret-${cookie}`,
    authenticatedAt,
    ...changes,
  });
  return `app=${cookie}`;
}

/** Requests a send that has to wait. @returns the approval's id */
export async function fileSend(app: MountedApp): Promise<string> {
  const outcome = await app.key.call('send_email', {
    to: ['ada@example.net'],
    subject: 'Hello',
    body: 'Hello Ada',
  });
  if (outcome.status !== 'pending_approval') throw new Error(`it does not wait: ${JSON.stringify(outcome)}`);
  return outcome.approval.id;
}

/** Requests without following redirects. */
export function request(app: MountedApp, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${app.origin}${path}`, { redirect: 'manual', ...init });
}

/** Sends the form of a page: its fields, and the button's path. */
export async function sendForm(
  app: MountedApp,
  cookie: string,
  page: string,
  action: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const html = await (await request(app, page, { headers: { cookie } })).text();
  const fields: Record<string, string> = Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(form_token|digest|shown|proving)" value="([^"]*)"/g)].map(
      ([, name, value]) => [name ?? '', value ?? ''],
    ),
  );
  const { form_token: token = '', shown } = fields;
  const param = page.split('?')[0]?.split('/').at(-1) ?? '';
  // As if the page had been open for a minute.
  if (shown !== undefined) fields.shown = shownMark({ token, param }, Number.parseInt(shown, 36) - MINUTE_MS);
  return request(app, action, {
    method: 'POST',
    headers: { cookie, origin: app.origin },
    body: new URLSearchParams({ ...fields, ...changes }),
  });
}
