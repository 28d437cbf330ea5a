import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';

/**
 * From Node 24.9 on, a server asks first whether it is to upgrade a connection, and reads the body of a request before it
 * does. Then nothing can be handed back afterwards: such a wish is ignored before the upgrade.
 * @param isIgnored  whether the request is to be answered as if it asked for no upgrade
 */
export function declineUpgrades(
  server: HttpServer | HttpsServer,
  isIgnored: (request: IncomingMessage) => boolean,
): void {
  if (!('shouldUpgradeCallback' in server) || typeof server.shouldUpgradeCallback !== 'function') return;
  const decide = server.shouldUpgradeCallback;
  server.shouldUpgradeCallback = (request: IncomingMessage): boolean =>
    !isIgnored(request) && Boolean(Reflect.apply(decide, server, [request]));
}

/**
 * The same before Node 24.9: answers a request as if it asked for no upgrade, and closes its connection. Servers may ignore that wish (RFC 9110,
 * 7.8), and node:http does so while nobody listens for upgrades. Some clients ask for HTTP/2 with every request.
 *
 * The connection goes back to the server as a new one, which leaves listeners of the old one behind. So it goes back
 * once only: the response ends it.
 */
export function ignoreUpgrade(
  server: HttpServer | HttpsServer,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Duplex,
  start: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n]?.toLowerCase();
    if (name !== 'upgrade' && name !== 'connection') lines.push(`${rawHeaders[n]}: ${rawHeaders[n + 1]}`);
  }
  lines.push('Connection: close');
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), start]));
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket);
}
