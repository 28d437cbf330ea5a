import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataFolder } from '../../../hosts/server/data-folder.ts';
import { bundleForChild } from '../../run-typescript.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-data-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the data folder', () => {
  it.each([
    ['linux', { HOME: '/home/grace' }, '/home/grace/.local/share/countersign'],
    ['linux', { HOME: '/home/grace', XDG_DATA_HOME: '/srv/data' }, '/srv/data/countersign'],
    ['linux', { HOME: '/home/grace', XDG_DATA_HOME: 'data' }, '/home/grace/.local/share/countersign'],
    ['darwin', { HOME: '/Users/grace' }, '/Users/grace/Library/Application Support/countersign'],
    ['win32', { LOCALAPPDATA: '/Users/grace/Local' }, '/Users/grace/Local/countersign'],
    ['win32', { HOME: '/Users/grace' }, '/Users/grace/AppData/Local/countersign'],
  ] as const)('is the user’s on %s with %j', (platform, env, expected) => {
    expect(dataFolder(undefined, env, folder, platform)).toBe(expected);
  });

  it.each(['countersign.db', 'countersign.key'])('stays ./data if it has %s', (file) => {
    mkdirSync(join(folder, 'data'));
    const env = { HOME: '/home/grace' };
    expect(dataFolder(undefined, env, folder, 'linux')).not.toBe(join(folder, 'data'));
    writeFileSync(join(folder, 'data', file), '');
    expect(dataFolder(undefined, env, folder, 'linux')).toBe(join(folder, 'data'));
  });

  it('is the one that the settings name, whatever else is there', () => {
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data', 'countersign.db'), '');
    expect(dataFolder('/srv/mail', {}, folder)).toBe('/srv/mail');
    expect(dataFolder('state', {}, folder)).toBe(join(folder, 'state'));
  });

  // Containers run programs under any user id. Only root can take one.
  it.skipIf(process.getuid?.() !== 0)(
    'is needed by no user without a home if the settings name all',
    async () => {
      const key = Buffer.alloc(32, 7).toString('base64');
      const name = 'postgres://db.example.org/it';
      // A user without a name, too: node-postgres would take that one.
      const url = 'postgres://u@db.example.org/it';
      const environments = [
        { COUNTERSIGN_DATABASE_URL: 'file:/var/it.db' },
        { COUNTERSIGN_DATA_DIR: '/srv/mail' },
        { XDG_DATA_HOME: '/srv' },
        { COUNTERSIGN_DATABASE_URL: url, COUNTERSIGN_SECRET_KEY: key },
        { COUNTERSIGN_DATABASE_URL: url, COUNTERSIGN_SECRET_KEY: key, COUNTERSIGN_INDEX: 'on' },
        { COUNTERSIGN_DATABASE_URL: url },
        {},
      ];
      const child = await bundleForChild(join(import.meta.dirname, 'homeless-child.ts'), 'bundle');
      const args = [child, JSON.stringify(environments)];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} });
      const refusal = expect.stringMatching(/^This user has no home folder.*COUNTERSIGN_DATA_DIR/);
      expect(JSON.parse(stdout)).toEqual([
        ['/var/it.db', '/var/it.db.key', '/var/it.db.index'],
        ['/srv/mail/countersign.db', '/srv/mail/countersign.db.key', '/srv/mail/countersign.db.index'],
        [
          '/srv/countersign/countersign.db',
          '/srv/countersign/countersign.db.key',
          '/srv/countersign/countersign.db.index',
        ],
        [name, 'set', 'none'],
        refusal,
        refusal,
        refusal,
      ]);
    },
  );
});
