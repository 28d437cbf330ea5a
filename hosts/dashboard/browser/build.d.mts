import type { Plugin } from 'esbuild';

export const browserScripts: Plugin;
export const browserScriptsInVite: {
  readonly name: string;
  readonly enforce: 'pre';
  load(id: string): Promise<string | undefined>;
};
