import { decideRoles } from '../folders/decide-roles.ts';
import type { Keyring } from '../keyring.ts';
import { sealSettings } from '../mail-call.ts';
import type { MailCall } from '../ports/mail.ts';
import type { Ports } from '../ports/ports.ts';
import { address, bodyText, invalidArgument, line, text } from '../schema.ts';
import type { Accounts } from '../service.ts';
import { targetsBegin } from '../tools/define-tool.ts';
import { notFound } from './not-found.ts';

/** For all servers of an account together. */
const CONNECT_MS = 30_000;

const accountLabel = line({ min: 1, max: 254, description: '' });
const accountSignature = text({ min: 0, max: 2000, description: '' });

export function createAccounts({ storage, mail, calendar, clock }: Ports, keyring: Keyring): Accounts {
  let trials = 0;

  /** Calls the servers of an account that is not saved, and leaves no connection behind. */
  async function onTrial<T>(
    { ownerId, email, settings }: { ownerId: string; email: string; settings: unknown },
    ask: (call: MailCall) => Promise<T>,
  ): Promise<T> {
    // Two trials at a time must not share a connection.
    trials += 1;
    const accountId = -trials;
    const account = { ownerId, accountId, email, settings: async () => settings };
    const abort = new AbortController();
    const stop = clock.after(CONNECT_MS, () => abort.abort());
    try {
      return await ask({ account, signal: abort.signal, deadlineMs: CONNECT_MS });
    } finally {
      stop();
      await mail.forget(ownerId, accountId);
      await calendar?.forget(ownerId, accountId);
    }
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
      const folderRoles = await onTrial({ ownerId, email, settings }, async (call) => {
        await mail.verify(call);
        // It signs in, and finds the calendar that was chosen to be written to.
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
      return onTrial(account, async (call) => (await calendar?.calendars(call)) ?? []);
    },
    list: (ownerId) => storage.accounts(ownerId),
    async activate(ownerId, accountId) {
      if (!(await storage.activateAccount(ownerId, accountId))) throw notFound('account');
    },
    async remove(ownerId, accountId) {
      const removed = await storage.removeAccount({
        ownerId,
        accountId,
        targetsBegin: targetsBegin(accountId),
        now: clock.now(),
      });
      if (!removed) throw notFound('account');
      await mail.forget(ownerId, accountId);
      await calendar?.forget(ownerId, accountId);
    },
  };
}
