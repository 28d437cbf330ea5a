import { parseCalendarUrl } from '../../adapters/caldav/settings.ts';
import { type MailUrl, parseMailUrl } from '../../adapters/imap/settings.ts';
import type { Account } from '../../core/ports/account.ts';
import type { LegHealth } from '../../core/ports/account-health.ts';
import type { CalendarInfo } from '../../core/ports/calendar.ts';
import type { Owner } from '../../core/ports/owner-storage.ts';
import type { Service } from '../../core/service/service.ts';
import {
  type Command,
  noPositionals,
  OWNER_OPTIONS,
  onlyPositional,
  readArguments,
  required,
  UsageError,
} from './command.ts';
import { type ConfirmedServers, confirmedServers } from './confirmed-servers.ts';
import { mailSettings, withPassword } from './mail-settings.ts';
import { redirectPort, SIGN_IN_OPTIONS, signInAtProvider } from './provider-sign-in.ts';
import type { Terminal } from './terminal.ts';
import { withOwner } from './with-service.ts';

/** The name and signature of mail that an account sends. */
const TEXT_OPTIONS = { 'display-name': { type: 'string' }, signature: { type: 'string' } } as const;

const accountAdd: Command = {
  name: 'account add',
  usage:
    '--owner EMAIL --email ADDRESS [--imap URL --smtp URL | --yes] [--caldav URL | --no-calendar] [--calendar NAME] ' +
    '[--tls-fingerprint SHA256] [--display-name NAME] [--signature TEXT]; ' +
    'or --owner EMAIL --email ADDRESS --provider ID [--redirect-port PORT]',
  summary:
    'connects a mailbox and, if there is one, its calendar. The password comes from stdin. Nothing is saved unless all ' +
    'servers accept it. Without URLs, Countersign finds the servers, shows them, and connects once you confirm ' +
    '(--yes: at once). --calendar names the calendar for new events. --display-name is the name in the From of its mail. ' +
    'With --provider, the owner signs in there instead of a password',
  async run(args, terminal) {
    const options = {
      ...OWNER_OPTIONS,
      email: { type: 'string' },
      imap: { type: 'string' },
      smtp: { type: 'string' },
      caldav: { type: 'string' },
      calendar: { type: 'string' },
      'no-calendar': { type: 'boolean' },
      'tls-fingerprint': { type: 'string' },
      ...TEXT_OPTIONS,
      yes: { type: 'boolean' },
      provider: { type: 'string' },
      ...SIGN_IN_OPTIONS,
    } as const;
    const { values, positionals } = readArguments(args, options);
    noPositionals(positionals);
    const ownerEmail = required(values.owner, '--owner');
    const email = required(values.email, '--email');
    const { provider: providerId } = values;
    if (providerId !== undefined) {
      const port = redirectPort(values['redirect-port']);
      const others = [values.imap, values.smtp, values.caldav, values.calendar, values['tls-fingerprint']];
      if (others.some((value) => value !== undefined) || values['no-calendar'] === true)
        throw new UsageError('--provider sets the servers: leave out the other options');
      const { accountId } = await withOwner(terminal, ownerEmail, (service, { ownerId }) =>
        signInAtProvider(
          service,
          { ownerId, providerId, purpose: { kind: 'connect', email } },
          port,
          terminal,
        ),
      );
      terminal.print({ account_id: accountId }, `Account ${accountId} (${email}) is connected.`);
      return;
    }
    if (values['redirect-port'] !== undefined) throw new UsageError('--redirect-port needs --provider');
    if (values['no-calendar'] === true && (values.caldav ?? values.calendar) !== undefined) {
      throw new UsageError('--no-calendar cannot be combined with --caldav or --calendar');
    }
    const typedCalendar = values.caldav === undefined ? undefined : calendarOf(values.caldav, email);
    const servers: ConfirmedServers =
      values.imap === undefined && values.smtp === undefined
        ? await confirmedServers(email, values.yes === true, terminal)
        : {
            imap: serverOf(required(values.imap, '--imap'), 'imap', email),
            smtp: serverOf(required(values.smtp, '--smtp'), 'smtp', email),
            caldav: undefined,
          };
    const caldav = values['no-calendar'] === true ? undefined : (typedCalendar ?? servers.caldav);
    if (values.calendar !== undefined && caldav === undefined) {
      throw new UsageError('--calendar needs a calendar server: set it with --caldav');
    }
    const password = await terminal.secret('Mailbox password');
    if (password === '') throw new Error('The mailbox password is missing: pass it on stdin.');
    const settings = (writeTo: string | undefined) =>
      mailSettings({
        ...servers,
        caldav: caldav && { ...caldav, ...(writeTo === undefined ? {} : { writeTo }) },
        password,
        fingerprint: values['tls-fingerprint'],
      });
    const { accountId } = await withOwner(terminal, ownerEmail, async (service, { ownerId }) => {
      const name = values.calendar;
      const { 'display-name': displayName = '', signature = '' } = values;
      const account = { ownerId, email, displayName, signature };
      if (name === undefined) return service.accounts.connect({ ...account, settings: settings(undefined) });
      const calendars = await service.accounts.calendars({ ownerId, email, settings: settings(undefined) });
      const { calendar } = findCalendar(calendars, name);
      return service.accounts.connect({ ...account, settings: settings(calendar) });
    });
    const calendar = caldav === undefined ? '' : ', with its calendar';
    terminal.print({ account_id: accountId }, `Account ${accountId} (${email}) is connected${calendar}.`);
  },
};

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
  summary:
    'updates the password of a mailbox. It comes from stdin. Nothing is saved unless all servers accept it. What waits for ' +
    'the account goes on by itself',
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, OWNER_OPTIONS);
    const accountId = accountIdIn(positionals);
    const owner = required(values.owner, '--owner');
    const password = await terminal.secret('Mailbox password');
    if (password === '') throw new Error('The mailbox password is missing: pass it on stdin.');
    await withAccount(terminal, owner, accountId, async (service, account) => {
      const { ownerId } = account;
      if (account.grant !== null) {
        throw new Error(`Account ${accountId} signs in at its provider: run countersign account sign-in.`);
      }
      const settings = withPassword(await service.accounts.settings(ownerId, accountId), password);
      await service.accounts.changeSettings({ ownerId, accountId, settings });
    });
    terminal.print({ account_id: accountId }, `The password of account ${accountId} is updated.`);
  },
};

