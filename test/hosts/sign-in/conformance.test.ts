import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../until.ts';
import { runConformance } from '../mcp/conformance-tool.ts';
import { openSignInHost, register, requestIn, type SignInHost } from './open-sign-in-host.ts';

// The authorization scenarios of the official conformance tool.

let host: SignInHost;
beforeAll(async () => {
  host = await openSignInHost({ documentSource: { fetch: async () => undefined, close: async () => {} } });
});
afterAll(() => host.close());

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Opens the address that the tool prints, lets the assistant in as the owner does, and returns to the tool. */
async function signIn(authorizationUrl: string): Promise<void> {
  const page = await fetch(authorizationUrl, { redirect: 'manual' });
  const { ownerId } = host;
  const request = requestIn(page);
  const allowed = await host.service.signIns.allow({ ownerId, request, preset: 'read', days: 1 });
  // The tool prints its address before it listens.
  await eventually(() => fetch(allowed?.goTo ?? ''));
}

it('passes every authorization scenario', async () => {
  const port = await freePort();
  const clientId = await register(host, `http://127.0.0.1:${port}/callback`);
  const resource = ['--resource', `${host.mcpUrl}/mcp`];
  const args = ['authorization', '--url', host.mcpUrl, '--client-id', clientId, '--port', `${port}`];
  let signedIn: Promise<void> | undefined;
  const checks = await runConformance([...args, ...resource], (text) => {
    const [url] = new RegExp(`^${host.mcpUrl}/authorize\\?\\S+(?=\\n)`, 'm').exec(text) ?? [];
    if (url !== undefined) signedIn ??= signIn(url);
  });
  await signedIn;
  expect(checks.map(({ id, status, errorMessage }) => [id, status, errorMessage])).toEqual([
    ['authorization-code-grant', 'SUCCESS', undefined],
    ['authorization-server-metadata', 'SUCCESS', undefined],
    ['authorization-server-metadata-cimd', 'SUCCESS', undefined],
  ]);
});
