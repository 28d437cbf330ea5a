import { serve } from './child.mjs';
import { callsOf, connectedTo } from './sdk-1.mjs';

serve(async ({ url, key }) => {
  const client = await connectedTo({
    command: process.execPath,
    args: ['node_modules/supergateway/dist/index.js', '--streamableHttp', url, '--oauth2Bearer', key],
  });
  return callsOf(client);
});
