import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { onceInRun } from '../once-in-run.ts';
import { npm } from './npm.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCES = ['core', 'adapters', 'hosts', 'test/contracts', 'tsup.config.ts'];
/** tsup writes the declarations last. */
const BUILT = 'dist/hosts/embedded/countersign.d.ts';
const TARBALL = 'countersign.tgz';
const PROJECT = 'project.tar';

const run = promisify(execFile);

/** The package as npm would publish it, packed and installed once in a test run. */
export interface PackedPackage {
  /**
   * @param node  the Node that installs it; its version must be one that all packages allow
   * @returns the folder of a new project that has nothing but the installed tarball, and no `overrides`
   */
  install(node?: string): Promise<string>;
  /** Removes the projects. */
  remove(): Promise<void>;
}

/** Packs the build. Builds before if the build is missing or older than the sources. */
export async function packPackage(): Promise<PackedPackage> {
  const packed = await onceInRun('packed', async (folder) => {
    if (changedMs(BUILT) < Math.max(...SOURCES.map(changedMs))) await npm(ROOT, ['run', 'build']);
    const name = await npm(ROOT, ['pack', '--ignore-scripts', '--pack-destination', folder]);
    await rename(join(folder, name.trim()), join(folder, TARBALL));
  });
  const tarball = join(packed, TARBALL);
  const projects: string[] = [];
  const newProject = async () => {
    // Outside of this project, whose packages it must not find.
    const project = await mkdtemp(join(tmpdir(), 'countersign-installed-'));
    projects.push(project);
    return project;
  };
  return {
    async install(node = process.execPath) {
      const installed = await onceInRun(`installed-by${node.replaceAll('/', '-')}`, async (folder) => {
        const project = await newProject();
        await copyFile(tarball, join(project, TARBALL));
        await writeFile(join(project, 'package.json'), '{ "private": true }');
        await npm(project, ['install', '--engine-strict', `./${TARBALL}`], node);
        await run('tar', ['-cf', join(folder, PROJECT), '-C', project, '.']);
      });
      const project = await newProject();
      await run('tar', ['-xf', join(installed, PROJECT), '-C', project]);
      return project;
    },
    async remove() {
      for (const project of projects) await rm(project, { recursive: true });
    },
  };
}

/** Modification time of a file, or of the newest file in a folder; 0 if there is none. */
function changedMs(path: string): number {
  const stat = statSync(join(ROOT, path), { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(join(ROOT, path)).map((name) => changedMs(join(path, name))));
}
