import type { Reach } from '../../../adapters/remote/connect.ts';
import type { AccountServers, ProbedServer } from '../../dashboard/accounts/account-fields.ts';
import {
  fingerprintText,
  impostorText,
  SERVER_TITLES,
  serverAddress,
} from '../../dashboard/accounts/server-words.ts';
import type { Terminal } from '../terminal.ts';
import { probeServers } from './probe-servers.ts';

type Untrusted = Extract<ProbedServer, { kind: 'untrusted' }>;

/**
 * Looks at the servers of an account before its password is asked for. In a terminal, the user may trust certificates
 * that cannot be verified.
 * @param command  the command that takes `--tls-fingerprint`, for messages
 * @returns the servers, with the certificates that the user trusts
 * @throws Error with a message for the user if a server cannot be used or is not trusted
 */
export async function trustedServers(
  servers: AccountServers,
  reach: Reach,
  terminal: Terminal,
  command: string,
): Promise<AccountServers> {
  // A calendar that cannot be used may be connected later.
  const probed = (await probeServers(servers, reach)).filter(
    ({ server, kind }) => server !== 'caldav' || kind !== 'problem',
  );
  const nameOf = ({ server }: ProbedServer) => `${SERVER_TITLES[server]} (${serverAddress(servers, server)})`;
  const problems = probed.flatMap((one) => (one.kind === 'problem' ? [`${nameOf(one)}: ${one.text}`] : []));
  if (problems.length > 0) throw new Error(`${problems.join(' ')} No password was sent.`);
  const untrusted = probed.filter((one) => one.kind === 'untrusted');
  const known = untrusted.find(({ isKnown }) => isKnown);
  if (known !== undefined) {
    throw new Error(`${nameOf(known)}: ${impostorText(known.because)} No password was sent.`);
  }
  let trusted = servers;
  for (const one of untrusted) {
    const answer = terminal.confirm(
      `${SERVER_TITLES[one.server]}  ${serverAddress(servers, one.server)}\n` +
        `      Its certificate is not verified, because ${one.because}.\n` +
        `      SHA-256 ${fingerprintText(one.fingerprint)}\n` +
        'If the server is your own, compare this with the fingerprint that the server shows. Trust it?',
    );
    if (answer === undefined) throw new Error(withoutTerminal(untrusted, nameOf, command));
    if (!(await answer)) throw new Error('Nothing was changed, and no password was sent.');
    trusted = withTrust(trusted, one);
  }
  return trusted;
}

function withoutTerminal(
  untrusted: readonly Untrusted[],
  nameOf: (one: Untrusted) => string,
  command: string,
): string {
  const troubles = untrusted.map(
    (one) => `${nameOf(one)}: its certificate is not verified, because ${one.because}.`,
  );
  const options = untrusted.map(
    ({ server, fingerprint }) => `--tls-fingerprint ${server}=${fingerprintText(fingerprint)}`,
  );
  return (
    `${troubles.join(' ')} No password was sent. If the servers are your own, compare the fingerprints with those that ` +
    `the servers show, and trust them with ${command} ${options.join(' ')}`
  );
}

function withTrust(servers: AccountServers, { server, fingerprint }: Untrusted): AccountServers {
  const { caldav } = servers;
  if (server === 'caldav') return { ...servers, caldav: caldav && { ...caldav, fingerprint } };
  return { ...servers, [server]: { ...servers[server], fingerprint } };
}
