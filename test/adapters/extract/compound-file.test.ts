import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { openCompoundFile } from '../../../adapters/extract/compound-file.ts';
import { outlookMessage } from '../../../adapters/extract/outlook-message.ts';
import { costlier } from '../../growth.ts';
import { compoundFile, type Storage } from './compound-files.ts';

const CHILD = 76;
const BEGIN = 116;

/** Where the entry of this name is in the file. */
function entryAt(file: Buffer, name: string): number {
  return file.indexOf(Buffer.from(`${name}\0`, 'utf16le'));
}

const numbered = (prefix: string, at: number) => prefix + String(at).padStart(8, '0');

/** A message whose recipients and attachments are all in one list, each at its own place of it. */
function messageOf(storages: number, listed: number, isShared: boolean): Buffer {
  const one = (prefix: string) =>
    Array.from({ length: storages }, (_, at) => [numbered(prefix, at), {}] as const);
  const list: Storage = Object.fromEntries(
    Array.from({ length: listed }, (_, at) => [`s${at}`, Buffer.alloc(0)] as const),
  );
  const file = compoundFile({
    ...Object.fromEntries([...one('__recip_version1.0_#'), ...one('__attach_version1.0_#')]),
    list,
  });
  if (!isShared) return file;
  const first = file.readUInt32LE(entryAt(file, 'list') + CHILD);
  for (let at = 0; at < storages; at++)
    for (const prefix of ['__recip_version1.0_#', '__attach_version1.0_#'])
      file.writeUInt32LE(first + at, entryAt(file, numbered(prefix, at)) + CHILD);
  return file;
}

describe('a compound file', () => {
  it('whose storages share entries takes no longer than one whose storages do not', () => {
    const [shared, own] = [true, false].map((isShared) => messageOf(400, 3000, isShared)) as [Buffer, Buffer];
    const read = (file: Buffer) => () => {
      for (let time = 0; time < 3; time++) outlookMessage(openCompoundFile(file));
    };
    expect(costlier(read(shared), read(own), 4)).toBeUndefined();
  });

  it('has each entry in one storage, however often that is opened', () => {
    const bytes = compoundFile({ a: { x: Buffer.from('1'.repeat(600)) }, b: { y: Buffer.alloc(0) } });
    bytes.writeUInt32LE(bytes.readUInt32LE(entryAt(bytes, 'a') + CHILD), entryAt(bytes, 'b') + CHILD);
    const file = openCompoundFile(bytes);
    expect([file.storage('a').names(), file.storage('b').names()]).toEqual([['x'], []]);
    expect(file.storage('a').stream('x').toString()).toBe('1'.repeat(600));
  });

  it('whose streams share their bytes is broken as soon as more are read than it has', () => {
    const names = Array.from({ length: 20 }, (_, at) => `s${at}`);
    const bytes = compoundFile({
      ...Object.fromEntries(names.map((name) => [name, Buffer.alloc(0)])),
      whole: Buffer.alloc(100_000, 'x'),
    });
    const whole = entryAt(bytes, 'whole');
    for (const name of names)
      bytes.copy(bytes, entryAt(bytes, name) + BEGIN, whole + BEGIN, whole + BEGIN + 8);
    const file = openCompoundFile(bytes);
    expect(file.stream('whole')).toEqual(file.stream('s0'));
    expect(() => names.map((name) => file.stream(name))).toThrow('broken');
  });
});
