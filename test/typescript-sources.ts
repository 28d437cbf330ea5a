import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['core', 'adapters', 'hosts'];

/** The published code, as the compiler's API sees it. */
export interface Sources {
  readonly program: ts.Program;
  /** Its own files, without those of packages. */
  readonly files: readonly ts.SourceFile[];
  isOwn(node: ts.Node): boolean;
  /** The path of a file from the project's root. */
  pathOf(file: ts.SourceFile): string;
}

/** Reads the files of the published folders, as `tsconfig.json` names them. */
export function typescriptSources(): Sources {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => readFileSync(file, 'utf8'));
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const isSource = (file: string) => FOLDERS.some((folder) => file.startsWith(join(ROOT, folder, '/')));
  const program = ts.createProgram(fileNames.filter(isSource), options);
  return {
    program,
    files: program.getSourceFiles().filter(({ fileName }) => isSource(fileName)),
    isOwn: (node) => isSource(node.getSourceFile().fileName),
    pathOf: ({ fileName }) => fileName.slice(ROOT.length + 1),
  };
}
