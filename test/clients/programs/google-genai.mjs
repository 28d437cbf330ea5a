import { mcpToTool } from '@google/genai';
import { PATIENCE_MS, serve } from './child.mjs';
import { connectedClient } from './sdk-1.mjs';

// The helper turns the tools of an official client into those of a model's chat.

serve(async (door) => {
  const client = await connectedClient(door);
  const tools = mcpToTool(client, { timeout: PATIENCE_MS });
  const { functionDeclarations } = await tools.tool();
  return {
    list: () => functionDeclarations.map(({ name }) => name),
    call: (name, args) => tools.callTool([{ name, args }]),
    close: () => client.close(),
  };
});
