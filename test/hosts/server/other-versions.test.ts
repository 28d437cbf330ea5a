import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addOwner } from '../../contracts/storage/scene.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { asked } from '../../servers/postgres.ts';
import { buildCli, type Cli } from './cli-process.ts';
import { type DatabaseKind, databaseKinds, fileOf } from './database-kinds.ts';

const KEY = randomBytes(32).toString('base64');

let cli: Cli;
const { sqliteKind, postgresKind, stop } = databaseKinds(() => cli.folder);
beforeAll(async () => {
  cli = await buildCli();
});
afterAll(async () => {
  await stop();
  cli?.remove();
});

interface Kind extends DatabaseKind {
  /** What is in it, to compare. */
  contents(url: string): Promise<unknown>;
}

const KINDS: readonly Kind[] = [
  {
    ...sqliteKind,
    contents: async (url) => readFileSync(fileOf(url), 'base64'),
  },
  {
    ...postgresKind,
    contents: (url) => asked(url, 'SELECT * FROM countersign.owners, countersign.schema_version'),
  },
];

describe.each(KINDS)('$name', (kind) => {
  describe.skipIf(kind.missing.length > 0)(titledWithout(kind.missing, 'a database'), () => {
    it.each([
      [
        'from before the first release',
        33,
        'from before the first release, and this program reads versions from',
      ],
      ['of a newer program', 9000, 'and this program knows versions up to'],
    ])('%s is refused by each command in one line, and stays as it is', async (_whose, version, why) => {
      const url = await kind.createUrl();
      const storage = kind.open(url);
      await addOwner(storage);
      await storage.close();
      await kind.setVersion(url, version);
      const before = await kind.contents(url);
      const backup = join(cli.folder, `${kind.name}-${version}.backup`);
      const env = { COUNTERSIGN_DATABASE_URL: url, COUNTERSIGN_SECRET_KEY: KEY, COUNTERSIGN_PORT: '0' };
      for (const args of [['serve'], ['doctor'], ['owner', 'add', 'o@example.org'], ['backup', backup]]) {
        const { code, stdout, stderr } = await cli.run(args, 'a password of an owner\n', env);
        // `doctor` says it in its report if it can have one.
        const said = [...stdout.split('\n'), ...stderr.split('\n')].filter((line) => line.includes(why));
        expect([args[0], code, said]).toEqual([
          args[0],
          1,
          [expect.stringContaining(`it has schema version ${version}`)],
        ]);
      }
      expect(existsSync(backup)).toBe(false);
      expect(await kind.contents(url)).toEqual(before);
    });
  });
});
