import {
  type Mail,
  type MailAccount,
  type MailCall,
  MailError,
  type MailFolder,
} from '../../core/ports/mail.ts';
import { composeMessage } from '../mime/compose.ts';
import { smtpSender } from '../smtp/sender.ts';
import { timeLimit } from '../smtp/time-limit.ts';
import { type AccountConnections, accountConnections } from './account-connections.ts';
import { connectImap } from './connection.ts';
import { readMessage } from './content.ts';
import { findMessage } from './find.ts';
import { countFolders, listFolders } from './folders.ts';
import { listFolder } from './list.ts';
import { type ReceivedDates, receivedDates } from './received-dates.ts';
import { fetchRows } from './rows.ts';
import { createSent, holdsMessageId, recipientsAmong, saveOnce } from './sent-folder.ts';
import { inFolder, onConnection } from './session.ts';
import { setFlag } from './set-flag.ts';
import { type ImapSettings, imapSettings } from './settings.ts';

/** How long the list of folders may be used again. */
const FOLDERS_MS = 60_000;

interface AccountState {
  readonly connections: AccountConnections;
  readonly dates: ReceivedDates;
  folders: { readonly list: readonly MailFolder[]; readonly until: number } | undefined;
}

/**
 * Mailboxes on IMAP servers, sending by SMTP. The `settings` of an account resolve to `ImapSettings`.
 * @param maxConnectionsPerAccount  how many IMAP connections one account may hold at a time; some servers allow few
 */
export function imapMail({ maxConnectionsPerAccount = 3 }: { maxConnectionsPerAccount?: number } = {}): Mail {
  const accounts = new Map<string, AccountState>();
  const sender = smtpSender();

  function stateOf(account: MailAccount): AccountState {
    const key = keyOf(account.ownerId, account.accountId);
    const known = accounts.get(key);
    if (known !== undefined) return known;
    const server = async () => (await settingsOf(account)).imap;
    const connections = accountConnections(maxConnectionsPerAccount, server);
    const state: AccountState = { connections, dates: receivedDates(), folders: undefined };
    accounts.set(key, state);
    return state;
  }

  async function foldersOf(
    call: MailCall,
    limit: AbortSignal,
    fresh: boolean,
  ): Promise<readonly MailFolder[]> {
    const state = stateOf(call.account);
    if (!fresh && state.folders !== undefined && performance.now() < state.folders.until)
      return state.folders.list;
    const list = await onConnection(state.connections, limit, listFolders);
    state.folders = { list, until: performance.now() + FOLDERS_MS };
    return list;
  }

  /** Where sent messages are kept; undefined where the account has no such folder. */
  async function sentPath(call: MailCall, limit: AbortSignal): Promise<string | undefined> {
    for (const fresh of [false, true]) {
      const sent = (await foldersOf(call, limit, fresh)).find(({ role }) => role === 'sent');
      if (sent !== undefined) return sent.path;
    }
    return undefined;
  }

  return {
    async verify(call) {
      const limit = timeLimit(call);
      const { imap, smtp } = await settingsOf(call.account);
      const client = await connectImap(imap, limit);
      // It has said what it was asked.
      client.close();
      await sender.verify(smtp, limit);
    },

    folders: (call, { fresh = false } = {}) => foldersOf(call, timeLimit(call), fresh),

    async counts(call) {
      const state = stateOf(call.account);
      const counts = await onConnection(state.connections, timeLimit(call), countFolders);
      const list = counts.map(({ path, role }) => ({ path, role }));
      state.folders = { list, until: performance.now() + FOLDERS_MS };
      return counts;
    },

    list(call, query) {
      const { connections, dates } = stateOf(call.account);
      return inFolder(connections, query.path, timeLimit(call), (folder) => listFolder(folder, query, dates));
    },

    read(call, place) {
      const { connections } = stateOf(call.account);
      return inFolder(connections, place.path, timeLimit(call), (folder) => readMessage(folder, place));
    },

    async row(call, place) {
      const { connections } = stateOf(call.account);
      try {
        return await inFolder(connections, place.path, timeLimit(call), async (folder) => {
          if (folder.uidValidity !== place.uidValidity) return undefined;
          const rows = await fetchRows(folder, String(place.uid), { uid: true });
          return rows.find((row) => row.place.uid === place.uid);
        });
      } catch (error) {
        // No folder, no message.
        if (error instanceof MailError && error.code === 'not_found') return undefined;
        throw error;
      }
    },

    async find(call, wanted) {
      const limit = timeLimit(call);
      const folders = await foldersOf(call, limit, true);
      const { connections } = stateOf(call.account);
      return onConnection(connections, limit, (client) => findMessage(client, folders, wanted));
    },

    async writtenTo(call, addresses) {
      const limit = timeLimit(call);
      const path = addresses.length === 0 ? undefined : await sentPath(call, limit);
      // An account without a Sent folder has nothing that shows whom it wrote to.
      if (path === undefined) return new Set();
      const { connections } = stateOf(call.account);
      return inFolder(connections, path, limit, (folder) =>
        recipientsAmong(folder, call.account.email, addresses),
      );
    },

    compose: composeMessage,

    transmit(call, message, start) {
      const { account } = call;
      const server = async () => (await settingsOf(account)).smtp;
      return sender.transmit(
        keyOf(account.ownerId, account.accountId),
        server,
        message,
        start,
        timeLimit(call),
      );
    },

    async saveInSent(call, message) {
      const limit = timeLimit(call);
      const state = stateOf(call.account);
      const found = await sentPath(call, limit);
      const path = found ?? (await onConnection(state.connections, limit, createSent));
      if (found === undefined) state.folders = undefined;
      await inFolder(state.connections, path, limit, (folder) => saveOnce(folder, message));
    },

    async isInSent(call, messageId) {
      const limit = timeLimit(call);
      const path = await sentPath(call, limit);
      if (path === undefined) return false;
      const { connections } = stateOf(call.account);
      return inFolder(connections, path, limit, (folder) => holdsMessageId(folder, messageId));
    },

    setFlag(call, place, flag, on, start) {
      const limit = timeLimit(call);
      const { connections } = stateOf(call.account);
      return inFolder(connections, place.path, limit, (folder) =>
        setFlag(folder, place, flag, on, start, limit),
      );
    },

    async forget(ownerId, accountId) {
      const key = keyOf(ownerId, accountId);
      accounts.get(key)?.connections.close();
      accounts.delete(key);
      sender.forget(key);
    },

    async close() {
      for (const { connections } of accounts.values()) connections.close();
      accounts.clear();
      sender.close();
    },
  };
}

function keyOf(ownerId: string, accountId: number): string {
  return `${accountId} ${ownerId}`;
}

async function settingsOf(account: MailAccount): Promise<ImapSettings> {
  const settings = imapSettings.safeParse(await unsealed(account));
  if (settings.success) return settings.data;
  const [issue] = settings.error.issues;
  const what = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
  throw new MailError('refused', `the settings of this account cannot be used (${what})`);
}

async function unsealed(account: MailAccount): Promise<unknown> {
  try {
    return await account.settings();
  } catch (error) {
    throw new MailError('unavailable', 'the settings of this account cannot be read', { cause: error });
  }
}
