import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Storage } from '../../../core/ports/storage.ts';
import { callWith } from '../../open-service.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { asked } from '../../servers/postgres.ts';
import { buildCli, type Cli } from './cli-process.ts';
import { type DatabaseKind, databaseKinds, fileOf } from './database-kinds.ts';
import { DUE, deliveriesOf, type Filled, fillDatabase, openStored } from './stored-scene.ts';

const KEY = randomBytes(32);
const OTHER_KEY = randomBytes(32);

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
  isEmpty(url: string): Promise<boolean>;
}

const KINDS: readonly Kind[] = [
  {
    ...sqliteKind,
    isEmpty: async (url) => !existsSync(fileOf(url)),
  },
  {
    ...postgresKind,
    isEmpty: async (url) =>
      (await asked(url, "SELECT to_regnamespace('countersign') AS found"))[0]?.found === null,
  },
];

const settings = (url: string, ...keys: readonly Uint8Array[]) => ({
  COUNTERSIGN_DATABASE_URL: url,
  COUNTERSIGN_SECRET_KEY: keys.map((key) => Buffer.from(key).toString('base64')).join(','),
});

describe.each(KINDS)('$name', ({ name, missing, createUrl, open, setVersion, isEmpty }) => {
  describe.skipIf(missing.length > 0)(titledWithout(missing, 'a backup'), () => {
    let url: string;
    let storage: Storage;
    let filled: Filled;
    let file: string;
    beforeAll(async () => {
      url = await createUrl();
      storage = open(url);
      filled = await fillDatabase(storage, [KEY]);
      file = join(cli.folder, `${name}.backup`);
    });
    afterAll(() => filled?.service.stop());

    it('is written while the server runs, for its owner only, and replaces no file', async () => {
      const { code, stdout, stderr } = await cli.run(['backup', file, '--json'], '', settings(url, KEY));
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toEqual({
        file,
        schema_version: expect.any(Number),
        secret_key: 'COUNTERSIGN_SECRET_KEY',
      });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const written = readFileSync(file);
      expect(written.includes(KEY) || written.includes(KEY.toString('base64'))).toBe(false);

      const again = await cli.run(['backup', file], '', settings(url, KEY));
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`${file} exists already`)]);
      expect(readFileSync(file).equals(written)).toBe(true);
    });

    it('is not written if the secret key does not open the database', async () => {
      const other = `${file}.other`;
      const refused = await cli.run(['backup', other], '', settings(url, OTHER_KEY));
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is not the secret key')]);
      expect(readdirSync(cli.folder).filter((one) => one.startsWith(`${name}.backup`))).toEqual([
        `${name}.backup`,
      ]);
    });

    it('is not written if there is no room or no folder for it, and leaves nothing behind', async () => {
      const before = readdirSync(cli.folder);
      // Files of at most 40 KB, as on a disk that is full.
      const script = 'ulimit -f 40; exec "$0" "$@"';
      const small = join(cli.folder, 'small.backup');
      const args = ['-c', script, process.execPath, cli.program, 'backup', small];
      const env = { PATH: process.env.PATH, HOME: cli.folder, ...settings(url, KEY) };
      const full = promisify(execFile)('bash', args, { cwd: cli.folder, env });
      await expect(full).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^.*(cannot be written|pg_dump was stopped).*\n$/) as unknown,
      });
      const nowhere = await cli.run(['backup', join(cli.folder, 'none', 'a')], '', settings(url, KEY));
      expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('there is no folder')]);
      expect(readdirSync(cli.folder)).toEqual(before);
    });

    it('is restored to an empty database only, and only with its key', async () => {
      const used = await cli.run(['restore', file], '', settings(url, KEY));
      expect([used.code, used.stderr]).toEqual([1, expect.stringContaining('is not empty')]);

      const target = await createUrl();
      // As after a copy. Nobody else may read the database.
      chmodSync(file, 0o644);
      const strange = await cli.run(['restore', file], '', settings(target, OTHER_KEY));
      expect([strange.code, strange.stderr]).toEqual([1, expect.stringContaining('is not the secret key')]);
      expect(await isEmpty(target)).toBe(true);

      // Shortly before the machine is lost, what was approved is sent.
      const restored = await cli.run(['restore', file, '--json'], '', settings(target, OTHER_KEY, KEY));
      expect([restored.code, restored.stderr]).toEqual([0, '']);
      expect(JSON.parse(restored.stdout)).toMatchObject({ outcome_unknown: 2, pending: 1, paused: 1 });

      if (name === 'SQLite') expect(statSync(target.slice('file:'.length)).mode & 0o777).toBe(0o600);
      const stored = open(target);
      const { service, mail } = openStored(stored, [OTHER_KEY, KEY]);
      const { ownerId, apiKey, waiting, approved, started } = filled;
      await service.recover();
      const ends = [waiting, approved, started].map((id) => stored.approval(ownerId, id));
      const states = (await Promise.all(ends)).map((approval) => approval?.state);
      expect(states).toEqual(['pending', 'outcome_unknown', 'outcome_unknown']);
      expect(mail.transmitted()).toEqual([]);
      const told = await callWith(service, apiKey, 'get_approval', { approval_id: approved });
      expect(told).toMatchObject({ result: { approval: { state: 'outcome_unknown' } } });
      // A program repeats what it did after the backup.
      const repeated = await callWith(service, apiKey, 'list_unread', {});
      expect(repeated).toMatchObject({ code: 'not_permitted', details: { reason: 'paused' } });
      const [key] = await service.keys.list(ownerId);
      await service.keys.resume(ownerId, key?.credentialId ?? '');
      expect(await callWith(service, apiKey, 'list_unread', {})).toMatchObject({ status: 'ok' });
      expect((await deliveriesOf(stored, ownerId)).filter(([, status]) => status === 500)).toEqual(DUE);
      await service.stop();
    });

    it('of a newer program is refused, and changes nothing', async () => {
      const newer = await createUrl();
      const made = open(newer);
      await made.healthy();
      await made.close();
      await setVersion(newer, 1000);
      const from = `${file}.newer`;
      if (name === 'SQLite') {
        writeFileSync(from, readFileSync(fileOf(newer)));
        const target = await createUrl();
        const refused = await cli.run(['restore', from], '', settings(target, KEY));
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('schema version 1000')]);
        expect(await isEmpty(target)).toBe(true);
      } else {
        const refused = await cli.run(['backup', from], '', settings(newer, KEY));
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('schema version 1000')]);
      }
      rmSync(from, { force: true });
    });

    it('of which a part is missing or was changed is refused, and changes nothing', async () => {
      const whole = readFileSync(file);
      const altered = Buffer.from(whole);
      // In the middle of a text or of compressed data.
      const place = name === 'SQLite' ? altered.indexOf('grace@example.org') : altered.length - 200;
      altered.writeUInt8(altered.readUInt8(place) + 1, place);
      const target = await createUrl();
      for (const [what, bytes] of [
        ['cut', whole.subarray(0, Math.floor(whole.length * 0.6))],
        ['without its end', whole.subarray(0, -1)],
        ['altered', altered],
        ['empty', Buffer.alloc(0)],
      ] as const) {
        const other = `${file}.${what}`;
        writeFileSync(other, bytes);
        const refused = await cli.run(['restore', other], '', settings(target, KEY));
        expect([what, refused.code, refused.stderr]).toEqual([
          what,
          1,
          expect.stringContaining('cannot be used'),
        ]);
        expect(await isEmpty(target)).toBe(true);
      }
    });

    if (name === 'SQLite') return;
    it('passes no password as an argument, and says what to install', async () => {
      const bin = join(cli.folder, 'bin');
      const { PATH = '' } = process.env;
      const log = join(cli.folder, 'arguments');
      mkdirSync(bin);
      for (const program of ['pg_dump', 'pg_restore', 'psql']) {
        const script = join(bin, program);
        writeFileSync(
          script,
          `#!/bin/sh\necho ${program} "$@" >> ${log}\nPATH='${PATH}' exec ${program} "$@"\n`,
        );
        chmodSync(script, 0o755);
      }
      const recorded = { PATH: `${bin}:${PATH}` };
      const copy = join(cli.folder, 'recorded.backup');
      const backup = await cli.runApart(['backup', copy], '', { ...settings(url, KEY), ...recorded });
      const target = await createUrl();
      const restore = await cli.runApart(['restore', copy], '', { ...settings(target, KEY), ...recorded });
      expect([backup.code, restore.code]).toEqual([0, 0]);
      const programs = readFileSync(log, 'utf8');
      expect(programs).toMatch(/^pg_dump .*^pg_restore .*^psql /ms);
      expect(programs).not.toContain(new URL(url).password);

      const without = await cli.runApart(['backup', `${copy}.2`], '', {
        ...settings(url, KEY),
        PATH: '/nowhere',
      });
      expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('postgresql-client')]);
    });
  });
});
