import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';

/**
 * Creates a file completely or not at all, readable only by its owner, and on disk once this resolves.
 * @param write  fills the empty file whose path it gets
 * @throws Error with a message for the user if the file exists; what `write` throws
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
    throw cause;
  }
}

function refuseExisting(path: string): void {
  if (existsSync(path)) throw new Error(`${path} exists already. Move it away, or use another name.`);
}
