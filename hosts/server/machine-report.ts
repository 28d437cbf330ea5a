import { existsSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { broken, type Finding, good, lacking } from '../../adapters/imap/report.ts';
import { isLoopback } from '../../adapters/remote/mail-server.ts';
import type { Configuration } from './configuration.ts';
import { keptSecretKey } from './secret-key.ts';

/** Read or written by others than its owner. */
const OTHERS = 0o077;

/**
 * Looks at what a server on this configuration would need: nothing is made, and nothing is changed.
 * @returns `secretKeys`: undefined when there is no database that could be opened with them
 */
export function checkMachine(configuration: Configuration): {
  readonly findings: readonly Finding[];
  readonly secretKeys: readonly Uint8Array[] | undefined;
} {
  const { databaseFile } = configuration;
  const findings = [good('settings', 'The settings can be used.'), ...checkAddresses(configuration)];
  if (!existsSync(databaseFile)) {
    const text = `There is no database at ${databaseFile}. The first command that needs it makes it, like countersign owner add.`;
    return { findings: [...findings, broken('database', text)], secretKeys: undefined };
  }
  const key = checkSecretKey(configuration);
  return { findings: [...findings, checkDatabase(databaseFile), key.finding], secretKeys: key.secretKeys };
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

function checkDatabase(file: string): Finding {
  const open = [file, `${file}-wal`, `${file}-shm`].filter((one) => existsSync(one) && othersMay(one));
  return open.length === 0
    ? good('database', `The database ${file} is there, and nobody else can read it.`)
    : broken('database', `Others can read the database: chmod 600 ${open.join(' ')}`);
}

function checkSecretKey({ databaseFile, secretKeys }: Configuration): {
  readonly finding: Finding;
  readonly secretKeys: readonly Uint8Array[] | undefined;
} {
  if (secretKeys !== undefined) {
    const finding = good('secret_key', 'The secret key is given by the settings.');
    return { finding, secretKeys };
  }
  try {
    const kept = keptSecretKey(databaseFile);
    const text = `The secret key is kept in ${databaseFile}.key, and nobody else can read it. Back it up with the database.`;
    return { finding: good('secret_key', text), secretKeys: [kept] };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { finding: broken('secret_key', error.message), secretKeys: undefined };
  }
}

function othersMay(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0;
}
