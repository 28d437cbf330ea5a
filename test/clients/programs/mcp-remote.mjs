import { resolve } from 'node:path';
import { keyHeaders, serve } from './child.mjs';
import { callsOf, connectedTo } from './sdk-1.mjs';

serve(async ({ url, key }) => {
  const header = key === undefined ? [] : ['--header', `Authorization:${keyHeaders({ key }).Authorization}`];
  const client = await connectedTo({
    command: process.execPath,
    args: ['node_modules/mcp-remote/dist/proxy.js', url, '--allow-http', ...header],
    // Its own store of tokens, and no browser.
    env: { PATH: '', MCP_REMOTE_CONFIG_DIR: resolve('tokens') },
  });
  return callsOf(client);
});
