import http from 'node:http';
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { MailError, type Start } from '../../core/ports/mail.ts';
import type { Reach } from '../remote/connect.ts';
import { connectionFailure } from '../remote/connection-failure.ts';
import { outOfTime } from '../remote/time-limit.ts';
import { CalendarAgent, connect, type Peer } from './connection.ts';
import type { CalendarServer } from './settings.ts';
import { failureOf, writeFailureOf } from './status.ts';

/** What is kept of a body that nobody reads as it comes: enough to see what a server says of a change. */
const KEPT_BYTES = 64 * 1024;
const MOST_REDIRECTS = 3;

/** Servers that spread the accounts over hosts of their own, and name these in the account's addresses. */
const SPREAD = ['.icloud.com'];

export interface AnswerHead {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
}

interface Answer extends AnswerHead {
  /** Its beginning; empty where it was read as it came. */
  readonly body: string;
}

/** Takes a body as it comes. What it throws ends the answer. */
export interface BodySink {
  /** A longer body is refused. */
  readonly mostBytes: number;
  write(text: string): void;
  end(): void;
}

/** Asked for each answer with a status of 2xx. */
type BodyReader = (head: AnswerHead) => BodySink;

export interface Question {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Speaks HTTP with one account's calendar server, and with nobody else: the password goes to the host of the
 * settings only, over TLS that is trusted or within this machine. Answers are bounded in bytes, and by the limit of
 * the call in time; compressed ones are refused, because nobody can tell what comes out of them.
 */
export interface CalendarHttp {
  /**
   * A question that changes nothing. Redirects are followed within the host. Asked once more where a connection that
   * was kept had ended meanwhile.
   * @throws MailError unless the status is 2xx, and when the answer is larger than it may be; what `read` throws
   */
  ask(question: Question, limit: AbortSignal, read?: BodyReader): Promise<Answer>;
  /**
   * A request that changes something, on a connection of its own; `start` is awaited immediately before its first byte.
   * @throws MailError `outcome_unknown` where it was sent to its end and not answered, else as `status.ts` says
   */
  change(request: Question, start: Start, limit: AbortSignal): Promise<Answer>;
  close(): void;
}

/** @param server the settings, asked for each request and not kept */
export function calendarHttp(server: () => Promise<CalendarServer>, reach: Reach): CalendarHttp {
  const agents = new Map<string, CalendarAgent>();
  let closed = false;

  async function peerFor(url: URL): Promise<{ peer: Peer; authorization: string }> {
    const { url: own, user, pass, tlsFingerprint } = await server();
    if (!isSameServer(url, new URL(own))) {
      throw new MailError('refused', 'the calendar server points to another host, which is not followed');
    }
    if (closed) throw new MailError('unavailable', 'the connections of this account were ended');
    const authorization = `Basic ${Buffer.from(`${user}:${pass}`, 'utf8').toString('base64')}`;
    return { peer: { url, tlsFingerprint }, authorization };
  }

  function agentFor(peer: Peer): CalendarAgent {
    const key = `${peer.url.origin} ${peer.tlsFingerprint ?? ''}`;
    const agent = agents.get(key) ?? new CalendarAgent(peer, reach);
    agents.set(key, agent);
    return agent;
  }

  async function askOnce(question: Question, limit: AbortSignal, read?: BodyReader): Promise<Answer> {
    const { peer, authorization } = await peerFor(question.url);
    for (let attempt = 1; ; attempt += 1) {
      const sent = send({ ...question, authorization, agent: agentFor(peer) }, limit, read);
      try {
        return await sent.answer;
      } catch (error) {
        if (limit.aborted) throw outOfTime();
        if (error instanceof MailError) throw error;
        if (!sent.reused() || attempt > 2) throw connectionFailure('CalDAV', error);
      }
    }
  }

  return {
    async ask(question, limit, read) {
      let { url } = question;
      for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
        if (limit.aborted) throw outOfTime();
        const answer = await askOnce({ ...question, url }, limit, read);
        const { location } = answer.headers;
        if (answer.status < 300 || answer.status > 399 || location === undefined) {
          if (answer.status < 200 || answer.status > 299) throw failureOf(answer.status);
          return answer;
        }
        if (!URL.canParse(location, url)) break;
        const next = new URL(location, url);
        if (next.origin !== url.origin) {
          throw new MailError(
            'refused',
            'the calendar server redirects to another host, which is not followed',
          );
        }
        url = next;
      }
      throw new MailError('refused', 'the calendar server redirects without end');
    },

    async change(request, start, limit) {
      if (limit.aborted) throw outOfTime();
      const { peer, authorization } = await peerFor(request.url);
      const socket = await connect(peer, reach, limit).catch((error: unknown) => {
        throw error instanceof MailError ? error : connectionFailure('CalDAV', error);
      });
      // What becomes of it is told by the request.
      socket.on('error', () => undefined);
      try {
        if (!(await start())) throw new MailError('not_started', 'it was not to be started any more');
        if (limit.aborted) throw outOfTime();
        if (!socket.writable) throw connectionFailure('CalDAV', undefined);
        const sent = send({ ...request, authorization, socket }, limit);
        const answer = await sent.answer.catch((error: unknown) => {
          if (!sent.whole()) throw limit.aborted ? outOfTime() : connectionFailure('CalDAV', error);
          throw new MailError(
            'outcome_unknown',
            'the connection to the calendar server was lost during a change',
            {
              cause: error,
            },
          );
        });
        const failure = writeFailureOf(answer.status, answer.body);
        if (failure !== undefined) throw failure;
        return answer;
      } finally {
        socket.destroy();
      }
    },

    close() {
      closed = true;
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

function isSameServer(url: URL, own: URL): boolean {
  if (url.origin === own.origin) return true;
  const bothIn = (domain: string) => url.hostname.endsWith(domain) && own.hostname.endsWith(domain);
  const secure = url.protocol === 'https:' && url.port === '' && own.protocol === 'https:';
  return secure && SPREAD.some(bothIn);
}

interface Sent {
  readonly answer: Promise<Answer>;
  /** The connection had been used before. */
  reused(): boolean;
  /** All of the request left this process. */
  whole(): boolean;
}

function send(
  request: Question & { authorization: string } & ({ agent: CalendarAgent } | { socket: Socket }),
  signal: AbortSignal,
  read?: BodyReader,
): Sent {
  const { url, method, headers, body, authorization } = request;
  const asked = http.request({
    // The connection is there already, or made by the agent: this only becomes the Host header and the agent's key.
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? undefined : Number(url.port),
    path: url.pathname + url.search,
    method,
    signal,
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
  const answer = new Promise<Answer>((resolve, reject) => {
    asked.once('error', reject);
    // Node ends such a connection without an error, and nothing more would come.
    asked.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('the server changed to another protocol'));
    });
    asked.once('response', (response) => {
      received(response, read).then(resolve, reject);
    });
  });
  let whole = false;
  asked.once('finish', () => {
    whole = true;
  });
  // Whoever stops waiting for it has another error to tell.
  answer.catch(() => undefined);
  asked.end(body);
  return { answer, reused: () => asked.reusedSocket, whole: () => whole };
}

async function received(response: http.IncomingMessage, read: BodyReader | undefined): Promise<Answer> {
  const { statusCode: status = 0, headers } = response;
  const isGood = status >= 200 && status <= 299;
  const sink = read !== undefined && isGood ? read({ status, headers }) : undefined;
  if (sink !== undefined && !/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')) {
    throw new MailError('refused', 'the calendar server compresses its answers, which it was not asked to');
  }
  const decoder = new StringDecoder('utf8');
  let body = '';
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    const text = decoder.write(chunk);
    if (sink === undefined) {
      body += text;
      if (bytes > KEPT_BYTES) break;
    } else {
      if (bytes > sink.mostBytes)
        throw new MailError('refused', 'the answer of the calendar server is too large');
      sink.write(text);
    }
  }
  sink?.write(decoder.end());
  sink?.end();
  return { status, headers, body };
}
