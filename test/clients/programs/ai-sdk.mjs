import { auth, createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { keyHeaders, serve, withSignIn } from './child.mjs';

serve(async ({ url, key, command, signIn }) => {
  const access = key === undefined ? { authProvider: signIn } : { headers: keyHeaders({ key }) };
  const connect = () =>
    createMCPClient({
      transport: command === undefined ? { type: 'http', url, ...access } : new StdioTransport(command),
    });
  const client = await withSignIn(signIn, connect, ({ code, state }) =>
    auth(signIn, { serverUrl: url, authorizationCode: code, callbackState: state }),
  );
  const tools = await client.tools();
  return {
    list: () => Object.keys(tools),
    call: (name, args, { signal }) =>
      tools[name].execute(args, { toolCallId: 'one', messages: [], abortSignal: signal }),
    close: () => client.close(),
  };
});
