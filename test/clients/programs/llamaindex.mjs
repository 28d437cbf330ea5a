import { mcp } from '@llamaindex/tools';
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { keyHeaders, serve, withSignIn } from './child.mjs';

serve(async ({ url, key, command, signIn }) => {
  const access =
    key === undefined ? { authProvider: signIn } : { requestInit: { headers: keyHeaders({ key }) } };
  const connect = async () => {
    const server = mcp(command ?? { url, ...access });
    return { server, tools: await server.tools() };
  };
  const { server, tools } = await withSignIn(signIn, connect, ({ code }) =>
    auth(signIn, { serverUrl: url, authorizationCode: code }),
  );
  return {
    list: () => tools.map(({ metadata }) => metadata.name),
    call: (name, args) => tools.find(({ metadata }) => metadata.name === name).call(args),
    close: () => server.cleanup(),
  };
});
