import { existsSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { broken, type Finding, good, lacking } from '../../../adapters/imap/report.ts';
import { isLoopback } from '../../../adapters/remote/mail-server.ts';
import { privateServersInWords } from '../accounts/private-servers.ts';
import type { Configuration, DatabaseSetting } from '../configuration.ts';
import { isUsableThere } from '../database.ts';
import { loadSecretKeys } from '../secret-key.ts';

/** Permission bits for anyone but the owner. */
const OTHERS_BITS = 0o077;

/**
 * Checks what a server with this configuration needs. Creates and changes nothing.
 * @returns `canOpen`: there is a database, and a key to open it with
 */
export async function checkMachine(
  configuration: Configuration,
): Promise<{ readonly findings: readonly Finding[]; readonly canOpen: boolean }> {
  const findings = [
    good('settings', 'The settings are valid.'),
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
    `It listens on ${isIP(host) === 0 ? host : `the address ${host}`}, which other machines may reach, so passwords and ` +
    `keys would travel unencrypted. Put a TLS proxy in front of it and set ${open.map(({ name }) => name).join(' and ')}.`;
  return [lacking('addresses', text)];
}

interface Check {
  readonly finding: Finding;
  readonly isThere: boolean;
}

async function checkDatabase(database: DatabaseSetting): Promise<Check> {
  const { name } = database;
  try {
    const isThere = await isUsableThere(database);
    if (isThere) return { finding: foundDatabase(database), isThere };
    const created = 'The first command that needs it creates it, like countersign owner add.';
    const text =
      database.kind === 'file'
        ? `There is no database at ${name}. ${created}`
        : `The database ${name} answers, but has no tables yet. ${created}`;
    return { finding: broken('database', text), isThere };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { finding: broken('database', error.message), isThere: false };
  }
}

function foundDatabase(database: DatabaseSetting): Finding {
  const { name } = database;
  if (database.kind === 'postgres') return good('database', `The database ${name} answers.`);
  const open = [name, `${name}-wal`, `${name}-shm`].filter((one) => existsSync(one) && othersCanAccess(one));
  return open.length === 0
    ? good('database', `The database ${name} exists, and nobody else can read it.`)
    : broken('database', `Other users can read the database: chmod 600 ${open.join(' ')}`);
}

/** Only called for an existing database: a missing key is reported, not created. */
function checkSecretKey({ database, secretKeys }: Configuration): Check {
  if (secretKeys.kind === 'set') {
    return { finding: good('secret_key', 'The secret key comes from the settings.'), isThere: true };
  }
  try {
    loadSecretKeys(secretKeys.file, { name: database.name, isUsed: true });
    const text = `The secret key is in ${secretKeys.file}, and nobody else can read it. Back it up with the database.`;
    return { finding: good('secret_key', text), isThere: true };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { finding: broken('secret_key', error.message), isThere: false };
  }
}

function othersCanAccess(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & OTHERS_BITS) !== 0;
}
