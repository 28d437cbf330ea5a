import { randomBytes } from 'node:crypto';
import { calendarReport } from '../../../adapters/caldav/report.ts';
import { calendarSettings } from '../../../adapters/caldav/settings.ts';
import { broken, type Finding, imapReport } from '../../../adapters/imap/report.ts';
import { type ImapSettings, imapSettings, withTokens } from '../../../adapters/imap/settings.ts';
import { processReader } from '../../../adapters/reader/process-reader.ts';
import type { Reach } from '../../../adapters/remote/connect.ts';
import { withTimeLimit } from '../../../adapters/remote/time-limit.ts';
import type { TokenPorts } from '../../../core/accounts/access-token.ts';
import { mailCall } from '../../../core/accounts/mail-call.ts';
import type { Owner } from '../../../core/owners/owner-state.ts';
import type { Account } from '../../../core/ports/account.ts';
import type { MailAccount } from '../../../core/ports/mail.ts';
import type { Reader } from '../../../core/ports/reader.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { createKeyring, type Keyring } from '../../../core/secrets/keyring.ts';
import { systemClock } from '../../embedded/system-clock.ts';
import { reachOf } from '../accounts/private-servers.ts';
import { type Command, noPositionals, OWNER_OPTIONS, readArguments } from '../command.ts';
import { type Configuration, readConfiguration } from '../configuration.ts';
import { openDatabase } from '../database.ts';
import { jsonLog } from '../log.ts';
import { everyOwner } from '../owners/every-owner.ts';
import type { Terminal } from '../terminal.ts';
import { folderFindings } from './folder-findings.ts';
import { checkMachine } from './machine-report.ts';
import { checkOwner, type OwnerReport } from './tamper-report.ts';

/** For the servers of one account. */
const ACCOUNT_MS = 60_000;

/** One group of checks and their results. */
interface Section {
  readonly title: string;
  readonly findings: readonly Finding[];
}

interface AccountReport {
  readonly owner: string;
  readonly account_id: number;
  readonly email: string;
  readonly imap: ServerReport;
  readonly smtp: ServerReport;
  /** Null if the account has no calendar server. */
  readonly caldav: ServerReport | null;
}

interface ServerReport {
  /** Null if the settings cannot be read. */
  readonly server: string | null;
  readonly findings: readonly Finding[];
}

export const doctor: Command = {
  name: 'doctor',
  usage: '[--owner EMAIL]',
  summary: 'checks the settings, the database, what was changed in it, and every account',
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, OWNER_OPTIONS);
    noPositionals(positionals);
    const configuration = readConfiguration(terminal.env, terminal.folder);
    const { findings: machine, canOpen } = await checkMachine(configuration);
    const { owners, accounts } = canOpen ? await checkOwners(configuration, terminal, values.owner) : NOBODY;
    report(terminal, machine, owners, accounts);
  },
};

interface Checked {
  readonly owners: readonly OwnerReport[];
  readonly accounts: readonly AccountReport[];
}

const NOBODY: Checked = { owners: [], accounts: [] };

/** @throws Error if there is no such owner or the database cannot be opened */
async function checkOwners(
  configuration: Configuration,
  terminal: Terminal,
  ownerEmail: string | undefined,
): Promise<Checked> {
  const { storage, secretKeys } = await openDatabase(configuration);
  const { mailProviders } = configuration;
  const log = jsonLog(configuration.log, terminal.log);
  const ports: TokenPorts = { storage, clock: systemClock, log, mailProviders };
  const keyring = createKeyring(secretKeys, randomBytes);
  const reach = reachOf(configuration, storage);
  const reader = processReader();
  try {
    const owners: OwnerReport[] = [];
    const accounts: AccountReport[] = [];
    for await (const owner of ownersToCheck(storage, configuration.database.name, ownerEmail)) {
      owners.push(await checkOwner(storage, keyring, owner, new Date()));
      for (const account of await storage.accounts(owner.ownerId)) {
        accounts.push(await checkAccount(ports, keyring, { reach, reader }, owner, account));
      }
    }
    return { owners, accounts };
  } finally {
    await reader.close();
    await storage.close();
  }
}

/** @param database  for messages */
async function* ownersToCheck(
  storage: Storage,
  database: string,
  email: string | undefined,
): AsyncGenerator<Owner> {
  if (email === undefined) {
    yield* everyOwner((page) => storage.owners(page));
    return;
  }
  const found = await storage.ownerByEmail(email);
  if (found === undefined) throw new Error(`There is no owner ${email} in ${database}.`);
  yield found;
}

/** How the servers of accounts are reached, and who reads what they answer. */
interface Servers {
  readonly reach: Reach;
  readonly reader: Reader;
}

function checkAccount(
  ports: TokenPorts,
  keyring: Keyring,
  servers: Servers,
  owner: Owner,
  account: Account,
): Promise<AccountReport> {
  const { signal } = new AbortController();
  return withTimeLimit({ signal, ms: ACCOUNT_MS }, (limit) =>
    accountReport(ports, keyring, servers, owner, account, limit),
  );
}

