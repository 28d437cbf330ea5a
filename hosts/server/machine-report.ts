import { existsSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { broken, type Finding, good, lacking } from '../../adapters/imap/report.ts';
import { isLoopback } from '../../adapters/remote/mail-server.ts';
import type { Configuration, DatabaseSetting } from './configuration.ts';
import { isMade } from './database.ts';
import { privateServersInWords } from './private-servers.ts';
import { keptSecretKey } from './secret-key.ts';

/** Read or written by others than its owner. */
const OTHERS = 0o077;

/**
 * Looks at what a server on this configuration would need: nothing is made, and nothing is changed.
 * @returns `canOpen`: there is a database, and a key to open it with
 */
export async function checkMachine(
  configuration: Configuration,
): Promise<{ readonly findings: readonly Finding[]; readonly canOpen: boolean }> {
  const findings = [
    good('settings', 'The settings can be used.'),
    ...checkAddresses(configuration),
    good('private_servers', privateServersInWords(configuration)),
  ];
  const database = await checkDatabase(configuration.database);
  if (!database.isThere) return { findings: [...findings, database.finding], canOpen: false };
  const key = checkSecretKey(configuration);
  return { findings: [...findings, database.finding, key.finding], canOpen: key.isThere };
}

function checkAddresses({ host, baseUrl, dashboardUrl }: Configuration): readonly Finding[] {
  if (isLoopback(host)) return [];
  const open = [
    { name: 'COUNTERSIGN_DASHBOARD_URL', url: dashboardUrl },
    { name: 'COUNTERSIGN_BASE_URL', url: baseUrl },
  ].filter(({ url }) => url?.startsWith('https:') !== true);
  if (open.length === 0) return [];
  const text =
    `It listens on ${isIP(host) === 0 ? host : `the address ${host}`}, which others may reach, and passwords and keys ` +
    `would go there unencrypted. Put a proxy with TLS before it and set ${open.map(({ name }) => name).join(' and ')}.`;
  return [lacking('addresses', text)];
}

interface Looked {
  readonly finding: Finding;
  readonly isThere: boolean;
}

async function checkDatabase(database: DatabaseSetting): Promise<Looked> {
  const { name } = database;
  try {
    const isThere = database.kind === 'file' ? existsSync(database.file) : await isMade(database);
    if (isThere) return { finding: foundDatabase(database), isThere };
    const made = 'The first command that needs it makes it, like countersign owner add.';
    const text =
      database.kind === 'file'
        ? `There is no database at ${name}. ${made}`
        : `The database ${name} answers, but nothing is made in it yet. ${made}`;
    return { finding: broken('database', text), isThere };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { finding: broken('database', error.message), isThere: false };
  }
}

function foundDatabase(database: DatabaseSetting): Finding {
  const { name } = database;
  if (database.kind === 'postgres') return good('database', `The database ${name} answers.`);
  const open = [name, `${name}-wal`, `${name}-shm`].filter((one) => existsSync(one) && othersMay(one));
  return open.length === 0
    ? good('database', `The database ${name} is there, and nobody else can read it.`)
    : broken('database', `Others can read the database: chmod 600 ${open.join(' ')}`);
}

/** Of a database that is there: a key that is missing is not made. */
function checkSecretKey({ database, secretKeyFile, secretKeys }: Configuration): Looked {
  if (secretKeys !== undefined) {
    return { finding: good('secret_key', 'The secret key is given by the settings.'), isThere: true };
  }
  try {
    keptSecretKey(secretKeyFile, { name: database.name, isUsed: true });
    const text = `The secret key is kept in ${secretKeyFile}, and nobody else can read it. Back it up with the database.`;
    return { finding: good('secret_key', text), isThere: true };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { finding: broken('secret_key', error.message), isThere: false };
  }
}

function othersMay(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0;
}
