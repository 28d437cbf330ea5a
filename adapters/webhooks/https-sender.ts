import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { type Duplex, PassThrough } from 'node:stream';
import * as z from 'zod';
import type { WebhookEnd, WebhookRequest, WebhookSender } from '../../core/ports/webhook-sender.ts';
import { certificateTrouble } from '../remote/certificate.ts';
import { connectTls, PrivateServerRefused, type Reach } from '../remote/connect.ts';
import { withTimeLimit } from '../remote/time-limit.ts';

export interface HttpsSenderOptions {
  /** Hosts that may have a private address. */
  readonly allowPrivateTargets?: readonly string[];
  /** The only certificate authorities to trust, in PEM. Default: Node's. */
  readonly ca?: string;
  /** Returns all addresses of a host. Default: this machine's resolver. */
  readonly addressesOf?: (host: string) => Promise<readonly string[]>;
}

/** The most that is read of a response. */
const ANSWER_BYTES_MAX = 16 * 1024;
/** The most interim responses (1xx) before the response. */
const INTERIM_MAX = 16;
/** How long to wait for a response's body. The status counts without it. */
const BODY_MS = 1000;
/** How long an idle connection is kept for the next request to the same host. */
const IDLE_MS = 15_000;
const IDLE_MAX = 64;

/**
 * Posts by HTTP/1.1 over TLS and reuses connections. Checks every address of a host and connects to a checked one, so a
 * DNS answer that changes later has no effect.
 */
export function httpsSender({
  allowPrivateTargets = [],
  ca,
  addressesOf,
}: HttpsSenderOptions = {}): WebhookSender {
  const privateTargets = new Set(allowPrivateTargets.map((host) => host.toLowerCase()));
  const agent = new CheckedAgent(
    {
      allowPrivateServers: ({ host }) => privateTargets.has(host.toLowerCase()),
      ...(addressesOf === undefined ? {} : { addressesOf }),
    },
    ca,
  );
  return {
    async post(sent) {
      return withTimeLimit({ signal: sent.signal, ms: sent.timeLimitMs }, async (limit) => {
        try {
          return await postOnce(sent, agent, limit).catch((error: unknown) => {
            // The receiver closed an idle connection just as it was reused. Better twice than not at all.
            if (!(error instanceof StaleConnection)) throw error;
            return postOnce(sent, agent, limit);
          });
        } catch (error) {
          return { kind: 'unanswered', reason: reasonOf(error, limit) };
        }
      });
    },
    close: async () => agent.destroy(),
  };
}

interface LimitedOptions extends RequestOptions {
  /** Also ends a connection that is not open yet. Node does not pass a request's `signal` to its agent. */
  readonly limit?: AbortSignal;
}

/** Opens connections to checked addresses only. */
class CheckedAgent extends Agent {
  readonly #reach: Reach;
  readonly #ca: string | undefined;

  constructor(reach: Reach, ca: string | undefined) {
    super({ keepAlive: true, maxFreeSockets: IDLE_MAX, timeout: IDLE_MS, scheduling: 'lifo' });
    this.#reach = reach;
    this.#ca = ca;
  }

  override createConnection(
    { host, port, limit }: LimitedOptions,
    done?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    const server = { host: host ?? '', port: Number(port), ca: this.#ca };
    connectTls(server, this.#reach, limit ?? new AbortController().signal).then(
      (socket) => done?.(null, socket),
      (error: unknown) => {
        // Node's type requires a socket beside the error, but Node does not use it.
        const none = new PassThrough();
        done?.(error instanceof Error ? error : new Error('no connection', { cause: error }), none);
      },
    );
    return undefined;
  }
}

class StaleConnection extends Error {}

class NotHttp extends Error {}

function postOnce(
  { url, headers, body }: WebhookRequest,
  agent: Agent,
  limit: AbortSignal,
): Promise<WebhookEnd> {
  return new Promise((resolve, reject) => {
    const options: LimitedOptions = {
      method: 'POST',
      agent,
      signal: limit,
      limit,
      headers: { ...headers, 'content-length': body.length },
    };
    const outgoing: ClientRequest = request(url, options);
    outgoing.once('error', (error) => {
      const isStale = outgoing.reusedSocket && codeOf(error) === 'ECONNRESET';
      reject(isStale ? new StaleConnection('the kept connection was closed', { cause: error }) : error);
    });
    // Node reports no error for an upgraded connection, so this promise would never settle.
    outgoing.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new NotHttp('it switched to another protocol'));
    });
    let interim = 0;
    outgoing.on('information', () => {
      interim += 1;
      if (interim > INTERIM_MAX) outgoing.destroy(new NotHttp('it only sent interim responses'));
    });
    outgoing.once('response', (response) => {
      drain(response);
      resolve({
        kind: 'answered',
        status: response.statusCode ?? 0,
        retryAfter: response.headers['retry-after'] ?? null,
      });
    });
    outgoing.end(body);
  });
}

/**
 * Reads past a short body, so that the connection can be kept. Nobody sees it: what a server inside the network answers
 * is not for whoever named its address. A body that is long, or slow, ends the connection.
 */
function drain(response: IncomingMessage): void {
  let bytes = 0;
  const timer = setTimeout(() => response.destroy(), BODY_MS);
  response.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES_MAX) response.destroy();
  });
  // A connection that ends in the middle of the body changes nothing: the status has counted.
  response.once('error', () => undefined);
  response.once('close', () => clearTimeout(timer));
}

const failure = z.object({ code: z.string(), syscall: z.string().optional() });

function codeOf(error: unknown): string {
  return failure.safeParse(error).data?.code ?? '';
}

/** Whether a DNS query failed: by the system's resolver (`getaddrinfo`), or by Node's (`queryA`). */
function isDnsFailure(error: unknown): boolean {
  return /^(getaddrinfo|query)/.test(failure.safeParse(error).data?.syscall ?? '');
}

const UNREACHABLE = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH']);

function reasonOf(error: unknown, limit: AbortSignal): string {
  if (error instanceof PrivateServerRefused) {
    return 'Its address is private. The operator can allow it with COUNTERSIGN_ALLOW_PRIVATE_TARGETS.';
  }
  const code = codeOf(error);
  const trouble = certificateTrouble(code);
  if (trouble !== undefined) return `Its certificate cannot be verified, because ${trouble}.`;
  if (limit.aborted || code === 'ETIMEDOUT') return 'It did not answer in time.';
  if (code === 'ENOTFOUND') return 'There is no such host.';
  if (isDnsFailure(error)) return 'Its name could not be resolved.';
  if (UNREACHABLE.has(code)) return 'It cannot be reached.';
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return 'It does not speak TLS as it should.';
  if (error instanceof NotHttp || code.startsWith('HPE_')) return 'Its answer is not HTTP.';
  return 'It closed the connection.';
}
