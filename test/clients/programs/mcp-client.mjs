import { MCPClient } from 'mcp-client';
import { PATIENCE_MS, serve } from './child.mjs';

serve(async ({ command }) => {
  const client = new MCPClient({ name: 'tried', version: '1.0.0' });
  await client.connect({ type: 'stdio', ...command });
  return {
    list: async () => (await client.getAllTools()).map(({ name }) => name),
    call: (name, args, { signal, onProgress }) =>
      client.callTool(
        { name, arguments: args },
        { requestOptions: { signal, onProgress, timeout: PATIENCE_MS } },
      ),
    close: () => client.close(),
  };
});
