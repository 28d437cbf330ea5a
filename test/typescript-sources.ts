import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');

/** The files of these top-level folders, as `tsconfig.json` names them, for a program of the compiler's API. */
export function typescriptSources(...folders: readonly string[]) {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => readFileSync(file, 'utf8'));
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const isSource = (file: string) => folders.some((folder) => file.startsWith(join(ROOT, folder, '/')));
  return {
    /** Without the types of packages: reading them takes twice the time of the rest. */
    ownProgram() {
      const host = ts.createCompilerHost(options);
      host.resolveModuleNameLiterals = (names, from) =>
        names.map(({ text }) =>
          text.startsWith('.')
            ? ts.resolveModuleName(text, from, options, host)
            : { resolvedModule: undefined },
        );
      return ts.createProgram(fileNames.filter(isSource), { ...options, types: ['node'] }, host);
    },
    fileNames: fileNames.filter(isSource),
    options,
    isSource,
    /** The path of a file from the project's root. */
    pathOf: ({ fileName }: ts.SourceFile) => fileName.slice(ROOT.length + 1),
  };
}
