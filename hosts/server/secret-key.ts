import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const KEY_BYTES = 32;
/** Read or written by others than its owner. */
const OTHERS = 0o077;

/**
 * The secret key of a database, that is kept in a file with mode 0600; made once.
 * @param database `name`: how messages call it; `isUsed`: somebody has written it, with a key. To be found out before
 *   this is called: whoever starts beside us makes the key before the database.
 * @throws Error when it is missing although the database is used, can be read by others, or is damaged
 */
export function keptSecretKey(
  file: string,
  database: { readonly name: string; readonly isUsed: boolean },
): Uint8Array {
  if (!existsSync(file)) {
    if (database.isUsed) {
      throw new Error(
        `The secret key of ${database.name} is missing: put ${file} back, or set COUNTERSIGN_SECRET_KEY. ` +
          'Without it nothing that was stored can be read.',
      );
    }
    make(file);
  }
  if (process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0) {
    throw new Error(`Others can read the secret key: chmod 600 ${file}`);
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (key.length !== KEY_BYTES) {
    throw new Error(`The secret key in ${file} is damaged: it must be ${KEY_BYTES} bytes in base64.`);
  }
  return key;
}

/** Whole or not at all; of two processes that start at once, one makes it and both read it. */
function make(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, file);
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause;
  } finally {
    rmSync(draft);
  }
}
