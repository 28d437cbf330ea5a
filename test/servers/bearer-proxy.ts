import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { PASSWORD } from './mail-users.ts';
import { startNginx } from './nginx.ts';

const tokenOwner = z.object({ username: z.string() });

/**
 * Starts nginx in front of a server that takes Basic, so that it takes access tokens (RFC 6750) instead: nginx asks a
 * program beside it whose token it is.
 * @param tokenInfoUrl  as of a MailProvider
 */
export async function startBearerProxy(
  target: string,
  tokenInfoUrl: string,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const introspection = createServer((request, response) => void answer(request, response));
  introspection.listen(0, '127.0.0.1');
  await once(introspection, 'listening');

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token = ''] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
    const info = await fetch(`${tokenInfoUrl}${encodeURIComponent(token)}`);
    const owner = tokenOwner.safeParse(await info.json()).data?.username;
    const basic = Buffer.from(`${owner}:${PASSWORD}`).toString('base64');
    if (owner === undefined) response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' });
    else response.writeHead(204, { 'x-basic': `Basic ${basic}` });
    response.end();
  }

  const { port } = introspection.address() as AddressInfo;
  const nginx = await startNginx(`
    location = /token-owner {
      internal;
      proxy_pass http://127.0.0.1:${port}/;
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
    }
    location / {
      auth_request /token-owner;
      auth_request_set $basic $upstream_http_x_basic;
      proxy_set_header Authorization $basic;
      proxy_set_header Host $http_host;
      proxy_pass ${target};
    }`);
  return {
    url: `http://127.0.0.1:${nginx.port}/`,
    async stop() {
      await nginx.stop();
      introspection.closeAllConnections();
      introspection.close();
      await once(introspection, 'close');
    },
  };
}
