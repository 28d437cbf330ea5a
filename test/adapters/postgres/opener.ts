import { postgresStorage } from '../../../adapters/postgres/storage.ts';

const [, , connectionString = ''] = process.argv;
const storage = postgresStorage({ connectionString });
await storage.healthy();
await storage.close();
