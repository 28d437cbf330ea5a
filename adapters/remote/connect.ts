import { lookup } from 'node:dns/promises';
import net, { type LookupFunction } from 'node:net';
import tls from 'node:tls';
import { MailError } from '../../core/ports/mail.ts';
import { isTrusted, type TlsServer, tlsOptions, UntrustedCertificate } from './certificate.ts';
import { paceReads } from './paced-reads.ts';
import { isPublicAddress } from './public-address.ts';
import { raceLimit, withTimeLimit } from './time-limit.ts';

/** For TCP and, if it comes first, TLS. */
const CONNECT_MS = 20_000;
/** For one address, before the next is tried. */
const ATTEMPT_MS = 1000;

/** A server that an account names, and one of its current addresses. */
export interface PrivateServer {
  readonly host: string;
  readonly address: string;
}

/**
 * Whether account servers may have addresses outside the public internet: loopback, private networks, link-local,
 * metadata services. Either for all of them, or decided for each connection.
 */
export type AllowPrivateServers = boolean | ((server: PrivateServer) => boolean | Promise<boolean>);

/** Where connections to account servers may go, and how this machine introduces itself there. */
export interface Reach {
  readonly allowPrivateServers: AllowPrivateServers;
  /** To SMTP servers. Default: the domain of the account's address. */
  readonly ehloName?: string | undefined;
  /** All addresses of a host; default: this machine's resolver, including its hosts file. */
  readonly addressesOf?: (host: string) => Promise<readonly string[]>;
}

/** Does not reveal the address: internal DNS is not an account holder's business. */
export class PrivateServerRefused extends MailError {
  constructor() {
    super(
      'refused',
      'the server is at a private address, which this installation does not allow; ' +
        'its operator can allow it with COUNTERSIGN_ALLOW_PRIVATE_SERVERS (embedded: allowPrivateServers)',
      { trouble: 'other' },
    );
  }
}

interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * Opens a TCP connection to an account's server. Checks every address of the host and connects to one of the checked
 * addresses, so a DNS answer that changes in between has no effect.
 * @throws PrivateServerRefused if one of the addresses is not allowed; MailError `unavailable` if `limit` ends it;
 *   Error with a `code`
 */
export function connectTo(endpoint: Endpoint, reach: Reach, limit: AbortSignal): Promise<net.Socket> {
  return withinConnectTime(limit, async (inner) => {
    const socket = await openSocket(endpoint, reach, inner);
    paceReads(socket);
    return socket;
  });
}

/** Like `connectTo`, with TLS. Resolves once the certificate is trusted. @throws also UntrustedCertificate */
export function connectTls(
  server: Endpoint & TlsServer,
  reach: Reach,
  limit: AbortSignal,
): Promise<tls.TLSSocket> {
  return withinConnectTime(limit, async (inner) => {
    const socket = await openSocket(server, reach, inner);
    const secured = tls.connect({ socket, ...tlsOptions(server) });
    await waitFor(secured, 'secureConnect', inner);
    if (!isTrusted(secured, server)) {
      secured.destroy();
      throw new UntrustedCertificate();
    }
    paceReads(secured);
    return secured;
  });
}

async function withinConnectTime<T>(
  signal: AbortSignal,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  return withTimeLimit({ signal, ms: CONNECT_MS }, async (limit) => {
    try {
      return await work(limit);
    } catch (cause) {
      if (!limit.aborted || signal.aborted) throw cause;
      throw Object.assign(new Error('no connection in time', { cause }), { code: 'ETIMEDOUT' });
    }
  });
}

async function openSocket({ host, port }: Endpoint, reach: Reach, limit: AbortSignal): Promise<net.Socket> {
  const { addressesOf = systemAddresses } = reach;
  const addresses =
    net.isIP(host) === 0 ? await raceLimit(limit, addressesOf(host), () => undefined) : [host];
  for (const address of addresses) {
    if (isPublicAddress(address)) continue;
    const { allowPrivateServers: allow } = reach;
    if (!(typeof allow === 'boolean' ? allow : await allow({ host, address })))
      throw new PrivateServerRefused();
  }
  const socket = net.connect({
    host,
    port,
    noDelay: true,
    lookup: lookupOf(addresses),
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
  });
  await waitFor(socket, 'connect', limit);
  return socket;
}

async function systemAddresses(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function lookupOf(addresses: readonly string[]): LookupFunction {
  const checked = addresses.map((address) => ({ address, family: net.isIP(address) }));
  return (host, { all }, done) => {
    const [first] = checked;
    if (first === undefined)
      done(Object.assign(new Error(`no address of ${host}`), { code: 'ENOTFOUND' }), '');
    else if (all === true) done(null, checked);
    else done(null, first.address, first.family);
  };
}

/** Waits for the event. Destroys the socket if it fails or `limit` ends the wait. */
async function waitFor(
  socket: net.Socket,
  event: 'connect' | 'secureConnect',
  limit: AbortSignal,
): Promise<void> {
  // Later errors belong to whatever uses the connection.
  socket.on('error', () => undefined);
  let fail = (_error?: Error): void => {};
  const ended = () => fail();
  const ready = new Promise<void>((resolve, reject) => {
    fail = (error = new Error('The connection ended')) => reject(error);
    socket.once(event, resolve);
    socket.once('error', fail);
    socket.once('close', ended);
  });
  try {
    await raceLimit(limit, ready, () => socket.destroy());
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    socket.off('error', fail);
    socket.off('close', ended);
  }
}
