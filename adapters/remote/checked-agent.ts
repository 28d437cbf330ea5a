import { Agent, type RequestOptions } from 'node:https';
import { type Duplex, PassThrough } from 'node:stream';
import type { OptionTypes } from '../../core/contract/options.ts';
import { connectTls, type Reach } from './connect.ts';

export interface CheckedAgentOptions {
  /** Hosts that may have a private address. */
  readonly allowPrivateTargets?: readonly string[];
  /** The only certificate authorities to trust, in PEM. Default: Node's. */
  readonly ca?: string;
  /** Returns all addresses of a host. Default: this machine's resolver. */
  readonly addressesOf?: (host: string) => Promise<readonly string[]>;
}

export const AGENT_OPTIONS: OptionTypes<CheckedAgentOptions> = {
  allowPrivateTargets: ['optional', 'object'],
  ca: ['optional', 'string'],
  addressesOf: ['optional', 'function'],
};

export interface LimitedOptions extends RequestOptions {
  /** Also ends a connection that is not open yet. Node does not pass a request's `signal` to its agent. */
  readonly limit?: () => AbortSignal;
}

/** How long an idle connection is kept for the next request to the same host. */
const IDLE_MS = 15_000;
const IDLE_MAX = 64;

/**
 * Opens HTTPS connections to checked addresses only: every address of the host must be public, or the host allowed. It
 * connects to one of the checked addresses, so a DNS answer that changes later has no effect.
 */
export class CheckedAgent extends Agent {
  readonly #reach: Reach;
  readonly #ca: string | undefined;

  constructor({ allowPrivateTargets = [], ca, addressesOf }: CheckedAgentOptions) {
    super({ keepAlive: true, maxFreeSockets: IDLE_MAX, timeout: IDLE_MS, scheduling: 'lifo' });
    const privateTargets = new Set(allowPrivateTargets.map((host) => host.toLowerCase()));
    this.#reach = {
      allowPrivateServers: ({ host }) => privateTargets.has(host.toLowerCase()),
      ...(addressesOf === undefined ? {} : { addressesOf }),
    };
    this.#ca = ca;
  }

  override createConnection(
    { host, port, limit }: LimitedOptions,
    done?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    const server = { host: host ?? '', port: Number(port), ca: this.#ca };
    connectTls(server, this.#reach, limit?.() ?? new AbortController().signal).then(
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
