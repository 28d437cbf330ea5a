import http from 'node:http';
import type { Socket } from 'node:net';
import { MailError, type Start, timedOut } from '../../core/ports/mail.ts';
import type { Reader } from '../../core/ports/reader.ts';
import type { Reach } from '../remote/connect.ts';
import { connectionFailure } from '../remote/connection-failure.ts';
import { expectPlainAnswer } from '../remote/plain-answer.ts';
import { raceLimit } from '../remote/time-limit.ts';
import { resolvedUrl } from './address.ts';
import { type Authorization, authorizations } from './authorization.ts';
import { CalendarAgent, connect, type Peer } from './connection.ts';
import { joinedPieces } from './joined-pieces.ts';
import type { SignInCalendarServer } from './settings.ts';
import { failureOf } from './status.ts';

/** The part of a body that is kept if nobody asked for it: enough for a server's report on a change. */
const KEPT_BYTES = 64 * 1024;
const MOST_REDIRECTS = 3;

/** Services that spread accounts over several hosts, which they name in the account's addresses. */
const SPREAD = ['.icloud.com'];

export interface ResponseHead {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
}

export interface DavResponse extends ResponseHead {
  /** In pieces. Only its beginning if nobody asked for it. */
  readonly body: readonly Uint8Array[];
}

/**
 * Asks for the body of a response with a 2xx status. An error that it throws ends the response.
 * @returns how many bytes it may have; a longer one is refused
 */
type AskForBody = (head: ResponseHead) => number;

export interface DavRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request as tsdav hands it to its `fetch`. */
export function davRequest(address: Parameters<typeof fetch>[0], init: RequestInit = {}): DavRequest {
  const { method = 'GET', headers, body } = init;
  return {
    method,
    url: new URL(address instanceof Request ? address.url : address),
    headers: Object.fromEntries(new Headers(headers)),
    body: typeof body === 'string' ? body : '',
  };
}

/**
 * HTTP to the calendar server of one account, and to no other host. The password only goes to the host of the
 * settings, over trusted TLS or within this machine. The size of responses is limited, and the call's limit applies to
 * their time. Compressed responses are refused, because their decoded size is unknown.
 */
export interface CalendarHttp {
  /** Reads the responses. */
  readonly reading: ResponseReading;
  /**
   * Sends a request that changes nothing. Follows redirects within the host. Tries once more if a reused connection had
   * closed in the meantime.
   * @throws MailError unless the status is 2xx, or if the response is too large; errors of `ask`
   */
  query(request: DavRequest, limit: AbortSignal, ask?: AskForBody): Promise<DavResponse>;
  /**
   * Sends a request that changes something, on a new connection. `start` is awaited immediately before its first byte.
   * Returns the response whatever its status, except 401.
   * @throws MailError `outcome_unknown` if it was sent completely and not answered; `refused` if it has no condition,
   * which would overwrite what somebody else wrote
   */
  change(request: DavRequest, start: Start, limit: AbortSignal): Promise<DavResponse>;
  /** There is no connection. */
  isIdle(): boolean;
  close(): void;
}

export interface ResponseReading {
  readonly reader: Reader;
  /** Whose account it is. */
  readonly ownerId: string;
}

