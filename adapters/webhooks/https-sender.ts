import type { ClientRequest, IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import * as z from 'zod';
import { checkOptions } from '../../core/contract/options.ts';
import type { WebhookEnd, WebhookRequest, WebhookSender } from '../../core/ports/webhook-sender.ts';
import { certificateTrouble } from '../remote/certificate.ts';
import {
  AGENT_OPTIONS,
  CheckedAgent,
  type CheckedAgentOptions,
  type LimitedOptions,
} from '../remote/checked-agent.ts';
import { PrivateServerRefused } from '../remote/connect.ts';
import { expectPlainAnswer, NotHttp } from '../remote/plain-answer.ts';

export type { CheckedAgentOptions } from '../remote/checked-agent.ts';

/** The most that is read of a response. */
const ANSWER_BYTES_MAX = 16 * 1024;
/** How long to wait for a response's body. The status counts without it. */
const BODY_MS = 1000;

/**
 * Posts by HTTP/1.1 over TLS and reuses connections. Checks every address of a host and connects to a checked one, so a
 * DNS answer that changes later has no effect.
 */
export function httpsSender(options: CheckedAgentOptions = {}): WebhookSender {
  checkOptions('httpsSender', options, AGENT_OPTIONS);
  const agent = new CheckedAgent(options);
  return {
    async post(sent) {
      const limit = new AttemptLimit(sent);
      try {
        return await postOnce(sent, agent, limit).catch((error: unknown) => {
          // The receiver closed an idle connection just as it was reused. Better twice than not at all.
          if (!(error instanceof StaleConnection)) throw error;
          return postOnce(sent, agent, limit);
        });
      } catch (error) {
        return { kind: 'unanswered', reason: reasonOf(error, limit) };
      } finally {
        limit.remove();
      }
    },
    close: async () => agent.destroy(),
  };
}

class StaleConnection extends Error {}

class OutOfTime extends Error {}

/**
 * What ends an attempt: its time limit, or the caller's signal. Creates an AbortSignal only for a new connection, because
 * most requests reuse one, and the signals would cost a fifth of the request.
 */
class AttemptLimit {
  readonly #callerSignal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #end = () => this.#reach();
  #connecting: AbortController | undefined;
  #stop: (() => void) | undefined;
  isReached = false;

  constructor({ signal, timeLimitMs }: Pick<WebhookRequest, 'signal' | 'timeLimitMs'>) {
    this.#callerSignal = signal;
    this.#timer = setTimeout(this.#end, timeLimitMs);
    signal.addEventListener('abort', this.#end, { once: true });
    if (signal.aborted) this.#reach();
  }

  /** Calls `stop` at the limit, or at once if it is reached. Replaces the previous one. */
  onReached(stop: () => void): void {
    this.#stop = stop;
    if (this.isReached) stop();
  }

  /** A signal that aborts at the limit. */
  signal(): AbortSignal {
    this.#connecting ??= new AbortController();
    if (this.isReached) this.#connecting.abort();
    return this.#connecting.signal;
  }

  remove(): void {
    clearTimeout(this.#timer);
    this.#callerSignal.removeEventListener('abort', this.#end);
  }

  #reach(): void {
    this.isReached = true;
    this.#connecting?.abort();
    this.#stop?.();
  }
}

function postOnce(
  { url, headers, body }: WebhookRequest,
  agent: Agent,
  limit: AttemptLimit,
): Promise<WebhookEnd> {
  return new Promise((resolve, reject) => {
    const options: LimitedOptions = {
      method: 'POST',
      agent,
      limit: () => limit.signal(),
      headers: { ...headers, 'content-length': body.length },
    };
    const outgoing: ClientRequest = request(url, options);
    limit.onReached(() => outgoing.destroy(new OutOfTime('the attempt was ended')));
    outgoing.once('error', (error) => {
      const isStale = outgoing.reusedSocket && codeOf(error) === 'ECONNRESET';
      reject(isStale ? new StaleConnection('the kept connection was closed', { cause: error }) : error);
    });
    expectPlainAnswer(outgoing);
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
 * Reads and drops a short body, so that the connection can be kept. Nobody gets to see it: an owner must not learn what
 * a server inside the network answers. A long or slow body ends the connection.
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

function reasonOf(error: unknown, limit: AttemptLimit): string {
  if (error instanceof PrivateServerRefused) {
    return 'Its address is private. The operator can allow it with COUNTERSIGN_ALLOW_PRIVATE_TARGETS.';
  }
  const code = codeOf(error);
  const trouble = certificateTrouble(code);
  if (trouble !== undefined) return `Its certificate cannot be verified, because ${trouble}.`;
  if (limit.isReached || code === 'ETIMEDOUT') return 'It did not answer in time.';
  if (code === 'ENOTFOUND') return 'There is no such host.';
  if (isDnsFailure(error)) return 'Its name could not be resolved.';
  if (UNREACHABLE.has(code)) return 'It cannot be reached.';
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return 'It does not speak TLS as it should.';
  if (error instanceof NotHttp || code.startsWith('HPE_')) return 'Its answer is not HTTP.';
  return 'It closed the connection.';
}
