import { notFound } from '../contract/not-found.ts';
import { address, bodyText, invalidArgument, line, text } from '../contract/schema.ts';
import { decideRoles } from '../folders/decide-roles.ts';
import type { MailFolder } from '../folders/folder.ts';
import type { FolderRoles } from '../folders/roles.ts';
import type { Account } from '../ports/account.ts';
import { healthOf, type ServerHealth } from '../ports/account-health.ts';
import type { CalendarInfo, UnusableCalendar } from '../ports/calendar.ts';
import { type AccessToken, type MailAccount, type MailCall, MailError } from '../ports/mail.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { endedAfter } from '../work/within-limit.ts';
import { refuseConnected } from './account-storage.ts';
import { authservIdOf } from './authserv-id.ts';
import { chosenPins, type FolderChoices } from './chosen-pins.ts';
import { disconnectAccount } from './disconnect-account.ts';
import { findAccount } from './find-account.ts';
import { type Grant, sealGrant } from './grant.ts';
import { type Mailbox, mailCall, openSettings, sealSettings, undefinedIfNotFound } from './mail-call.ts';
import { targetNamesBegin } from './target-names.ts';

/** @typeParam Settings  as of Service */
export interface Accounts<Settings = unknown> {
  /**
   * Connects and signs in first, also to the calendar server if the settings name one, and then saves the
   * account. A calendar that cannot be connected does not keep the mailbox from being saved: `health` says what is wrong
   * with it. `settings` are the adapters'; the default `label` is the email.
   * @throws MailError, and ServiceError not_found (the owner), invalid_arguments; also if the address is connected already
   */
  connect(account: {
    ownerId: string;
    email: string;
    label?: string;
    /** The name in the From of what the account sends. Default: none. */
    displayName?: string;
    signature?: string;
    settings: Settings;
  }): Promise<{ accountId: number }>;
  /**
   * The settings that the account was connected with, for a form that changes them. They contain its passwords: never
   * show those.
   * @throws ServiceError not_found; Error if they cannot be read with the current secret keys
   */
  settings(ownerId: string, accountId: number): Promise<unknown>;
  /**
   * Connects and signs in with the new settings first, and then saves them. The account keeps its id and everything else,
   * and its requests go on. Nothing is saved if a server refuses, unless it is the calendar's, which did not work before.
   * @throws MailError, and ServiceError not_found
   */
  changeSettings(change: { ownerId: string; accountId: number; settings: Settings }): Promise<void>;
  /** A change of name or signature applies to new requests. @throws ServiceError not_found, invalid_arguments */
  edit(change: {
    ownerId: string;
    accountId: number;
    label: string;
    displayName: string;
    signature: string;
  }): Promise<void>;
  /** Signs in to each server of the account now, and records how it is doing. @throws ServiceError not_found */
  check(ownerId: string, accountId: number): Promise<void>;
  /**
   * Lists the calendars that the settings lead to, for the owner to choose one. Saves nothing.
   * @throws MailError, and ServiceError not_found (the owner)
   */
  calendars(account: {
    ownerId: string;
    email: string;
    settings: Settings;
  }): Promise<readonly CalendarInfo[]>;
  /**
   * Lists the calendars of a connected account. `target`: the one that new events are put into; undefined if there is none,
   * or the chosen one no longer exists. `unusable`: those that Countersign cannot use. @throws MailError; ServiceError not_found
   */
  calendarsOf(
    ownerId: string,
    accountId: number,
  ): Promise<{
    readonly calendars: readonly CalendarInfo[];
    readonly target: CalendarInfo | undefined;
    readonly unusable: readonly UnusableCalendar[];
  }>;
  list(ownerId: string): Promise<readonly Account[]>;
  /** How the servers of the owner's accounts are doing. A server that was never used is left out. */
  health(ownerId: string): Promise<readonly ServerHealth[]>;
  /** @throws ServiceError not_found */
  activate(ownerId: string, accountId: number): Promise<void>;
  /** Removes the account and cancels its pending approvals. @throws ServiceError not_found */
  remove(ownerId: string, accountId: number): Promise<void>;
  /** Returns the folders with their roles, for the owner's page. @throws ServiceError not_found */
  folders(ownerId: string, accountId: number): Promise<AccountFolders>;
  /**
   * Pins roles as the owner chooses; the others stay unchanged.
   * @throws ServiceError not_found; invalid_arguments if a folder does not exist, is the inbox, or has
   * another role; MailError if the folders cannot be listed
   */
  chooseFolders(ownerId: string, accountId: number, choices: FolderChoices): Promise<void>;
  /**
   * Looks at the newest messages of the inbox for the name under which the account's own server writes
   * Authentication-Results (RFC 8601). Saves nothing. @returns undefined if they show none
   * @throws MailError, and ServiceError not_found
   */
  authservId(ownerId: string, accountId: number): Promise<string | undefined>;
  /**
   * From now on, the results under this name tell whether a sender is proven. Null: no result does.
   * @throws MailError, and ServiceError not_found; invalid_arguments if the inbox does not show that name
   */
  confirmAuthservId(ownerId: string, accountId: number, authservId: string | null): Promise<void>;
}

