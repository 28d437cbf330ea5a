import type { Owner } from '../../../core/owners/owner-state.ts';
import type { Account } from '../../../core/ports/account.ts';
import { healthOf, type ServerHealth } from '../../../core/ports/account-health.ts';
import type { CalendarInfo } from '../../../core/ports/calendar.ts';
import type { Service } from '../../../core/service/service.ts';
import type { AccountServers } from '../../dashboard/accounts/account-fields.ts';
import {
  type Command,
  noPositionals,
  OWNER_OPTIONS,
  onlyPositional,
  readArguments,
  required,
  UsageError,
} from '../command.ts';
import type { Configuration } from '../configuration.ts';
import type { Terminal } from '../terminal.ts';
import { withOwner } from '../with-service.ts';
import { confirmedServers } from './confirmed-servers.ts';
import { fieldsOf, mailSettings, withCalendar } from './mail-settings.ts';
import { reachOfService } from './private-servers.ts';
import { redirectPort, SIGN_IN_OPTIONS, signInAtProvider } from './provider-sign-in.ts';
import {
  chosenServers,
  SERVER_OPTIONS,
  SERVER_USAGE,
  type TypedServers,
  typedServers,
} from './server-options.ts';
import { trustedServers } from './trusted-servers.ts';

/** The name and signature of mail that an account sends. */
const TEXT_OPTIONS = { 'display-name': { type: 'string' }, signature: { type: 'string' } } as const;

const accountAdd: Command = {
  name: 'account add',
  usage:
    `--owner EMAIL --email ADDRESS [--imap URL --smtp URL | --yes] ${SERVER_USAGE} ` +
    '[--display-name NAME] [--signature TEXT]\n' +
    '--owner EMAIL --email ADDRESS --provider ID [--redirect-port PORT] [--calendar NAME] ' +
    '[--display-name NAME] [--signature TEXT]',
  summary: 'connects a mailbox and its calendar',
  details:
    'The password comes from stdin. Nothing is saved unless the mail servers accept it; a calendar that cannot be connected ' +
    'can be connected later (countersign account servers). Without URLs, Countersign finds the ' +
    'servers, shows them, and connects once you confirm (--yes: at once). In a terminal, it shows a certificate that ' +
    'cannot be verified, for you to trust; --tls-fingerprint trusts one in advance. --calendar names the calendar for new ' +
    'events. --display-name is the name in the From of its mail. With --provider, the owner signs in there instead of a ' +
    'password.',
  async run(args, terminal) {
    const options = {
      ...OWNER_OPTIONS,
      email: { type: 'string' },
      ...SERVER_OPTIONS,
      ...TEXT_OPTIONS,
      yes: { type: 'boolean' },
      provider: { type: 'string' },
      ...SIGN_IN_OPTIONS,
    } as const;
    const { values, positionals } = readArguments(args, options);
    noPositionals(positionals);
    const ownerEmail = required(values.owner, '--owner');
    const email = required(values.email, '--email');
    const { provider: providerId, 'display-name': displayName = '', signature = '' } = values;
    if (providerId !== undefined) {
      const port = redirectPort(values['redirect-port']);
      const others = [values.imap, values.smtp, values.caldav, values['tls-fingerprint']];
      if (others.some((value) => value !== undefined) || values['no-calendar'] === true)
        throw new UsageError('--provider sets the servers: leave out the other options');
      const { calendar } = values;
      const purpose = { kind: 'connect', email, displayName, signature } as const;
      const { accountId } = await withOwner(terminal, ownerEmail, async (service, { ownerId }) => {
        const signedIn = await signInAtProvider(service, { ownerId, providerId, purpose }, port, terminal);
        if (calendar !== undefined) await writeTo(service, ownerId, signedIn.accountId, calendar);
        return signedIn;
      });
      terminal.print({ account_id: accountId }, `Account ${accountId} (${email}) is connected.`);
      return;
    }
    if (values['redirect-port'] !== undefined) throw new UsageError('--redirect-port needs --provider');
    const typed = typedServers(values);
    const isFound = typed.imap === undefined && typed.smtp === undefined;
    const typedOnly = isFound ? undefined : chosenServers(undefined, typed, email);
    const { accountId, note } = await withOwner(
      terminal,
      ownerEmail,
      async (service, { ownerId }, configuration, reader) => {
        const servers =
          typedOnly ??
          chosenServers(await confirmedServers(email, values.yes === true, terminal, reader), typed, email);
        const reach = reachOfService(configuration, service);
        const trusted = await trustedServers(servers, reach, terminal, 'countersign account add …');
        const account = { ownerId, email };
        const settings = await passwordSettings(service, account, trusted, typed.calendar, terminal);
        const added = await service.accounts.connect({ ...account, displayName, signature, settings });
        const trouble = await calendarNote(service, ownerId, added.accountId, ownerEmail);
        return { ...added, note: trouble ?? (servers.caldav === undefined ? '.' : ', with its calendar.') };
      },
    );
    terminal.print({ account_id: accountId }, `Account ${accountId} (${email}) is connected${note}`);
  },
};

