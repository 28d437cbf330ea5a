import { defineConfig } from 'tsup';
import { browserScripts } from './hosts/dashboard/browser/build.mjs';
import packageJson from './package.json' with { type: 'json' };

/** What package.json exports, by the path that it has below dist. */
const exported = Object.values(packageJson.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.replace(/^\.\/dist\/(.*)\.js$/, '$1')],
);

const files = (paths: readonly string[], place: (path: string) => string) =>
  Object.fromEntries(paths.map((path) => [path, place(path)]));

export default defineConfig({
  entry: files([...exported, 'hosts/server/cli'], (path) => `${path}.ts`),
  // tsc writes .types first. From the sources, tsup would hold the whole program in memory once for each folder.
  dts: { entry: files(exported, (path) => `.types/${path}.d.ts`) },
  format: 'esm',
  target: 'node20',
  platform: 'node',
  // Shared chunks keep one ServiceError for all entries, so that `instanceof` holds between them.
  splitting: true,
  esbuildPlugins: [browserScripts],
  clean: true,
});
