import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { createService } from '../../../hosts/embedded/countersign.ts';
import { nodeHandler } from '../../../hosts/node/node-handler.ts';

/** A dashboard with live pages in a separate process. Prints its port, and stops properly when its stdin ends. */
const [, , location = '', secretKey = '', port = '0'] = process.argv;
const server = createServer();
server.listen(Number(port), '127.0.0.1');
await once(server, 'listening');
const address = server.address() as AddressInfo;
const service = createService({
  storage: location.startsWith('postgres')
    ? postgresStorage({ connectionString: location })
    : sqliteStorage({ file: location }),
  mail: sandboxMail(),
  reader: inlineReader(),
  secretKeys: [Buffer.from(secretKey, 'hex')],
  baseUrl: 'http://127.0.0.1:1',
  dashboardUrl: `http://127.0.0.1:${address.port}`,
});
const pages = nodeHandler(service, { doors: ['dashboard'] });
server.on('request', pages);
pages.attachUpgrade(server);
process.stdout.write(`${address.port}\n`);
process.stdin.resume();
await once(process.stdin, 'end');
await service.calls.endWaits();
server.close();
server.closeIdleConnections();
await once(server, 'close');
await service.stop();
