import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { createPrivateFolder } from '../../adapters/sqlite/private-folder.ts';

/** The files of a data folder. */
export const DATABASE_FILE = 'countersign.db';
export const KEY_FILE = 'countersign.key';
export const INDEX_FILE = 'countersign.index';

/**
 * The absolute path of the folder for the database and the key: the one that the settings name, else a `data` folder in
 * the working folder that contains Countersign's files, else the user's data folder. So a command finds the same data
 * wherever it runs.
 * @param setting  `COUNTERSIGN_DATA_DIR`; undefined if it is not set
 * @param folder   the working folder
 * @throws Error that names the settings, if the user has no home folder and it is needed
 */
export function dataFolder(
  setting: string | undefined,
  env: NodeJS.ProcessEnv,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): string {
  if (setting !== undefined) return resolve(folder, setting);
  // Earlier versions kept their data here.
  const local = join(folder, 'data');
  const isOurs = [DATABASE_FILE, KEY_FILE].some((name) => existsSync(join(local, name)));
  return isOurs ? local : join(userData(env, platform), 'countersign');
}

/**
 * Opens files of the data folder. Creates the folder if it is missing.
 * @param file  one of them
 * @throws Error that names the settings, if the system does not allow it; what `open` throws otherwise
 */
export function inDataFolder<Result>(file: string, open: () => Result): Result {
  const folder = dirname(file);
  try {
    createPrivateFolder(folder);
    return open();
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    throw new Error(
      `The data folder ${folder} cannot be used: ${cause.message}. ` +
        'COUNTERSIGN_DATA_DIR names another one, or COUNTERSIGN_DATABASE_URL another database.',
      { cause },
    );
  }
}

/** Where the programs of this user keep their data. Source: XDG Base Directory Specification; Apple; Microsoft. */
function userData(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = () => env.HOME || homeOfUser();
  switch (platform) {
    case 'darwin':
      return join(home(), 'Library', 'Application Support');
    case 'win32':
      return env.LOCALAPPDATA || join(home(), 'AppData', 'Local');
    default: {
      // The specification tells programs to ignore a relative path.
      const { XDG_DATA_HOME: set = '' } = env;
      return isAbsolute(set) ? set : join(home(), '.local', 'share');
    }
  }
}

/** @throws Error that names the settings, if the system knows no such user */
function homeOfUser(): string {
  try {
    return homedir();
  } catch (cause) {
    throw new Error(
      'This user has no home folder, so there is no place for data: set COUNTERSIGN_DATA_DIR, or COUNTERSIGN_DATABASE_URL ' +
        '(with COUNTERSIGN_SECRET_KEY, if it is Postgres).',
      { cause },
    );
  }
}
