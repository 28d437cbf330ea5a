import type { Discovery, FoundServer, ServerSettings } from '../../adapters/discovery/discovery.ts';
import { discover } from './discovery.ts';
import type { Terminal } from './terminal.ts';

type Found = Extract<Discovery, { kind: 'found' }>;

export interface ConfirmedServers {
  readonly imap: ServerSettings;
  readonly smtp: ServerSettings;
  /** Undefined: none was found. */
  readonly caldav: { readonly url: string; readonly user: string } | undefined;
}

/**
 * The servers of an address that were found, once somebody has said yes to them.
 * @param isConfirmed  that was said beforehand
 * @throws Error for people, when nothing was found, or nobody said yes
 */
export async function confirmedServers(
  email: string,
  isConfirmed: boolean,
  terminal: Terminal,
): Promise<ConfirmedServers> {
  const discovery = await discover(email);
  switch (discovery.kind) {
    case 'unusable':
      throw new Error(discovery.reason);
    case 'nothing':
      throw new Error(`No servers were found for ${email}. ${discovery.tried.join(' ')} ${BY_HAND}`);
    case 'found':
      await confirm(discovery, isConfirmed, terminal);
      return {
        imap: settings(discovery.imap),
        smtp: settings(discovery.smtp),
        caldav: discovery.caldav && { url: discovery.caldav.url, user: discovery.caldav.user },
      };
  }
}

const BY_HAND =
  'Give the servers by hand, like --imap imaps://USER@imap.example.org --smtp smtp://USER@smtp.example.org';

async function confirm(found: Found, isConfirmed: boolean, terminal: Terminal): Promise<void> {
  if (isConfirmed) {
    terminal.tell(shown(found));
    return;
  }
  const answer = terminal.confirm(`${shown(found)}\nConnect to these servers?`);
  if (answer === undefined) {
    const { imap, smtp, caldav } = found;
    const calendar = caldav === undefined ? '' : `, and CalDAV at ${caldav.url} (user ${caldav.user})`;
    throw new Error(
      `Found IMAP at ${inWords(imap)} and SMTP at ${inWords(smtp)}, from ${imap.source}${calendar}; nothing was sent there. ` +
        'Say --yes to connect to them, or give others with --imap and --smtp.',
    );
  }
  if (!(await answer)) throw new Error(`Nothing was done. ${BY_HAND}`);
}

function shown({ imap, smtp, caldav, notes }: Found): string {
  const calendar = caldav && `CalDAV ${caldav.url} (user ${caldav.user})\n      from ${caldav.source}`;
  const lines = [
    `IMAP  ${inWords(imap)}\n      from ${imap.source}`,
    `SMTP  ${inWords(smtp)}\n      from ${smtp.source}`,
    ...(calendar === undefined ? [] : [calendar]),
    ...notes.map((note) => `Note  ${note}`),
  ];
  return lines.join('\n');
}

function inWords({ host, port, security, user }: FoundServer): string {
  return `${host}:${port} (${security === 'tls' ? 'TLS' : 'STARTTLS'}, user ${user})`;
}

function settings({ host, port, security, user }: FoundServer): ServerSettings {
  return { host, port, security, user };
}
