import http from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { isTrusted, tlsOptions, UntrustedCertificate } from '../remote/certificate.ts';

const CONNECT_MS = 20_000;
/** Less than servers wait for the next request: 5 s is Node's own, and the least that is common. */
const IDLE_MS = 4000;

/** Where a connection goes, and the certificate that is pinned there, if one is. */
export interface Peer {
  readonly url: URL;
  readonly tlsFingerprint: string | undefined;
}

/** A connection over which a password may be sent: TLS is there and trusted, or the other end is this machine. */
export function connect({ url, tlsFingerprint }: Peer): Promise<net.Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return new Promise((resolve, reject) => {
    const ready = () => {
      socket.setTimeout(0);
      socket.off('error', reject);
      resolve(socket);
    };
    const secured = (): void => {
      if (socket instanceof tls.TLSSocket && !isTrusted(socket, { host, tlsFingerprint })) {
        socket.destroy(new UntrustedCertificate());
        return;
      }
      ready();
    };
    const socket: net.Socket = secure
      ? tls.connect({ port, ...tlsOptions({ host, tlsFingerprint }) }, secured)
      : net.connect({ host, port }, ready);
    socket.setNoDelay(true);
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('TIMEOUT')));
    socket.once('error', reject);
  });
}

/** Connections to one server that are used again. */
export class CalendarAgent extends http.Agent {
  readonly #peer: Peer;

  constructor(peer: Peer) {
    super({ keepAlive: true, maxSockets: 4, timeout: IDLE_MS });
    this.#peer = peer;
  }

  override createConnection(
    _options: http.ClientRequestArgs,
    done?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    connect(this.#peer).then(
      (socket) => done?.(null, socket),
      (error: unknown) =>
        done?.(error instanceof Error ? error : new Error('no connection'), new net.Socket()),
    );
    return undefined;
  }
}
