import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { npm } from './npm.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCES = ['core', 'adapters', 'hosts', 'test/contracts', 'tsup.config.ts'];
/** tsup writes the declarations last. */
const BUILT = 'dist/hosts/embedded/countersign.d.ts';

/** The tarball as npm would publish it, in a folder of its own. */
export interface PackedPackage {
  readonly tarball: string;
  /**
   * Installs the tarball in a new, empty project that has no `overrides`.
   * @param node  the Node that installs it; its version must be one that all packages allow
   * @returns the project's folder
   */
  install(node?: string): Promise<string>;
  remove(): Promise<void>;
}

/** Packs the build. Builds before if the build is missing or older than the sources. */
export async function packPackage(): Promise<PackedPackage> {
  if (changedMs(BUILT) < Math.max(...SOURCES.map(changedMs))) await npm(ROOT, ['run', 'build']);
  const folder = await mkdtemp(join(tmpdir(), 'countersign-packed-'));
  const name = await npm(ROOT, ['pack', '--ignore-scripts', '--pack-destination', folder]);
  const tarball = join(folder, name.trim());
  return {
    tarball,
    async install(node) {
      const project = await mkdtemp(join(folder, 'project-'));
      await writeFile(join(project, 'package.json'), '{ "private": true }');
      await npm(project, ['install', '--engine-strict', tarball], node);
      return project;
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Modification time of a file, or of the newest file in a folder; 0 if there is none. */
function changedMs(path: string): number {
  const stat = statSync(join(ROOT, path), { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(join(ROOT, path)).map((name) => changedMs(join(path, name))));
}
