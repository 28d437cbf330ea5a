import http from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { connectTls, connectTo, type Reach } from '../remote/connect.ts';

/** Less than servers wait for the next request: 5 s is Node's own, and the least that is common. */
const IDLE_MS = 4000;

/** Where a connection goes, and the certificate that is pinned there, if one is. */
export interface Peer {
  readonly url: URL;
  readonly tlsFingerprint: string | undefined;
}

/** A connection over which a password may be sent: TLS is there and trusted, or the other end is this machine. */
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

/** Connections to one server that are used again. */
export class CalendarAgent extends http.Agent {
  readonly #peer: Peer;
  readonly #reach: Reach;
  readonly #end = new AbortController();

  constructor(peer: Peer, reach: Reach) {
    super({ keepAlive: true, maxSockets: 4, timeout: IDLE_MS });
    this.#peer = peer;
    this.#reach = reach;
  }

  override destroy(): void {
    this.#end.abort();
    super.destroy();
  }

  override createConnection(
    _options: http.ClientRequestArgs,
    done?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    connect(this.#peer, this.#reach, this.#end.signal).then(
      (socket) => done?.(null, socket),
      (error: unknown) =>
        done?.(error instanceof Error ? error : new Error('no connection'), new net.Socket()),
    );
    return undefined;
  }
}
