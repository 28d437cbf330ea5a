import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadSecretKeys } from '../../../hosts/server/secret-key.ts';

function database(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'data', 'it.db');
}

function keysOf(file: string): readonly Uint8Array[] {
  return loadSecretKeys(`${file}.key`, { name: file, isUsed: existsSync(file) });
}

describe('the secret key beside a database', () => {
  it('is created once, readable only by its owner', () => {
    const file = database();
    const keys = keysOf(file);
    expect(keys.map((key) => key.length)).toEqual([32]);
    expect(keysOf(file)).toEqual(keys);
    expect(statSync(`${file}.key`).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(file, '..'))).toEqual(['it.db.key']);
    expect(keysOf(database())).not.toEqual(keys);
  });

  it('is not created again for a database that was sealed with another', () => {
    const file = database();
    keysOf(file);
    writeFileSync(file, '');
    rmSync(`${file}.key`);
    expect(() => keysOf(file)).toThrow('set COUNTERSIGN_SECRET_KEY');
    expect(readdirSync(join(file, '..'))).toEqual(['it.db']);
  });

  it('is refused if others can read it', () => {
    const file = database();
    keysOf(file);
    chmodSync(`${file}.key`, 0o640);
    expect(() => keysOf(file)).toThrow(`chmod 600 ${file}.key`);
  });

  it('may have older keys below it, for what they sealed', () => {
    const file = database();
    const [older] = keysOf(file);
    const newer = randomBytes(32);
    const before = readFileSync(`${file}.key`, 'utf8');
    writeFileSync(`${file}.key`, `${newer.toString('base64')}\n${before}`);
    expect(keysOf(file)).toEqual([newer, older]);
  });

  it('is refused if it is damaged', () => {
    const file = database();
    keysOf(file);
    writeFileSync(`${file}.key`, 'c2hvcnQ=\n');
    expect(() => keysOf(file)).toThrow('is damaged');
  });
});
