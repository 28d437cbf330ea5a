import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { createVitest } from 'vitest/node';
import { browserScripts } from '../hosts/dashboard/browser/build.mjs';
import { FILES, isLong, PART_NAMES } from './only-long.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** What pure tests do without: the whole service, databases, servers, other processes. */
const IMPURE = new RegExp(
  ['core/service/create-service', 'adapters/(sqlite|postgres)/', 'test/servers/', 'test/run-typescript'].join(
    '|',
  ),
);

/** Test files of each project in this run, by their path. */
const projects = new Map<string, string[]>();
beforeAll(async () => {
  const vitest = await createVitest('test', { root: ROOT, watch: false, run: false });
  try {
    for (const { project, moduleId } of await vitest.globTestSpecifications()) {
      const files = projects.get(project.name) ?? [];
      projects.set(project.name, [...files, moduleId.slice(ROOT.length + 1)]);
    }
  } finally {
    await vitest.close();
  }
});

describe('every test file', () => {
  it('runs once: in a project of the gate, or only in the long run', () => {
    const run = [...projects.values()].flat();
    const left = isLong ? [] : Object.keys(FILES);
    expect([...run, ...left].toSorted()).toEqual(testFiles().toSorted());
  });

  it('is pure if and only if it imports neither service, database nor server', async () => {
    const shared = [...(projects.get('pure') ?? []), ...(projects.get('together') ?? [])];
    const core = shared.filter((file) => file.startsWith('test/core/'));
    const imports = await importsOf(core);
    const pure = core.filter((file) => !imports(file).some((path) => IMPURE.test(path)));
    expect(projects.get('pure')?.toSorted()).toEqual(pure.toSorted());
  });
});

describe('every part that only the long run has', () => {
  it('is named in a test', () => {
    const texts = sources().flatMap((file) =>
      file === 'test/only-long.ts' ? [] : [readFileSync(join(ROOT, file), 'utf8')],
    );
    expect(PART_NAMES.filter((name) => !texts.some((text) => text.includes(`'${name}',`)))).toEqual([]);
  });
});

function sources(): string[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `test/${file}`);
}

function testFiles(): string[] {
  return sources().filter((file) => /\.(test|spec)\.tsx?$/.test(file));
}

/** @returns what each of the files imports, directly or not */
async function importsOf(files: readonly string[]): Promise<(file: string) => string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...files],
    bundle: true,
    // Otherwise each file gets all that it imports again.
    splitting: true,
    format: 'esm',
    write: false,
    metafile: true,
    outdir: 'unused',
    platform: 'node',
    packages: 'external',
    plugins: [browserScripts],
    logLevel: 'error',
  });
  return (file) => {
    const found = new Set<string>();
    const left = [file];
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      if (found.has(one)) continue;
      found.add(one);
      for (const { path, external } of metafile.inputs[one]?.imports ?? []) if (!external) left.push(path);
    }
    return [...found];
  };
}
