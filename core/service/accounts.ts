import { folderRolesOf } from '../accounts/account-folders.ts';
import { type Mailbox, mailCall, sealSettings } from '../accounts/mail-call.ts';
import { targetNamesBegin } from '../actions/message-target.ts';
import { address, bodyText, invalidArgument, line, text } from '../contract/schema.ts';
import { decideRoles } from '../folders/decide-roles.ts';
import { type MailCall, MailError } from '../ports/mail.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { chosenPins } from './chosen-pins.ts';
import { notFound } from './not-found.ts';
import type { Accounts } from './service.ts';

/** For all servers of an account together. */
const CONNECT_MS = 30_000;

const accountLabel = line({ min: 1, max: 254, description: '' });
const accountSignature = text({ min: 0, max: 2000, description: '' });

export function createAccounts(ports: Ports, keyring: Keyring): Accounts {
  const { storage, mail, calendar, clock, log } = ports;
  let trialCount = 0;

  /** Calls the servers of an account that is not saved yet, and closes its connections afterwards. */
  async function withTrialAccount<T>(
    { ownerId, email, settings }: { ownerId: string; email: string; settings: unknown },
    work: (call: MailCall) => Promise<T>,
  ): Promise<T> {
    // Two trials at the same time must not share a connection.
    trialCount += 1;
    const accountId = -trialCount;
    const account = { ownerId, accountId, email, settings: async () => settings };
    const abort = new AbortController();
    const stop = clock.after(CONNECT_MS, () => abort.abort());
    try {
      return await work({ account, signal: abort.signal, deadlineMs: CONNECT_MS });
    } finally {
      stop();
      await mail.forget(ownerId, accountId);
      await calendar?.forget(ownerId, accountId);
    }
  }

  async function mailboxOf(ownerId: string, accountId: number): Promise<Mailbox> {
    const account = (await storage.accounts(ownerId)).find((one) => one.accountId === accountId);
    if (account === undefined) throw notFound('account');
    return { account, call: mailCall(keyring, account, new AbortController().signal, CONNECT_MS) };
  }

  return {
    async connect({ ownerId, email, label = email, signature = '', settings }) {
      if (!address.safeParse(email).success)
        throw invalidArgument('email', 'format', 'must be a bare email address');
      if (!accountLabel.safeParse(label).success)
        throw invalidArgument('label', 'length', 'must be one line of 1 to 254 characters');
      if (!accountSignature.safeParse(signature).success)
        throw invalidArgument('signature', 'length', 'must be text of at most 2000 characters');
      if ((await storage.owner(ownerId)) === undefined) throw notFound('owner');
      const folderRoles = await withTrialAccount({ ownerId, email, settings }, async (call) => {
        await mail.verify(call);
        // Signs in, and finds the calendar that was chosen for new events.
        await calendar?.target(call);
        return decideRoles(await mail.folders(call, { fresh: true }));
      });
      const seal = (accountId: number) => sealSettings(keyring, ownerId, accountId, settings);
      const account = await storage.addAccount({
        ownerId,
        label,
        email,
        signature: bodyText(signature),
        seal,
        folderRoles,
        now: clock.now(),
      });
      return { accountId: account.accountId };
    },
    async calendars(account) {
      if ((await storage.owner(account.ownerId)) === undefined) throw notFound('owner');
      return withTrialAccount(account, async (call) => (await calendar?.calendars(call)) ?? []);
    },
    list: (ownerId) => storage.accounts(ownerId),
    health: (ownerId) => storage.accountHealth(ownerId),
    async folders(ownerId, accountId) {
      const mailbox = await mailboxOf(ownerId, accountId);
      try {
        const roles = await folderRolesOf(ports, mailbox);
        return {
          account: mailbox.account,
          roles,
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
      const roles = await folderRolesOf(ports, mailbox);
      const pins = chosenPins(choices, roles, await mail.folders(mailbox.call, { fresh: true }));
      await storage.changeFolderRoles({ ownerId, accountId, change: { type: 'choose', pins } });
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
      await mail.forget(ownerId, accountId);
      await calendar?.forget(ownerId, accountId);
    },
  };
}
