import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadSecretKey } from '../../../hosts/server/secret-key.ts';

function database(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'data', 'it.db');
}

function keyOf(file: string): Uint8Array {
  return loadSecretKey(`${file}.key`, { name: file, isUsed: existsSync(file) });
}

describe('the secret key beside a database', () => {
  it('is created once, readable only by its owner', () => {
    const file = database();
    const key = keyOf(file);
    expect(key).toHaveLength(32);
    expect(keyOf(file)).toEqual(key);
    expect(statSync(`${file}.key`).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(file, '..'))).toEqual(['it.db.key']);
    expect(keyOf(database())).not.toEqual(key);
  });

  it('is not created again for a database that was sealed with another', () => {
    const file = database();
    keyOf(file);
    writeFileSync(file, '');
    rmSync(`${file}.key`);
    expect(() => keyOf(file)).toThrow('set COUNTERSIGN_SECRET_KEY');
    expect(readdirSync(join(file, '..'))).toEqual(['it.db']);
  });

  it('is refused if others can read it', () => {
    const file = database();
    keyOf(file);
    chmodSync(`${file}.key`, 0o640);
    expect(() => keyOf(file)).toThrow(`chmod 600 ${file}.key`);
  });

  it('is refused if it is damaged', () => {
    const file = database();
    keyOf(file);
    writeFileSync(`${file}.key`, 'c2hvcnQ=\n');
    expect(() => keyOf(file)).toThrow('is damaged');
  });
});
