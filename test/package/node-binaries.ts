import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { npm } from './npm.ts';

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/countersign-nodes');

export interface NodeBinary {
  readonly major: number;
  readonly path: string;
}

/**
 * Returns the newest Node of each range in package.json's `engines`. npm has its binaries as packages of their own. They
 * are kept for the next run.
 */
export async function nodeBinaries(): Promise<NodeBinary[]> {
  const ranges = packageJson.engines.node.split(' || ');
  const binaries = ranges.map((range) => {
    const major = Number.parseInt(range.slice(1), 10);
    return { range, major, path: join(CACHE, 'node_modules', `node-${major}`, 'bin', 'node') };
  });
  const missing = binaries.filter(({ path }) => !existsSync(path));
  if (missing.length > 0) {
    await mkdir(CACHE, { recursive: true });
    await writeFile(join(CACHE, 'package.json'), '{}');
    const packages = missing.map(
      ({ range, major }) => `node-${major}@npm:node-${process.platform}-${process.arch}@${range}`,
    );
    await npm(CACHE, ['install', '--ignore-scripts', ...packages]);
  }
  return binaries;
}