async function accountReport(
  ports: TokenPorts,
  keyring: Keyring,
  { reach, reader }: Servers,
  owner: Owner,
  account: Account,
  limit: AbortSignal,
): Promise<AccountReport> {
  const facts = { owner: owner.email, account_id: account.accountId, email: account.email };
  const mailAccount = mailCall(ports, keyring, account, limit, ACCOUNT_MS).account;
  const { accessToken } = mailAccount;
  const settings = await settingsOf(mailAccount);
  if (settings === undefined) {
    const text =
      'The settings of this account cannot be read: they were sealed with another secret key, or are damaged. ' +
      'Restore the right key, or remove the account and connect it again.';
    const unread = { server: null, findings: [] };
    return {
      ...facts,
      imap: { ...unread, findings: [broken('settings', text)] },
      smtp: unread,
      caldav: null,
    };
  }
  const { caldav } = calendarSettings.safeParse(settings).data ?? {};
  const [{ imap, smtp, folders }, calendar] = await Promise.all([
    imapReport(withTokens(settings, mailAccount), reach, limit),
    caldav === undefined
      ? []
      : calendarReport(
          { ...caldav, accessToken },
          account.email,
          reach,
          { reader, ownerId: owner.ownerId },
          limit,
        ),
  ]);
  return {
    ...facts,
    imap: {
      server: `${settings.imap.host}:${settings.imap.port}`,
      findings: [...imap, ...(folders === undefined ? [] : folderFindings(account.folderRoles, folders))],
    },
    smtp: { server: `${settings.smtp.host}:${settings.smtp.port}`, findings: smtp },
    caldav: caldav === undefined ? null : { server: new URL(caldav.url).host, findings: calendar },
  };
}

async function settingsOf(account: MailAccount): Promise<ImapSettings | undefined> {
  let unsealed: unknown;
  try {
    unsealed = await account.settings();
  } catch {
    // Sealed with another key, or damaged. Either way they are unreadable.
    return undefined;
  }
  return imapSettings.safeParse(unsealed).data;
}

/** @throws Error after printing everything, if something is broken */
function report(
  terminal: Terminal,
  machine: readonly Finding[],
  owners: readonly OwnerReport[],
  accounts: readonly AccountReport[],
): void {
  const sections = [
    { title: 'This machine', findings: machine },
    ...owners.flatMap(({ owner, sign_in, keys, requests, activity }) => [
      { title: `Sign-in of ${owner}`, findings: sign_in },
      { title: `Keys of ${owner}`, findings: keys },
      { title: `Requests of ${owner}`, findings: requests },
      { title: `Activity of ${owner}`, findings: activity },
    ]),
    ...accounts.flatMap((account) => [
      { title: titleOf(account, 'IMAP', account.imap), findings: account.imap.findings },
      { title: titleOf(account, 'SMTP', account.smtp), findings: account.smtp.findings },
      ...(account.caldav === null
        ? []
        : [{ title: titleOf(account, 'CalDAV', account.caldav), findings: account.caldav.findings }]),
    ]),
  ];
  const faults = sections.flatMap(({ findings }) => findings).filter(({ state }) => state === 'broken');
  const nobody = accounts.length === 0 ? '\n\nNo account is connected.' : '';
  terminal.print(
    { ok: faults.length === 0, machine, owners, accounts },
    `${sections.map(inWords).join('\n\n')}${nobody}`,
  );
  if (faults.length > 0) {
    throw new Error(faults.length === 1 ? '1 problem found.' : `${faults.length} problems found.`);
  }
}

function titleOf(
  { owner, account_id, email }: AccountReport,
  protocol: string,
  { server }: ServerReport,
): string {
  return `${email} (account ${account_id} of ${owner}): ${protocol}${server === null ? '' : `, ${server}`}`;
}

const MARKS: Readonly<Record<Finding['state'], string>> = {
  good: 'ok    ',
  lacking: 'note  ',
  broken: 'BROKEN',
};

/** What to do if a server cannot be used. Other findings say so themselves. */
const NEXT: ReadonlyMap<string, string> = new Map([
  [
    'sign_in',
    'If the password has changed, or the provider requires an app password, update it: countersign account password. ' +
      'If the owner signed in at a provider, sign in there again.',
  ],
  [
    'connection',
    "Try again later. If the problem persists, ask the server's administrator. For other servers or a new certificate: countersign account servers.",
  ],
]);

function inWords({ title, findings }: Section): string {
  const lines = findings.map(({ check, state, text }) => {
    const next = state === 'broken' ? NEXT.get(check) : undefined;
    return `  ${MARKS[state]}  ${printable(next === undefined ? text : `${text} ${next}`)}`;
  });
  return [title, ...lines].join('\n');
}

/** Server-supplied text must not control the terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\u{FFFD}');
}
