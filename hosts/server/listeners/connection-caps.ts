import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { addressGroup } from '../../../core/keys/address-group.ts';
import type { IsTrusted } from '../../http/client-address.ts';

/** How many connections one listener accepts. */
export interface ConnectionCaps {
  readonly total: number;
  /** From one client address. An IPv6 client counts by its /64, which is what one subscriber gets. */
  readonly perAddress: number;
}

interface Connection {
  readonly socket: Socket;
  readonly peer: string;
  /** Undefined for a trusted proxy, whose connections belong to many clients. */
  readonly network: string | undefined;
  /** The current request. */
  exchange: { readonly req: IncomingMessage; readonly res: ServerResponse } | undefined;
  hasSentRequest: boolean;
}

/**
 * Limits the connections of a server. A new connection beyond a cap replaces one that does no useful work: first one that
 * idles between requests, then the oldest that has not sent its request, then the oldest that does not take its
 * response. If every connection has a request in progress, the new one is refused.
 * @returns destroys all connections, also those that have not finished their TLS handshake
 * @param isTrusted  proxies, which only the total limits
 * @param refuse  writes the refusal to a new connection and ends it
 */
export function capConnections(
  server: Server,
  { total, perAddress }: ConnectionCaps,
  isTrusted: IsTrusted,
  refuse: (socket: Socket) => void,
): () => void {
  /** Ordered by when they last started to wait. */
  const connections = new Map<string, Connection>();

  function overCap({ network }: Connection): Connection[] {
    const all = [...connections.values()];
    const same = network === undefined ? [] : all.filter((one) => one.network === network);
    if (same.length > perAddress) return same;
    return all.length > total ? all : [];
  }

  function markWaiting(connection: Connection): void {
    connection.exchange = undefined;
    if (connections.delete(connection.peer)) connections.set(connection.peer, connection);
  }

  server.on('connection', (socket) => {
    const peer = peerOf(socket);
    const connection: Connection = {
      socket,
      peer,
      network: networkOf(socket.remoteAddress ?? '', isTrusted),
      exchange: undefined,
      hasSentRequest: false,
    };
    connections.set(peer, connection);
    socket.once('close', () => connections.get(peer) === connection && connections.delete(peer));
    const rivals = overCap(connection);
    if (rivals.length === 0) return;
    const others = rivals.filter((one) => one !== connection);
    const replaced = [isIdle, isIncomplete, isUntaken].flatMap((is) => others.find(is) ?? [])[0];
    connections.delete((replaced ?? connection).peer);
    if (replaced === undefined) refuse(socket);
    else replaced.socket.destroy();
  });
  server.on('request', (req, res) => {
    const connection = connections.get(peerOf(req.socket));
    if (connection === undefined) return;
    connection.exchange = { req, res };
    connection.hasSentRequest = true;
    // A pipelined request may already be the current one.
    res.once('close', () => connection.exchange?.res === res && markWaiting(connection));
  });
  return () => {
    for (const { socket } of connections.values()) socket.destroy();
  };
}

/** Address and port of the client. With TLS, a request does not have the socket that was accepted. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function isIdle({ exchange, hasSentRequest }: Connection): boolean {
  return hasSentRequest && exchange === undefined;
}

function isIncomplete({ exchange }: Connection): boolean {
  return exchange === undefined || !exchange.req.complete;
}

function isUntaken({ exchange }: Connection): boolean {
  return exchange?.res.writableEnded === true;
}

/** Whether a connection is a trusted proxy's. @param peer  its address, as the socket says it */
export function isProxy(peer: string, isTrusted: IsTrusted): boolean {
  return isTrusted(addressOf(peer));
}

/** Without the IPv6 form of an IPv4 address. */
function addressOf(peer: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(peer)?.[1] ?? peer;
}

/** The network by which a client's connections are counted; undefined for a trusted proxy. */
export function networkOf(peer: string, isTrusted: IsTrusted): string | undefined {
  if (isProxy(peer, isTrusted)) return undefined;
  const address = addressOf(peer);
  // Each IPv4 loopback address counts for itself, so that local programs do not share one cap.
  return isIPv6(address) ? addressGroup(address) : address;
}
