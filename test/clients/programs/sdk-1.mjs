import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { keyHeaders, PATIENCE_MS, watchedWords, withSignIn } from './child.mjs';

/** The client of the official library, 1.x. @returns the connected client */
export function connectedClient({ url, key, command, signIn }) {
  const connect = async () => {
    const client = new Client({ name: 'tried', version: '1.0.0' });
    await client.connect(transport());
    return client;
  };
  const transport = () => {
    if (command !== undefined) return new StdioClientTransport(command);
    const access =
      key === undefined ? { authProvider: signIn } : { requestInit: { headers: keyHeaders({ key }) } };
    return new StreamableHTTPClientTransport(new URL(url), access);
  };
  return withSignIn(signIn, connect, ({ code }) => auth(signIn, { serverUrl: url, authorizationCode: code }));
}

/** The same client, of a program in front of a door, as desktop programs start it. */
export async function connectedTo(command) {
  const transport = new StdioClientTransport({ ...command, stderr: 'pipe' });
  const words = watchedWords(transport.stderr);
  const client = new Client({ name: 'tried', version: '1.0.0' });
  await client.connect(transport).catch((cause) => {
    throw new Error(words(), { cause });
  });
  return client;
}

/** @returns what the test calls, of a connected client */
export function callsOf(client) {
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, { signal, onProgress }) =>
      client.callTool({ name, arguments: args }, undefined, {
        signal,
        onprogress: onProgress,
        timeout: PATIENCE_MS,
      }),
    close: () => client.close(),
  };
}
