import { MCPClient } from '@mastra/mcp';
import { auth } from '@modelcontextprotocol/client';
import { keyHeaders, PATIENCE_MS, serve, withSignIn } from './child.mjs';

serve(async ({ url, key, command, signIn }) => {
  const access =
    key === undefined ? { authProvider: signIn } : { requestInit: { headers: keyHeaders({ key }) } };
  const client = new MCPClient({
    servers: { countersign: command ?? { url: new URL(url), enableProgressTracking: true, ...access } },
    timeout: PATIENCE_MS,
  });
  let report = () => {};
  await client.progress.onUpdate('countersign', () => report()).catch(() => {});
  const connect = async () => {
    const { toolsets, errors } = await client.listToolsetsWithErrors();
    if (toolsets.countersign === undefined) throw new Error(JSON.stringify(errors));
    return toolsets.countersign;
  };
  const tools = await withSignIn(signIn, connect, ({ code, iss }) =>
    auth(signIn, { serverUrl: url, authorizationCode: code, iss }),
  );
  return {
    list: () => Object.keys(tools),
    call(name, args, { signal, onProgress }) {
      report = onProgress;
      return tools[name].execute(args, { abortSignal: signal });
    },
    close: () => client.disconnect(),
  };
});
