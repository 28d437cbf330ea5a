import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { errorName } from '../../../core/ports/log.ts';
import type { RequestsNow } from '../../../core/requests/request-watch.ts';
import type { Service } from '../../../core/service/service.ts';
import { declineUpgrades, ignoreUpgrade } from '../../http/ignored-upgrade.ts';
import { responseText } from '../../http/last-response.ts';
import { leakedKeys, revokeLeakedKeys } from '../../http/leaked-keys.ts';
import { publicBase } from '../../http/public-base.ts';
import { headerOf, headOf, targetOf } from '../../http/request-head.ts';
import { transportSecurity } from '../../http/transport-security.ts';
import { dashboardCookies } from '../cookies.ts';
import { appOwnerId } from '../owners/app-session.ts';
import { sessionOf } from '../owners/session.ts';
import { checkRequest } from '../request-guard.ts';
import type { DashboardOptions } from '../visit.ts';
import { ENDED_CODE, type LiveMessage, SOCKET_PATH } from './live-protocol.ts';

/** The sockets of open pages. They carry how many requests wait and a version, and read nothing. */
export interface LivePages {
  /**
   * Takes the upgrade requests of the dashboard's own path. Leaves those of other paths to the server's other listeners.
   * If there are none, a WebSocket of another path is refused, and any other request is answered as if it asked for no
   * upgrade. Both end their connection.
   */
  attachUpgrade(server: HttpServer | HttpsServer): void;
}

/** The limits of one process. */
export interface LiveLimits {
  readonly perOwner: number;
  readonly total: number;
  /** Between two checks whether the sessions still last. A signed-out page is cut off within that time. */
  readonly checkMs: number;
  /** Between two pings. A socket that has not answered by the next one is cut off. */
  readonly pingMs: number;
  /** For the other side to confirm the end of a socket. */
  readonly closeMs: number;
  /** Of frames that wait for a slow reader. */
  readonly unsentBytes: number;
}

const LIMITS: LiveLimits = {
  // Open tabs and devices of one person.
  perOwner: 20,
  // Below the connections that the bundled server accepts, so that pages still load.
  total: 200,
  checkMs: 5000,
  pingMs: 30_000,
  closeMs: 1000,
  // Frames have 60 bytes, and the system buffers more than this.
  unsentBytes: 16 * 1024,
};

/** Codes of RFC 6455, 7.4.1. */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

/** What the sockets share with the pages. */
export interface LiveOptions extends Pick<DashboardOptions, 'log'> {
  /** The app's session of a request, instead of Countersign's own. */
  readonly session?: (request: IncomingMessage) => unknown;
  /** The path below which requests arrive. Default: the path of the dashboard's URL. */
  readonly basePath?: string;
}

interface Page {
  readonly socket: WebSocket;
  readonly ownerId: string;
  /** The request that opened the socket. Its cookie shows whose session it is. */
  readonly request: IncomingMessage;
  hasAnswered: boolean;
}

