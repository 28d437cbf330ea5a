import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';

/**
 * The path of what `onceInRun` makes. It is inside the project, so that bundles find the packages. vitest.config.ts names the
 * folder of the run, and removes it.
 */
export function pathInRun(name: string): string {
  return join(z.string().parse(process.env.COUNTERSIGN_BUNDLES), name);
}

/**
 * Makes a folder once in a test run: the first file that needs it makes it, and the others wait for it.
 * @param make  fills the folder that it is given
 * @returns the folder
 */
export async function onceInRun(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = pathInRun(name);
  const unfinished = `${folder}.unfinished`;
  mkdirSync(dirname(folder), { recursive: true });
  while (!existsSync(folder)) {
    if (!isMine(unfinished)) await delay(100);
    else if (existsSync(folder)) rmSync(unfinished, { recursive: true });
    else {
      try {
        await make(unfinished);
        renameSync(unfinished, folder);
      } catch (error) {
        rmSync(unfinished, { recursive: true });
        throw error;
      }
    }
  }
  return folder;
}

/** Creates the folder, unless another file has. */
function isMine(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
