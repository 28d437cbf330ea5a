import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The bytes of each package in a project's node_modules, largest first. */
export async function packageSizes(project: string): Promise<{ name: string; bytes: number }[]> {
  const modules = join(project, 'node_modules');
  const sizes = new Map<string, number>();
  for (const entry of await readdir(modules, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const [first = '', second = ''] = path.slice(modules.length + 1).split('/');
    const name = first.startsWith('@') ? `${first}/${second}` : first;
    sizes.set(name, (sizes.get(name) ?? 0) + (await stat(path)).size);
  }
  return [...sizes].map(([name, bytes]) => ({ name, bytes })).sort((a, b) => b.bytes - a.bytes);
}

/** The bytes of a bundle that contains nothing but one export of the package, minified. */
export async function bundledBytes(project: string, name: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from '${name}';`, resolveDir: project },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0]?.contents.length ?? Number.NaN;
}
