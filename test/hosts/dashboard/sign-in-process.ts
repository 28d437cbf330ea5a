import { once } from 'node:events';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { openSite } from './sign-in-site.ts';

/** A dashboard in a separate process. Prints its port, and runs until its stdin ends. */
const [, , location = '', secretKey = ''] = process.argv;
const storage = location.startsWith('postgres')
  ? postgresStorage({ connectionString: location })
  : sqliteStorage({ file: location });
const site = await openSite(storage, Buffer.from(secretKey, 'hex'));
process.stdout.write(`${site.port}\n`);
process.stdin.resume();
await once(process.stdin, 'end');
await site.close();
