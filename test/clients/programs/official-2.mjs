import { auth, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { keyHeaders, PATIENCE_MS, serve, withSignIn } from './child.mjs';

/** Which revision it speaks; undefined: the one that it speaks by itself. */
const [revision] = process.argv.slice(2);
const options = revision === undefined ? {} : { versionNegotiation: { mode: { pin: revision } } };

serve(async ({ url, key, command, signIn }) => {
  const transport = () => {
    if (command !== undefined) return new StdioClientTransport(command);
    const access =
      key === undefined ? { authProvider: signIn } : { requestInit: { headers: keyHeaders({ key }) } };
    return new StreamableHTTPClientTransport(new URL(url), access);
  };
  const connect = async () => {
    const client = new Client({ name: 'tried', version: '1.0.0' }, options);
    await client.connect(transport());
    return client;
  };
  const client = await withSignIn(signIn, connect, ({ code, iss }) =>
    auth(signIn, { serverUrl: url, authorizationCode: code, iss }),
  );
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, { signal, onProgress }) =>
      client.callTool({ name, arguments: args }, { signal, onprogress: onProgress, timeout: PATIENCE_MS }),
    close: () => client.close(),
  };
});