/** @param server returns the settings; called for each request, and its result is not kept */
export function calendarHttp(
  server: () => Promise<SignInCalendarServer>,
  reach: Reach,
  reading: ResponseReading,
): CalendarHttp {
  const authorize = authorizations();
  const agents = new Map<string, CalendarAgent>();
  let closed = false;

  async function peerFor(
    request: DavRequest,
    limit: AbortSignal,
  ): Promise<{ peer: Peer; authorization: Authorization }> {
    const { url } = request;
    const settings = await server();
    const { url: own, tlsFingerprint } = settings;
    if (!isSameServer(url, new URL(own))) {
      throw new MailError('refused', 'the calendar server points to a different host, which is not allowed');
    }
    if (closed) throw new MailError('unavailable', 'the connections of this account are closed');
    return { peer: { url, tlsFingerprint }, authorization: await authorize(settings, request, limit) };
  }

  function agentFor(peer: Peer): CalendarAgent {
    const key = `${peer.url.origin} ${peer.tlsFingerprint ?? ''}`;
    const known = agents.get(key);
    if (known !== undefined) return known;
    // A server may name many hosts.
    for (const [other, { isIdle }] of agents) if (isIdle) agents.delete(other);
    const agent = new CalendarAgent(peer, reach);
    agents.set(key, agent);
    return agent;
  }

  async function queryOnce(request: DavRequest, limit: AbortSignal, ask?: AskForBody): Promise<DavResponse> {
    let { peer, authorization } = await peerFor(request, limit);
    let isRepeated = false;
    for (let attempt = 1; ; attempt += 1) {
      const { header } = authorization;
      const sent = send({ ...request, authorization: header, agent: agentFor(peer) }, limit, ask);
      try {
        const response = await sent.response;
        if (response.status !== 401) return response;
        if (isRepeated || !(await mayRepeat(response, authorization))) throw authorization.refusal();
        isRepeated = true;
        ({ peer, authorization } = await peerFor(request, limit));
      } catch (error) {
        if (limit.aborted) throw timedOut();
        if (error instanceof MailError) throw error;
        if (!sent.reused() || attempt > 2) throw connectionFailure('CalDAV', error);
      }
    }
  }

  async function changeOnce(
    request: DavRequest,
    peer: Peer,
    authorization: string,
    start: Start,
    limit: AbortSignal,
  ): Promise<DavResponse> {
    const socket = await connect(peer, reach, limit).catch((error: unknown) => {
      throw error instanceof MailError ? error : connectionFailure('CalDAV', error);
    });
    // The request reports the failure.
    socket.on('error', () => undefined);
    try {
      if (!(await start())) throw new MailError('not_started', 'cancelled before it started');
      if (limit.aborted) throw timedOut();
      if (!socket.writable) throw connectionFailure('CalDAV', undefined);
      const sent = send({ ...request, authorization, socket }, limit);
      return await sent.response.catch((error: unknown) => {
        if (!sent.isFullySent()) throw limit.aborted ? timedOut() : connectionFailure('CalDAV', error);
        const lost = 'the connection to the calendar server was lost during a change';
        throw new MailError('outcome_unknown', lost, { cause: error });
      });
    } finally {
      socket.destroy();
    }
  }

  return {
    reading,

    async query(request, limit, ask) {
      let { url } = request;
      for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
        if (limit.aborted) throw timedOut();
        const response = await queryOnce({ ...request, url }, limit, ask);
        const { location } = response.headers;
        if (response.status < 300 || response.status > 399 || location === undefined) {
          if (response.status < 200 || response.status > 299) throw failureOf(response.status);
          return response;
        }
        const next = resolvedUrl(location, url);
        if (next === undefined) break;
        if (next.origin !== url.origin) {
          throw new MailError(
            'refused',
            'the calendar server redirects to a different host, which is not allowed',
          );
        }
        url = next;
      }
      throw new MailError('refused', 'the calendar server redirects too many times');
    },

    async change(request, start, limit) {
      const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
      // tsdav sends none for an empty ETag.
      if (!ifMatch && !ifNoneMatch)
        throw new MailError('refused', 'the calendar server does not report the version of an object');
      if (limit.aborted) throw timedOut();
      let isStarted = false;
      const startOnce = async () => {
        isStarted ||= await start();
        return isStarted;
      };
      let { peer, authorization } = await peerFor(request, limit);
      let response = await changeOnce(request, peer, authorization.header, startOnce, limit);
      // A server that answers 401 has changed nothing.
      if (await mayRepeat(response, authorization)) {
        ({ peer, authorization } = await peerFor(request, limit));
        response = await changeOnce(request, peer, authorization.header, startOnce, limit);
      }
      if (response.status === 401) throw authorization.refusal();
      return response;
    },

    isIdle: () => [...agents.values()].every(({ isIdle }) => isIdle),

    close() {
      closed = true;
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

/** Whether the request was refused for its authorization, and there is a better one now. */
async function mayRepeat({ status, headers }: ResponseHead, authorization: Authorization): Promise<boolean> {
  return status === 401 && authorization.refused(headers['www-authenticate'] ?? '');
}

function isSameServer(url: URL, own: URL): boolean {
  if (url.origin === own.origin) return true;
  const bothIn = (domain: string) => url.hostname.endsWith(domain) && own.hostname.endsWith(domain);
  const secure = url.protocol === 'https:' && url.port === '' && own.protocol === 'https:';
  return secure && SPREAD.some(bothIn);
}

interface Sent {
  readonly response: Promise<DavResponse>;
  /** The connection was used before. */
  reused(): boolean;
  /** All of the request was sent. */
  isFullySent(): boolean;
}

function send(
  request: DavRequest & { authorization: string } & ({ agent: CalendarAgent } | { socket: Socket }),
  signal: AbortSignal,
  ask?: AskForBody,
): Sent {
  const { url, method, headers, body, authorization } = request;
  const sending = http.request({
    // The connection exists already, or the agent creates it: this only becomes the Host header and the agent's key.
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? undefined : Number(url.port),
    path: url.pathname + url.search,
    method,
    headers: {
      ...headers,
      host: url.host,
      authorization,
      'accept-encoding': 'identity',
      'user-agent': 'countersign',
      ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }),
    },
    ...('agent' in request ? { agent: request.agent } : { createConnection: () => request.socket }),
  });
  const answered = new Promise<DavResponse>((resolve, reject) => {
    sending.on('error', reject);
    expectPlainAnswer(sending);
    sending.once('response', (incoming) => {
      received(incoming, ask).then(resolve, (error: unknown) => {
        reject(error);
        // A response that is refused before its end would keep its connection.
        incoming.destroy();
      });
    });
  });
  let isFullySent = false;
  sending.once('finish', () => {
    isFullySent = true;
  });
  sending.end(body);
  // Node reports the end of a request only once it has a connection, and others may have taken them all.
  const response = raceLimit(signal, answered, () => sending.destroy());
  // If nobody waits any more, a different error was reported.
  response.catch(() => undefined);
  return { response, reused: () => sending.reusedSocket, isFullySent: () => isFullySent };
}

async function received(response: http.IncomingMessage, ask: AskForBody | undefined): Promise<DavResponse> {
  const { statusCode: status = 0, headers } = response;
  const isGood = status >= 200 && status <= 299;
  const mostBytes = ask !== undefined && isGood ? ask({ status, headers }) : undefined;
  if (mostBytes !== undefined && !/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')) {
    throw new MailError(
      'refused',
      'the calendar server compresses its responses, although Countersign did not allow it',
    );
  }
  const body = joinedPieces();
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (mostBytes !== undefined && bytes > mostBytes)
      throw new MailError('refused', 'the response of the calendar server is too large');
    body.add(chunk);
    if (mostBytes === undefined && bytes > KEPT_BYTES) break;
  }
  return { status, headers, body: body.all() };
}
