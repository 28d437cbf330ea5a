import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import { race } from '../../contracts/storage-racer.ts';

await race((file) => sqliteStorage({ file }));
