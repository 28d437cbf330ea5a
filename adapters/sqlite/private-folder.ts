import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder that only its user can enter, and those above it that are missing. Node's recursive `mkdirSync` never
 * returns where a file system allows no folders (/proc), and calls a read-only one a missing file.
 * @throws Error of `mkdirSync`, for the folder that cannot be created
 */
export function createPrivateFolder(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path && !existsSync(above)) createPrivateFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/** Creates a file and its folder, unless they are there, for its user alone. */
export function createPrivateFile(file: string): void {
  createPrivateFolder(dirname(file));
  // 'a' creates a missing file, and leaves an existing one unchanged.
  closeSync(openSync(file, 'a', 0o600));
}
