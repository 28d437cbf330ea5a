import http from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { connectTls, connectTo, type Reach } from '../remote/connect.ts';

/** Less than the time that servers wait for the next request. The shortest common one is Node's own, 5 s. */
const IDLE_MS = 4000;

/** The target of a connection, and its pinned certificate, if any. */
export interface Peer {
  readonly url: URL;
  readonly tlsFingerprint: string | undefined;
}

/** Opens a connection that may carry a password: over trusted TLS, or to this machine. */
export function connect(
  { url, tlsFingerprint }: Peer,
  reach: Reach,
  limit: AbortSignal,
): Promise<net.Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return (secure ? connectTls : connectTo)({ host, port, tlsFingerprint }, reach, limit);
}

/** Reused connections to one server. */
export class CalendarAgent extends http.Agent {
  readonly #peer: Peer;
  readonly #reach: Reach;
  readonly #end = new AbortController();
  #opening = 0;

  constructor(peer: Peer, reach: Reach) {
    super({ keepAlive: true, maxSockets: 4, timeout: IDLE_MS });
    this.#peer = peer;
    this.#reach = reach;
  }

  /** It has no connection, and opens none. */
  get isIdle(): boolean {
    if (this.#opening > 0) return false;
    // Node keeps an empty list if a connection fails.
    const lists: readonly (readonly unknown[] | undefined)[] = [
      ...Object.values(this.sockets),
      ...Object.values(this.freeSockets),
      ...Object.values(this.requests),
    ];
    return lists.every((one) => one === undefined || one.length === 0);
  }

  override destroy(): void {
    this.#end.abort();
    super.destroy();
  }

  override createConnection(
    _options: http.ClientRequestArgs,
    done?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    this.#opening += 1;
    connect(this.#peer, this.#reach, this.#end.signal)
      .finally(() => {
        this.#opening -= 1;
      })
      .then(
        (socket) => done?.(null, socket),
        (error: unknown) =>
          done?.(error instanceof Error ? error : new Error('no connection'), new net.Socket()),
      );
    return undefined;
  }
}