const accountEdit: Command = {
  name: 'account edit',
  usage: 'ACCOUNT_ID --owner EMAIL [--display-name NAME] [--signature TEXT] [--label TEXT]',
  summary:
    'changes the name and signature of mail that an account sends from now on, and its label. An empty text removes it',
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
function withAccount(
  terminal: Terminal,
  owner: string | undefined,
  accountId: number,
  work: (service: Service, account: Account) => Promise<void>,
): Promise<void> {
  const email = required(owner, '--owner');
  return withOwner(terminal, email, async (service, { ownerId }) => {
    const account = (await service.accounts.list(ownerId)).find((one) => one.accountId === accountId);
    if (account === undefined) throw new Error(`${email} has no account ${accountId}.`);
    await work(service, account);
  });
}

/** The user defaults to the mailbox's address. @throws UsageError */
function serverOf(text: string, protocol: MailUrl['protocol'], email: string) {
  let url: MailUrl;
  try {
    url = parseMailUrl(text);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new UsageError(`--${protocol}: ${cause.message}`, { cause });
  }
  if (url.protocol !== protocol) throw new UsageError(`--${protocol}: the URL must start with ${protocol}`);
  const { host, port, security, user = email } = url;
  return { host, port, security, user };
}

/** @throws UsageError */
function calendarOf(text: string, email: string): { url: string; user: string } {
  try {
    const { url, user = email } = parseCalendarUrl(text);
    return { url, user };
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new UsageError(`--caldav: ${cause.message}`, { cause });
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

function row(account: Account, owner: Owner, legs: readonly LegHealth[]) {
  return {
    account_id: account.accountId,
    email: account.email,
    label: account.label,
    is_active: account.accountId === owner.activeAccountId,
    is_primary: account.isPrimary,
    display_name: account.displayName,
    health: legs.map(({ leg, state, reason, since, workedAt }) => ({
      ...{ leg, state, reason },
      ...{ since: since.toISOString(), last_worked_at: workedAt?.toISOString() ?? null },
    })),
  };
}

function line(account: Account, owner: Owner, legs: readonly LegHealth[]): string {
  const active = account.accountId === owner.activeAccountId ? '  active' : '';
  const broken = legs.filter(({ state }) => state !== 'working');
  const problems = broken.map(
    ({ leg, reason, since }) => `\n   ${leg}: ${reason} (since ${since.toISOString()})`,
  );
  return `${account.accountId}  ${account.email}${active}${problems.join('')}`;
}
