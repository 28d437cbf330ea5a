import { randomBytes } from 'node:crypto';
import { openDatabase as openPostgres } from '../../../adapters/postgres/database.ts';
import { openDatabase as openSqlite } from '../../../adapters/sqlite/database.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { postgresRotating } from '../../../hosts/server/upkeep/postgres-rotating.ts';
import { rotateSecrets } from '../../../hosts/server/upkeep/rotate-secrets.ts';
import { sqliteRotating } from '../../../hosts/server/upkeep/sqlite-rotating.ts';

/** Rotates the secrets of a database, and is killed when it seals the n-th value. */

const [, , url = '', keys = '', killAt = ''] = process.argv;
const keyring = createKeyring(
  keys.split(',').map((key) => Buffer.from(key, 'base64')),
  randomBytes,
);
let sealed = 0;
const killed = {
  ...keyring,
  seal(...args: Parameters<typeof keyring.seal>) {
    sealed += 1;
    if (sealed === Number(killAt)) process.kill(process.pid, 'SIGKILL');
    return keyring.seal(...args);
  },
};
await rotateSecrets(
  url.startsWith('file:')
    ? sqliteRotating(openSqlite(url.slice('file:'.length)))
    : postgresRotating(openPostgres(url)),
  killed,
);