/**
 * Says what is wrong with the calendar of an account that was just connected or changed, and what to do. The text ends
 * one sentence and adds another. Undefined: nothing is wrong.
 */
async function calendarNote(
  { accounts }: Service,
  ownerId: string,
  accountId: number,
  ownerEmail: string,
): Promise<string | undefined> {
  const calendar = healthOf(await accounts.health(ownerId), accountId, 'calendar');
  if (calendar === undefined || calendar.state === 'working') return undefined;
  if (calendar.state === 'no_calendar') return `. But ${calendar.reason}.`;
  const command = `countersign account servers ${accountId} --owner ${ownerEmail} --caldav URL`;
  return `. But its calendar is not: ${calendar.reason}. Connect it later: ${command}`;
}

const accountList: Command = {
  name: 'account list',
  usage: '--owner EMAIL',
  summary: "lists an owner's accounts, and what is wrong with their servers",
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, OWNER_OPTIONS);
    noPositionals(positionals);
    const email = required(values.owner, '--owner');
    const { owner, accounts, health } = await withOwner(terminal, email, async (service, found) => ({
      owner: found,
      accounts: await service.accounts.list(found.ownerId),
      health: await service.accounts.health(found.ownerId),
    }));
    const legsOf = (account: Account) => health.filter(({ accountId }) => accountId === account.accountId);
    terminal.print(
      { accounts: accounts.map((account) => row(account, owner, legsOf(account))) },
      accounts.length === 0
        ? `${email} has no accounts.`
        : accounts.map((one) => line(one, owner, legsOf(one))).join('\n'),
    );
  },
};

const accountRemove: Command = {
  name: 'account remove',
  usage: 'ACCOUNT_ID --owner EMAIL',
  summary: 'removes a mailbox and its password, and cancels its waiting requests',
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, OWNER_OPTIONS);
    const accountId = accountIdIn(positionals);
    await withAccount(terminal, values.owner, accountId, (service, { ownerId }) =>
      service.accounts.remove(ownerId, accountId),
    );
    terminal.print({ account_id: accountId }, `Account ${accountId} is removed.`);
  },
};

const accountPassword: Command = {
  name: 'account password',
  usage: 'ACCOUNT_ID --owner EMAIL',
  summary: 'updates the password of a mailbox',
  details:
    'The password comes from stdin. Nothing is saved unless the mail servers accept it, and the calendar server if it worked ' +
    'before. What waits for the account goes on by itself.',
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, OWNER_OPTIONS);
    const accountId = accountIdIn(positionals);
    const note = await changeServers(terminal, values.owner, accountId, NO_SERVERS);
    terminal.print({ account_id: accountId }, `The password of account ${accountId} is updated${note}`);
  },
};

