import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a file completely or not at all, readable only by its owner, and on disk once this resolves.
 * @param write  fills the empty file whose path it gets
 * @throws Error with a message for the user if the file exists or cannot be written; what `write` throws otherwise
 */
export async function createNewFile<Result>(
  path: string,
  write: (draft: string) => Promise<Result> | Result,
): Promise<Result> {
  refuseExisting(path);
  const draft = `${path}.${randomUUID()}`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    const result = await write(draft);
    const file = openSync(draft, 'r+');
    fsyncSync(file);
    closeSync(file);
    refuseExisting(path);
    renameSync(draft, path);
    return result;
  } catch (cause) {
    for (const rest of ['', '-wal', '-shm', '-journal']) rmSync(`${draft}${rest}`, { force: true });
    const reason = reasonOf(cause, dirname(path));
    throw reason === undefined ? cause : new Error(`${path} cannot be written: ${reason}`, { cause });
  }
}

/** Why a file cannot be written, by the code of the system or of SQLite. Undefined: for another reason. */
function reasonOf(cause: unknown, folder: string): string | undefined {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `there is no folder ${folder}. Create it, or use another one.`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `you may not write to the folder ${folder}. Use another one.`;
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
    case 'SQLITE_FULL':
      return `there is not enough space in the folder ${folder}. Make room, or use another one.`;
    default:
      return code.startsWith('SQLITE_IOERR')
        ? `the disk of the folder ${folder} reports an error. Use another one.`
        : undefined;
  }
}

function refuseExisting(path: string): void {
  if (existsSync(path)) throw new Error(`${path} exists already. Move it away, or use another name.`);
}
