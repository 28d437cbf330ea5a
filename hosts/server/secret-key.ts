import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Configuration, SecretKeySetting } from './configuration.ts';
import { inDataFolder } from './data-folder.ts';

const KEY_BYTES = 32;
/** Permission bits for anyone but the owner. */
const OTHERS_BITS = 0o077;

/**
 * The secret keys of a database, kept in a file with mode 0600, one a line. The first one is created once.
 * @param database `name`: for messages; `isUsed`: it already holds data sealed with a key. Find that out before this call:
 *   a process that starts at the same time creates the key before the database.
 * @throws Error if the key is missing although the database is used, readable by others, or damaged
 */
export function loadSecretKeys(
  file: string,
  database: { readonly name: string; readonly isUsed: boolean },
): readonly Uint8Array[] {
  if (!existsSync(file)) {
    if (database.isUsed) {
      throw new Error(
        `The secret key of ${database.name} is missing: restore ${file}, or set COUNTERSIGN_SECRET_KEY. ` +
          'Without it, nothing in the database can be read.',
      );
    }
    inDataFolder(file, () => createKeyFile(file));
  }
  if (process.platform !== 'win32' && (statSync(file).mode & OTHERS_BITS) !== 0) {
    throw new Error(`Other users can read the secret key: chmod 600 ${file}`);
  }
  const lines = readFileSync(file, 'utf8').trim().split(/\s+/);
  const keys = lines.map((line) => Buffer.from(line, 'base64'));
  if (keys.some((key) => key.length !== KEY_BYTES)) {
    throw new Error(`The secret key in ${file} is damaged: each line must be ${KEY_BYTES} bytes in base64.`);
  }
  return keys;
}

/** The configured secret keys, as `loadSecretKeys` returns those of a file. */
export function configuredKeys(
  setting: SecretKeySetting,
  database: { readonly name: string; readonly isUsed: boolean },
): readonly Uint8Array[] {
  return setting.kind === 'set' ? setting.keys : loadSecretKeys(setting.file, database);
}

/**
 * The configured secret keys of a database that is used, or is about to be restored. Creates none.
 * @throws Error with a message for the user if there is none
 */
export function requiredKeys({ database: { name }, secretKeys }: Configuration): readonly Uint8Array[] {
  return configuredKeys(secretKeys, { name, isUsed: true });
}

/** Where the secret key is configured, for messages. */
export function keyPlace({ secretKeys }: Configuration): string {
  return secretKeys.kind === 'file' ? secretKeys.file : 'COUNTERSIGN_SECRET_KEY';
}

/** Creates the file completely or not at all. If two processes start at once, one creates it and both read it. */
function createKeyFile(file: string): void {
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
