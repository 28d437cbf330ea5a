import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';

const [, , file = ''] = process.argv;
const storage = sqliteStorage({ file });
await storage.healthy();
await storage.close();