/** @param limits  for tests */
export function livePages(
  service: Service,
  { session, basePath, log }: LiveOptions = {},
  limits: LiveLimits = LIMITS,
): LivePages {
  const base = publicBase(service.dashboardUrl);
  const path = `${basePath ?? base.path('')}${SOCKET_PATH}`;
  const cookies = dashboardCookies(service.dashboardUrl);
  const secureTransport = transportSecurity(service.dashboardUrl);
  const pages = new Set<Page>();
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // Pages send nothing. One byte lets `message` report those that do.
    maxPayload: 1,
    // A stranger's pings would fill the buffer of a socket that nobody reads.
    autoPong: false,
  });

  /** Undefined: nobody is signed in, or no longer. */
  async function ownerOf(request: IncomingMessage): Promise<string | undefined> {
    if (session !== undefined) return appOwnerId(service, () => session(request));
    return (await sessionOf({ service, head: headOf(request), cookies }))?.owner.ownerId;
  }

  /** Returns the owner, or the status of the refusal. */
  async function admit(request: IncomingMessage): Promise<string | number> {
    const head = headOf(request);
    const leaked = leakedKeys(head.target);
    await revokeLeakedKeys(service, leaked);
    const verdict = checkRequest(head, service.dashboardUrl);
    if (verdict.kind === 'misdirected') return 421;
    // Browsers send the Origin of every socket. A page of another origin, or a program, gets none.
    if (verdict.kind === 'foreign' || headerOf(head, 'origin') !== verdict.origin) return 403;
    if (leaked.length > 0) return 400;
    return (await ownerOf(request)) ?? 401;
  }

  function isFull(ownerId: string): boolean {
    if (pages.size >= limits.total) return true;
    return [...pages].filter((page) => page.ownerId === ownerId).length >= limits.perOwner;
  }

  async function take(request: IncomingMessage, socket: Duplex, start: Buffer): Promise<void> {
    const admitted = await admit(request);
    if (typeof admitted === 'number') refuse(socket, admitted);
    else if (isFull(admitted)) refuse(socket, 503);
    else webSockets.handleUpgrade(request, socket, start, (opened) => open(opened, admitted, request));
  }

  function refuse(socket: Duplex, status: number): void {
    const headers = { 'Cache-Control': 'no-store', ...secureTransport };
    socket.end(responseText({ status, headers, body: '' }), () => socket.destroy());
  }

  function refuseOther(
    server: HttpServer | HttpsServer,
    request: IncomingMessage,
    socket: Duplex,
    start: Buffer,
  ): void {
    if (!isWebSocket(request)) {
      ignoreUpgrade(server, request, socket, start);
      return;
    }
    // The caller left.
    socket.on('error', () => socket.destroy());
    refuse(socket, 404);
  }

  function open(socket: WebSocket, ownerId: string, request: IncomingMessage): void {
    const page: Page = { socket, ownerId, request, hasAnswered: true };
    const frames = createFrames(page);
    pages.add(page);
    const unwatch = service.approvals.watch(ownerId, {
      changed: frames.put,
      ended: () => end(page, GOING_AWAY),
    });
    const rounds = [setInterval(check, limits.checkMs, page), setInterval(ping, limits.pingMs, page)];
    for (const round of rounds) round.unref();
    socket.once('close', () => {
      for (const round of rounds) clearInterval(round);
      unwatch();
      pages.delete(page);
    });
    // After a bad frame, `ws` closes the socket by itself.
    socket.on('error', () => undefined);
    socket.on('pong', () => {
      page.hasAnswered = true;
    });
    socket.on('ping', () => end(page, POLICY_VIOLATION));
    socket.on('message', () => end(page, POLICY_VIOLATION));
  }

  /** Ends the socket if its session has ended. */
  function check(page: Page): void {
    isSignedIn(page).then(
      (isIt) => isIt || end(page, ENDED_CODE),
      // Storage is unavailable, so there is nothing to send either. The next check tries again.
      (error: unknown) => log?.warn('the session of an open page could not be checked', errorName(error)),
    );
  }

  async function isSignedIn({ request, ownerId }: Page): Promise<boolean> {
    return (await ownerOf(request)) === ownerId;
  }

  function ping(page: Page): void {
    if (!page.hasAnswered) {
      page.socket.terminate();
      return;
    }
    page.hasAnswered = false;
    page.socket.ping();
  }

  /** Sends the newest state only, and only while the session lasts. */
  function createFrames(page: Page): { put(now: RequestsNow): void } {
    const { socket } = page;
    let next: RequestsNow | undefined;
    let isSending = false;
    async function send(): Promise<void> {
      isSending = true;
      while (next !== undefined) {
        if (!(await isSignedIn(page))) return end(page, ENDED_CODE);
        if (socket.bufferedAmount > limits.unsentBytes) return socket.terminate();
        const message: LiveMessage = { waiting: next.waiting, version: next.version };
        socket.send(JSON.stringify(message));
        next = undefined;
      }
      isSending = false;
    }
    return {
      put(now) {
        next = now;
        // The page connects again and gets the change then.
        if (!isSending) send().catch(() => end(page, TRY_AGAIN_LATER));
      },
    };
  }

  function end({ socket }: Page, code: number): void {
    socket.close(code);
    setTimeout(() => socket.terminate(), limits.closeMs).unref();
  }

  return {
    attachUpgrade(server) {
      const isOurs = (request: IncomingMessage) => targetOf(headOf(request)).path === path;
      const isAlone = () => server.listenerCount('upgrade') === 1;
      declineUpgrades(server, (request) => isAlone() && !isWebSocket(request) && !isOurs(request));
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, start: Buffer) => {
        if (!isOurs(request)) {
          if (isAlone()) refuseOther(server, request, socket, start);
          return;
        }
        // The caller left.
        socket.on('error', () => socket.destroy());
        take(request, socket, start).catch((error: unknown) => {
          log?.error('an open page could not be connected', errorName(error));
          refuse(socket, 503);
        });
      });
    },
  };
}

function isWebSocket(request: IncomingMessage): boolean {
  return headerOf(headOf(request), 'upgrade')?.toLowerCase() === 'websocket';
}
