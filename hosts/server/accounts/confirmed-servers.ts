import type { Discovery, FoundServer, ServerSettings } from '../../../adapters/discovery/discovery.ts';
import type { Reader } from '../../../core/ports/reader.ts';
import type { Terminal } from '../terminal.ts';
import { discover } from './discovery.ts';

type Found = Extract<Discovery, { kind: 'found' }>;

interface ConfirmedServers {
  readonly imap: ServerSettings;
  readonly smtp: ServerSettings;
  /** Undefined if none was found. */
  readonly caldav: { readonly url: string; readonly user: string } | undefined;
}

/**
 * Finds the servers of an address and asks the user to confirm them.
 * @param isConfirmed  the user has confirmed in advance (`--yes`)
 * @throws Error with a message for the user, if nothing was found or confirmed
 */
export async function confirmedServers(
  email: string,
  isConfirmed: boolean,
  terminal: Terminal,
  reader: Reader,
): Promise<ConfirmedServers> {
  const discovery = await discover(email, reader);
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
  'Set the servers yourself, like --imap imaps://USER@imap.example.org --smtp smtp://USER@smtp.example.org';

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
      `Found IMAP at ${inWords(imap)} and SMTP at ${inWords(smtp)}, from ${imap.source}${calendar}. Nothing was sent there. ` +
        'Use --yes to connect to them, or set others with --imap and --smtp.',
    );
  }
  if (!(await answer)) throw new Error(`Nothing was changed. ${BY_HAND}`);
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