export interface AccountFolders {
  readonly account: Account;
  /** Null: not decided yet, because the server could not be reached. */
  readonly roles: FolderRoles | null;
  /** Undefined: the server could not list them. */
  readonly folders: readonly MailFolder[] | undefined;
}

/** For all servers of an account together. */
const CONNECT_MS = 30_000;

const WORKS = { state: 'working', reason: null } as const;

type VerifiedServer = Pick<ServerHealth, 'server' | 'state' | 'reason'>;

interface TrialAccount {
  readonly ownerId: string;
  readonly email: string;
  readonly settings: unknown;
  readonly accessToken?: AccessToken | undefined;
}

const accountLabel = line({ min: 1, max: 254, description: '' });
/** Spaces around it would not survive in a header. */
const accountName = line({ min: 0, max: 100, description: '' }).refine((name) => name === name.trim());
const accountSignature = text({ min: 0, max: 2000, description: '' });

/** The service's accounts, and the part that sign-ins at providers use. */
export interface GrantedAccounts extends Accounts {
  /** With a grant, the account signs in at its provider. */
  connect(
    account: Parameters<Accounts['connect']>[0] & { readonly grant?: Grant },
  ): ReturnType<Accounts['connect']>;
  /** Signs in with the new grant first, and then saves it in place of the old one. @throws as `connect` */
  replaceGrant(account: Account, settings: unknown, grant: Grant): Promise<void>;
}

/**
 * @param healthStored  waits until what was observed is stored
 * @param forgetAccount  called when an account was removed, or its settings changed
 */