const accountServers: Command = {
  name: 'account servers',
  usage: `ACCOUNT_ID --owner EMAIL [--imap URL] [--smtp URL] ${SERVER_USAGE}`,
  summary: 'changes the servers of a mailbox, or trusts their new certificates',
  details:
    'What you leave out stays. The password comes from stdin. Nothing is saved unless the mail servers accept it, and the ' +
    'calendar server if it worked before. What waits for the account goes on by itself.',
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { ...OWNER_OPTIONS, ...SERVER_OPTIONS });
    const accountId = accountIdIn(positionals);
    const note = await changeServers(terminal, values.owner, accountId, typedServers(values));
    terminal.print({ account_id: accountId }, `The servers of account ${accountId} are updated${note}`);
  },
};

const accountEdit: Command = {
  name: 'account edit',
  usage: 'ACCOUNT_ID --owner EMAIL [--display-name NAME] [--signature TEXT] [--label TEXT]',
  summary: 'changes the name and signature of what a mailbox sends, and its label',
  details: 'Mail that waits already stays as it is. An empty text removes what was there.',
  async run(args, terminal) {
    const options = { ...OWNER_OPTIONS, ...TEXT_OPTIONS, label: { type: 'string' } } as const;
    const { values, positionals } = readArguments(args, options);
    const accountId = accountIdIn(positionals);
    const { 'display-name': displayName, signature, label } = values;
    if (displayName === undefined && signature === undefined && label === undefined) {
      throw new UsageError('--display-name, --signature or --label is missing');
    }
    await withAccount(terminal, values.owner, accountId, (service, account) =>
      service.accounts.edit({
        ownerId: account.ownerId,
        accountId,
        label: (label ?? account.label) || account.email,
        displayName: displayName ?? account.displayName,
        signature: signature ?? account.signature,
      }),
    );
    terminal.print({ account_id: accountId }, `Account ${accountId} is changed.`);
  },
};

const accountSignIn: Command = {
  name: 'account sign-in',
  usage: 'ACCOUNT_ID --owner EMAIL [--redirect-port PORT]',
  summary: 'signs in again at the provider of a mailbox, after the provider has withdrawn the sign-in',
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { ...OWNER_OPTIONS, ...SIGN_IN_OPTIONS });
    const accountId = accountIdIn(positionals);
    const port = redirectPort(values['redirect-port']);
    await withAccount(terminal, values.owner, accountId, async (service, account) => {
      const state = service.mailSignIns.stateOf(account);
      if (state === undefined) throw new Error(`Account ${accountId} has a password, not a sign-in.`);
      const { ownerId } = account;
      const purpose = { kind: 'again', accountId } as const;
      await signInAtProvider(service, { ownerId, providerId: state.providerId, purpose }, port, terminal);
    });
    terminal.print({ account_id: accountId }, `Account ${accountId} is signed in again.`);
  },
};

export const ACCOUNT_COMMANDS: readonly Command[] = [
  accountAdd,
  accountList,
  accountPassword,
  accountServers,
  accountEdit,
  accountRemove,
  accountSignIn,
];

/** @throws UsageError */
function accountIdIn(positionals: readonly string[]): number {
  const text = onlyPositional(positionals, 'ACCOUNT_ID');
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('ACCOUNT_ID must be a whole number');
  return Number(text);
}

/** @throws UsageError if the owner is missing; Error with a message for the user if there is no such account */
function withAccount<T>(
  terminal: Terminal,
  owner: string | undefined,
  accountId: number,
  work: (service: Service, account: Account, configuration: Configuration) => Promise<T>,
): Promise<T> {
  const email = required(owner, '--owner');
  return withOwner(terminal, email, async (service, { ownerId }, configuration) => {
    const account = (await service.accounts.list(ownerId)).find((one) => one.accountId === accountId);
    if (account === undefined) throw new Error(`${email} has no account ${accountId}.`);
    return work(service, account, configuration);
  });
}

/**
 * Asks for the password of an account and saves it, with the servers that the user typed in place of its own.
 * @returns the end of the sentence that says so
 */
