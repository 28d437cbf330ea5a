import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteIndex } from '../../../adapters/mail-index/sqlite-index.ts';
import { mailIndexContract } from '../../contracts/mail-index.ts';
import { bundleForChild } from '../../run-typescript.ts';

mailIndexContract('sqliteIndex', async () => {
  const workerFile = await bundleForChild(
    join(import.meta.dirname, '../../../adapters/mail-index/worker.ts'),
  );
  const folder = mkdtempSync(join(tmpdir(), 'countersign-index-'));
  const opened = () => sqliteIndex({ file: join(folder, 'index.db'), workerFile });
  let index = opened();
  return {
    index,
    async reopen() {
      await index.close();
      index = opened();
      return index;
    },
    async close() {
      await index.close();
      rmSync(folder, { recursive: true });
    },
  };
});
