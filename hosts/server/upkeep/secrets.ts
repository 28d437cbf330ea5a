import { randomBytes } from 'node:crypto';
import { openDatabase as openPostgres } from '../../../adapters/postgres/database.ts';
import { openDatabase as openSqlite } from '../../../adapters/sqlite/database.ts';
import { createKeyring, type Keyring } from '../../../core/secrets/keyring.ts';
import { COMMON_OPTIONS, type Command, noPositionals, readArguments } from '../command.ts';
import { type DatabaseSetting, readConfiguration } from '../configuration.ts';
import { isUsableThere } from '../database.ts';
import { keyPlace, requiredKeys } from '../secret-key.ts';
import { postgresRotating } from './postgres-rotating.ts';
import { type RotationEnd, rotateSecrets } from './rotate-secrets.ts';
import { sqliteRotating } from './sqlite-rotating.ts';

const rotate: Command = {
  name: 'secrets rotate',
  usage: '',
  summary: 'seals everything with the first secret key, also while the server runs',
  details:
    'Before, put a new key in front of the old one, and restart every server. After an interruption, run it again.',
  async run(args, terminal) {
    const { positionals } = readArguments(args, COMMON_OPTIONS);
    noPositionals(positionals);
    const configuration = readConfiguration(terminal.env, terminal.folder);
    const { database } = configuration;
    if (!(await isUsableThere(database))) throw new Error(`There is no database at ${database.name}.`);
    const keyring = createKeyring(requiredKeys(configuration), randomBytes);
    if (keyring.keyIds.length === 1) {
      throw new Error(
        `${keyPlace(configuration)} has only one secret key. Put a new one in front of it, restart every server, and run this again.`,
      );
    }
    const { renewed, left } = await rotated(database, keyring);
    const tables = Object.entries(left);
    const isComplete = tables.length === 0;
    terminal.print(
      { renewed, left, old_keys_needed: !isComplete },
      isComplete
        ? `${renewed} values are sealed with the first secret key now, and nothing in the database needs the others.\n` +
            `Wait a day, then remove them from ${keyPlace(configuration)} and restart every server. After that, ids of messages that agents still keep from before are not found, and assistants may have to register again.`
        : `${renewed} values are sealed with the first secret key now. Keep the other keys: some values still need them, or cannot be opened.\n` +
            tables.map(([table, count]) => `  ${table}: ${count}`).join('\n') +
            '\nRestart every server, so that all write with the first key, and run this again. countersign doctor shows what was changed outside Countersign.',
    );
  },
};

async function rotated(database: DatabaseSetting, keyring: Keyring): Promise<RotationEnd> {
  if (database.kind === 'file') {
    const db = openSqlite(database.file);
    try {
      return await rotateSecrets(sqliteRotating(db), keyring);
    } finally {
      db.close();
    }
  }
  const db = openPostgres(database.connectionString);
  try {
    return await rotateSecrets(postgresRotating(db), keyring);
  } finally {
    await db.close();
  }
}

export const SECRETS_COMMANDS: readonly Command[] = [rotate];
