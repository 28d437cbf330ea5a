// The dashboard's scripts as texts: an import of `./page.ts?script` is the bundle of that file, a classic script for
// browsers. Whatever runs or bundles the sources needs one of the two plugins. The built package contains the texts.
import { resolve } from 'node:path';
import { build } from 'esbuild';

const MARK = /\?script$/;

async function bundle(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    format: 'iife',
    target: 'es2021',
    // Without comments and indentation, but with the names of the sources.
    minifyWhitespace: true,
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0].text;
}

/** For esbuild and tsup. */
export const browserScripts = {
  name: 'browser scripts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: MARK }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path.replace(MARK, '')),
      namespace: 'browser-script',
    }));
    onLoad({ filter: /./, namespace: 'browser-script' }, async ({ path }) => ({
      contents: await bundle(path),
      loader: 'text',
    }));
  },
};

/** For Vite and Vitest. */
export const browserScriptsInVite = {
  name: 'browser scripts',
  enforce: 'pre',
  async load(id) {
    if (!MARK.test(id)) return undefined;
    return `export default ${JSON.stringify(await bundle(id.replace(MARK, '')))};`;
  },
};
