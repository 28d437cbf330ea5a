import { mcpTools } from '@anthropic-ai/sdk/helpers/beta/mcp';
import { serve } from './child.mjs';
import { connectedClient } from './sdk-1.mjs';

// The helper turns the tools of an official client into those of a tool runner.

serve(async (door) => {
  const client = await connectedClient(door);
  const tools = mcpTools((await client.listTools()).tools, client);
  return {
    list: () => tools.map(({ name }) => name),
    call: (name, args) => tools.find((tool) => tool.name === name).run(args),
    close: () => client.close(),
  };
});