function changeServers(
  terminal: Terminal,
  owner: string | undefined,
  accountId: number,
  typed: TypedServers,
): Promise<string> {
  const ownerEmail = required(owner, '--owner');
  return withAccount(terminal, ownerEmail, accountId, async (service, account, configuration) => {
    const { ownerId, email } = account;
    if (account.grant !== null) {
      throw new Error(`Account ${accountId} signs in at its provider: run countersign account sign-in.`);
    }
    const current = fieldsOf(await service.accounts.settings(ownerId, accountId));
    const servers = chosenServers(current, typed, email);
    const command = `countersign account servers ${accountId} --owner ${ownerEmail}`;
    const reach = reachOfService(configuration, service);
    const trusted = await trustedServers(servers, reach, terminal, command);
    const settings = await passwordSettings(service, { ownerId, email }, trusted, typed.calendar, terminal);
    await service.accounts.changeSettings({ ownerId, accountId, settings });
    return (await calendarNote(service, ownerId, accountId, ownerEmail)) ?? '.';
  });
}

const NO_SERVERS = typedServers({});

/**
 * Asks for the password of an account, and finds the calendar for new events.
 * @param calendar  its name or path; undefined: as before
 */
async function passwordSettings(
  service: Service,
  account: { readonly ownerId: string; readonly email: string },
  servers: AccountServers,
  calendar: string | undefined,
  terminal: Terminal,
): Promise<unknown> {
  const password = await terminal.secret('Mailbox password');
  if (password === '') throw new Error('The mailbox password is missing: pass it on stdin.');
  const settings = mailSettings({ ...servers, password });
  if (calendar === undefined || servers.caldav === undefined) return settings;
  const calendars = await service.accounts.calendars({ ...account, settings });
  return withCalendar(settings, findCalendar(calendars, calendar).calendar);
}

/** Chooses the calendar of a new account for new events. @throws Error with a message for the user */
async function writeTo(service: Service, ownerId: string, accountId: number, name: string): Promise<void> {
  const { accounts } = service;
  try {
    const { calendar } = findCalendar((await accounts.calendarsOf(ownerId, accountId)).calendars, name);
    const settings = withCalendar(await accounts.settings(ownerId, accountId), calendar);
    await accounts.changeSettings({ ownerId, accountId, settings });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const text = `Account ${accountId} is connected, but its calendar is not chosen. ${why}. Choose it on the page Accounts.`;
    throw new Error(text, { cause });
  }
}

/** Finds a calendar by name, or by path if the name is not unique. @throws Error with a message for the user */
function findCalendar(calendars: readonly CalendarInfo[], wanted: string): CalendarInfo {
  const writable = calendars.filter((one) => one.writable);
  const found = writable.filter(({ name, calendar }) => name === wanted || calendar === wanted);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const all = (found.length > 1 ? found : writable).map(({ name, calendar }) =>
    // Server-supplied text must not control the terminal.
    `${name} (${calendar})`.replaceAll(/\p{C}/gu, '\u{FFFD}'),
  );
  throw new Error(
    found.length > 1
      ? `Several calendars are called ${wanted}. Use the path of one of them: ${all.join(', ')}`
      : `There is no writable calendar ${wanted}. Available: ${all.join(', ') || 'none'}`,
  );
}

function row(account: Account, owner: Owner, servers: readonly ServerHealth[]) {
  return {
    account_id: account.accountId,
    email: account.email,
    label: account.label,
    is_active: account.accountId === owner.activeAccountId,
    is_primary: account.isPrimary,
    display_name: account.displayName,
    health: servers.map(({ server, state, reason, since, workedAt }) => ({
      server,
      state,
      reason,
      since: since.toISOString(),
      last_worked_at: workedAt?.toISOString() ?? null,
    })),
  };
}

function line(account: Account, owner: Owner, servers: readonly ServerHealth[]): string {
  const active = account.accountId === owner.activeAccountId ? '  active' : '';
  const broken = servers.filter(({ state }) => state !== 'working');
  const problems = broken.map(
    ({ server, reason, since }) => `\n   ${server}: ${reason} (since ${since.toISOString()})`,
  );
  return `${account.accountId}  ${account.email}${active}${problems.join('')}`;
}
