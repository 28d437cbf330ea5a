import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { race } from '../../contracts/storage-racer.ts';

await race((connectionString) => postgresStorage({ connectionString }));
