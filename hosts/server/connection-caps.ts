import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import type { IsTrusted } from '../http/client-address.ts';

/** How many connections one listener holds. */
export interface ConnectionCaps {
  readonly total: number;
  /** From one client address; an IPv6 client counts by its /64, which is what one subscriber gets. */
  readonly perAddress: number;
}

interface Connection {
  readonly socket: Socket;
  /** Undefined: a trusted proxy, whose connections are those of many clients. */
  readonly network: string | undefined;
  /** The request under way. */
  exchange: { readonly req: IncomingMessage; readonly res: ServerResponse } | undefined;
  hasAsked: boolean;
}

/**
 * Bounds the connections of a server. A new connection beyond a cap replaces one that holds its place for nothing:
 * first one that idles between requests, then the longest one that has not sent its request, then the longest one that
 * does not take its response. Where every connection has a request being worked on, the new one is refused.
 * @param isTrusted  proxies, which only the total bounds
 * @param refuse  writes the refusal to a new connection and ends it
 */
export function capConnections(
  server: Server,
  { total, perAddress }: ConnectionCaps,
  isTrusted: IsTrusted,
  refuse: (socket: Socket) => void,
): void {
  /** In the order in which they last began to wait. */
  const connections = new Map<Socket, Connection>();

  function overCap({ network }: Connection): Connection[] {
    const all = [...connections.values()];
    const same = network === undefined ? [] : all.filter((one) => one.network === network);
    if (same.length > perAddress) return same;
    return all.length > total ? all : [];
  }

  function waitsAgain(connection: Connection): void {
    connection.exchange = undefined;
    if (connections.delete(connection.socket)) connections.set(connection.socket, connection);
  }

  server.on('connection', (socket) => {
    const connection: Connection = {
      socket,
      network: networkOf(socket.remoteAddress ?? '', isTrusted),
      exchange: undefined,
      hasAsked: false,
    };
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    const rivals = overCap(connection);
    if (rivals.length === 0) return;
    const others = rivals.filter((one) => one !== connection);
    const replaced = [isIdle, isIncomplete, isUntaken].flatMap((is) => others.find(is) ?? [])[0];
    connections.delete((replaced ?? connection).socket);
    if (replaced === undefined) refuse(socket);
    else replaced.socket.destroy();
  });
  server.on('request', (req, res) => {
    const { socket } = req;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.exchange = { req, res };
    connection.hasAsked = true;
    // A pipelined request may have taken its place.
    res.once('close', () => connection.exchange?.res === res && waitsAgain(connection));
  });
}

function isIdle({ exchange, hasAsked }: Connection): boolean {
  return hasAsked && exchange === undefined;
}

function isIncomplete({ exchange }: Connection): boolean {
  return exchange === undefined || !exchange.req.complete;
}

function isUntaken({ exchange }: Connection): boolean {
  return exchange?.res.writableEnded === true;
}

/** The network that a client's connections are counted by. */
export function networkOf(peer: string, isTrusted: IsTrusted): string | undefined {
  const address = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(peer)?.[1] ?? peer;
  if (isTrusted(address)) return undefined;
  return isIPv6(address) ? prefix64(address) : address;
}

/** @param address  an IPv6 address as the system writes it: hexadecimal groups, perhaps with a zone */
function prefix64(address: string): string {
  const [bare = ''] = address.split('%');
  const [before = '', after] = bare.split('::');
  const groups = before === '' ? [] : before.split(':');
  const rest = after === undefined || after === '' ? [] : after.split(':');
  const zeros = after === undefined ? [] : Array.from({ length: 8 - groups.length - rest.length }, () => '0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}
