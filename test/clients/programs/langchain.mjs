import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { keyHeaders, PATIENCE_MS, serve, withSignIn } from './child.mjs';

serve(async ({ url, key, command, signIn }) => {
  const access = key === undefined ? { authProvider: signIn } : { headers: keyHeaders({ key }) };
  const server =
    command === undefined ? { transport: 'http', url, ...access } : { transport: 'stdio', ...command };
  let report = () => {};
  const connect = async () => {
    const client = new MultiServerMCPClient({
      mcpServers: { countersign: server },
      onProgress: () => report(),
      defaultToolTimeout: PATIENCE_MS,
    });
    return { client, tools: await client.getTools() };
  };
  const { client, tools } = await withSignIn(signIn, connect, ({ code }) =>
    auth(signIn, { serverUrl: url, authorizationCode: code }),
  );
  return {
    list: () => tools.map(({ name }) => name),
    call(name, args, { signal, onProgress }) {
      report = onProgress;
      return tools.find((tool) => tool.name === name).invoke(args, { signal });
    },
    close: () => client.close(),
  };
});