export function createAccounts(
  ports: Ports,
  keyring: Keyring,
  healthStored: () => Promise<void>,
  forgetAccount: (ownerId: string, accountId: number) => Promise<void>,
): GrantedAccounts {
  const { storage, mail, calendar, clock, log } = ports;
  let trialCount = 0;

  /** Calls the servers of an account that is not saved yet, and closes its connections afterwards. */
  async function withTrialAccount<T>(
    { ownerId, email, settings, accessToken }: TrialAccount,
    work: (call: MailCall) => Promise<T>,
  ): Promise<T> {
    // Two trials at the same time must not share a connection.
    trialCount += 1;
    const accountId = -trialCount;
    const account: MailAccount = {
      ownerId,
      accountId,
      email,
      settings: async () => settings,
      accessToken,
    };
    try {
      return await endedAfter(clock, CONNECT_MS, (signal) =>
        work({ account, signal: signal(), deadlineMs: CONNECT_MS }),
      );
    } finally {
      await disconnectAccount(ports, ownerId, accountId);
    }
  }

  async function accountOf(ownerId: string, accountId: number): Promise<Account> {
    const account = await findAccount(storage, ownerId, accountId);
    if (account === undefined) throw notFound('account');
    return account;
  }

  async function mailboxOf(ownerId: string, accountId: number): Promise<Mailbox> {
    const account = await accountOf(ownerId, accountId);
    return { account, call: mailCall(ports, keyring, account, new AbortController().signal, CONNECT_MS) };
  }

  /** Signs in to the mail servers. */
  async function verifyMail(call: MailCall): Promise<readonly VerifiedServer[]> {
    await mail.verify(call);
    return [
      { server: 'reading', ...WORKS },
      { server: 'sending', ...WORKS },
    ];
  }

  /**
   * Finds the calendar for new events. @returns how its server is doing; nothing if there is none
   * @param mayFail  the owner can mend it later
   */
  async function verifyCalendar(call: MailCall, mayFail: boolean): Promise<readonly VerifiedServer[]> {
    try {
      return (await calendar?.target(call)) === undefined ? [] : [{ server: 'calendar', ...WORKS }];
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      // Its server works. The owner can create a calendar there.
      if (!mayFail && error.trouble !== 'no_calendar') throw error;
      return [{ server: 'calendar', state: error.trouble ?? 'other', reason: error.message }];
    }
  }

  /** Signs in to every server of a connected account. A calendar that did not work before may still fail. */
  async function verifyAgain(
    { ownerId, accountId }: Account,
    trial: TrialAccount,
  ): Promise<readonly VerifiedServer[]> {
    const before = healthOf(await storage.accountHealth(ownerId), accountId, 'calendar');
    const mayFail = before !== undefined && before.state !== 'working';
    return withTrialAccount(trial, async (call) => [
      ...(await verifyMail(call)),
      ...(await verifyCalendar(call, mayFail)),
    ]);
  }

  async function reportServers(
    { ownerId, accountId, revision }: Account,
    servers: readonly VerifiedServer[],
  ): Promise<void> {
    for (const server of servers) {
      await storage.reportServer({ ownerId, accountId, revision, ...server, now: clock.now() });
    }
  }

  return {
    async connect({ ownerId, email, label = email, displayName = '', signature = '', settings, grant }) {
      if (!address.safeParse(email).success)
        throw invalidArgument('email', 'format', 'must be a bare email address');
      checkFields({ label, displayName, signature });
      if ((await storage.owner(ownerId)) === undefined) throw notFound('owner');
      // Also inside the write: two forms may be sent at once.
      refuseConnected(await storage.accounts(ownerId), email);
      const { servers, folderRoles } = await withTrialAccount(
        { ownerId, email, settings, accessToken: grant && tokenOf(grant) },
        async (call) => {
          const mailServers = await verifyMail(call);
          const folderRoles = decideRoles(await mail.folders(call, { fresh: true }));
          return { servers: [...mailServers, ...(await verifyCalendar(call, true))], folderRoles };
        },
      );
      const seal = (accountId: number) => sealSettings(keyring, ownerId, accountId, settings);
      const account = await storage.addAccount({
        ownerId,
        label,
        email,
        displayName,
        signature: bodyText(signature),
        seal,
        sealGrant: grant && ((accountId) => sealGrant(keyring, ownerId, accountId, grant)),
        folderRoles,
        now: clock.now(),
      });
      await reportServers(account, servers);
      return { accountId: account.accountId };
    },
    async settings(ownerId, accountId) {
      return openSettings(keyring, await accountOf(ownerId, accountId));
    },
    async changeSettings({ ownerId, accountId, settings }) {
      const { account: before, call } = await mailboxOf(ownerId, accountId);
      const { accessToken } = call.account;
      const servers = await verifyAgain(before, { ownerId, email: before.email, settings, accessToken });
      const sealedSettings = sealSettings(keyring, ownerId, accountId, settings);
      const account = await storage.changeSettings({ ownerId, accountId, sealedSettings });
      if (account === undefined) throw notFound('account');
      await forgetAccount(ownerId, accountId);
      await reportServers(account, servers);
    },
    async edit({ ownerId, accountId, label, displayName, signature }) {
      checkFields({ label, displayName, signature });
      const edited = { ownerId, accountId, label, displayName, signature: bodyText(signature) };
      if (!(await storage.editAccount(edited))) throw notFound('account');
    },
    async check(ownerId, accountId) {
      const { call } = await mailboxOf(ownerId, accountId);
      const servers = (await storage.accountHealth(ownerId)).filter((one) => one.accountId === accountId);
      // A server that failed is otherwise left alone for a while.
      if (servers.some(({ state }) => state !== 'working'))
        await disconnectAccount(ports, ownerId, accountId);
      const uses: readonly (() => Promise<unknown>)[] = [
        () => mail.verify(call, 'reading'),
        () => mail.verify(call, 'sending'),
        async () => calendar?.target(call),
      ];
      await Promise.all(uses.map((use) => use().catch(unlessMailError)));
      await healthStored();
    },
    async calendars(account) {
      if ((await storage.owner(account.ownerId)) === undefined) throw notFound('owner');
      return withTrialAccount(account, async (call) => (await calendar?.calendars(call)) ?? []);
    },
    async calendarsOf(ownerId, accountId) {
      const { call } = await mailboxOf(ownerId, accountId);
      if (calendar === undefined) return { calendars: [], target: undefined, unusable: [] };
      const calendars = await calendar.calendars(call);
      return {
        calendars,
        target: await undefinedIfNotFound(calendar.target(call)),
        unusable: (await calendar.unusable?.(call)) ?? [],
      };
    },
    async replaceGrant(account, settings, grant) {
      const { ownerId, accountId, email } = account;
      const trial = { ownerId, email, settings, accessToken: tokenOf(grant) };
      const servers = await verifyAgain(account, trial);
      const sealed = sealGrant(keyring, ownerId, accountId, grant);
      if (!(await storage.replaceGrant({ ownerId, accountId, sealed }))) throw notFound('account');
      await forgetAccount(ownerId, accountId);
      await reportServers(account, servers);
    },
    list: (ownerId) => storage.accounts(ownerId),
    health: (ownerId) => storage.accountHealth(ownerId),
    async folders(ownerId, accountId) {
      const mailbox = await mailboxOf(ownerId, accountId);
      try {
        return {
          account: mailbox.account,
          roles: mailbox.account.folderRoles,
          folders: await mail.folders(mailbox.call, { fresh: true }),
        };
      } catch (error) {
        if (!(error instanceof MailError)) throw error;
        log.warn('the folders of an account could not be listed', { account: accountId, code: error.code });
        return { account: mailbox.account, roles: mailbox.account.folderRoles, folders: undefined };
      }
    },
    async chooseFolders(ownerId, accountId, choices) {
      const mailbox = await mailboxOf(ownerId, accountId);
      const pins = chosenPins(
        choices,
        mailbox.account.folderRoles,
        await mail.folders(mailbox.call, { fresh: true }),
      );
      await storage.changeFolderRoles({ ownerId, accountId, change: { type: 'choose', pins } });
    },
    async authservId(ownerId, accountId) {
      const { call } = await mailboxOf(ownerId, accountId);
      return authservIdOf(mail, call);
    },
    async confirmAuthservId(ownerId, accountId, authservId) {
      const { call } = await mailboxOf(ownerId, accountId);
      if (authservId !== null && authservId !== (await authservIdOf(mail, call)))
        throw invalidArgument('authservId', 'found', 'is not the name that the inbox shows');
      if (!(await storage.editAccount({ ownerId, accountId, authservId }))) throw notFound('account');
    },
    async activate(ownerId, accountId) {
      if (!(await storage.activateAccount(ownerId, accountId))) throw notFound('account');
    },
    async remove(ownerId, accountId) {
      const removed = await storage.removeAccount({
        ownerId,
        accountId,
        targetsBegin: targetNamesBegin(accountId),
        now: clock.now(),
      });
      if (!removed) throw notFound('account');
      await forgetAccount(ownerId, accountId);
    },
  };
}

function tokenOf({ accessToken }: Grant): AccessToken {
  return async () => accessToken;
}

/** @throws ServiceError invalid_arguments */
function checkFields(fields: { label: string; displayName: string; signature: string }): void {
  if (!accountLabel.safeParse(fields.label).success)
    throw invalidArgument('label', 'length', 'must be one line of 1 to 254 characters');
  if (!accountName.safeParse(fields.displayName).success)
    throw invalidArgument('displayName', 'length', 'must be one line of at most 100 characters');
  if (!accountSignature.safeParse(fields.signature).success)
    throw invalidArgument('signature', 'length', 'must be text of at most 2000 characters');
}

/** A server's refusal is recorded. It is not a failure of the check. */
function unlessMailError(error: unknown): void {
  if (!(error instanceof MailError)) throw error;
}
