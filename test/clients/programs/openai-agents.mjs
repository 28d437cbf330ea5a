import { auth } from '@modelcontextprotocol/client';
import { MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents';
import { keyHeaders, PATIENCE_MS, serve, withSignIn } from './child.mjs';

serve(async ({ url, key, command, signIn }) => {
  const access =
    key === undefined ? { authProvider: signIn } : { requestInit: { headers: keyHeaders({ key }) } };
  const connect = async () => {
    const server =
      command === undefined
        ? new MCPServerStreamableHttp({ url, timeout: PATIENCE_MS, ...access })
        : new MCPServerStdio({ ...command, timeout: PATIENCE_MS });
    await server.connect();
    return server;
  };
  const server = await withSignIn(signIn, connect, ({ code, iss }) =>
    auth(signIn, { serverUrl: url, authorizationCode: code, iss }),
  );
  return {
    list: async () => (await server.listTools()).map(({ name }) => name),
    call: (name, args, { signal }) => server.callToolResult(name, args, null, { signal }),
    close: () => server.close(),
  };
});
