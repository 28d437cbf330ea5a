import { type MailAccount, type MailCall, MailError } from '../../core/ports/mail.ts';
import type { RawMessage } from '../../core/ports/mail-reading.ts';
import type { Mail } from '../../core/ports/ports.ts';
import type { AllowPrivateServers } from '../remote/connect.ts';
import { underCall } from '../remote/time-limit.ts';
import { smtpSender } from '../smtp/sender.ts';
import { type AccountConnections, accountConnections } from './account-connections.ts';
import { connectImap } from './connection.ts';
import { readAttachment, readMessage, readMessages } from './content.ts';
import { type ConversationIndex, conversationIndex } from './conversation-index.ts';
import { inEachFolder } from './each-folder.ts';
import { isNotFound, noFolder } from './failure.ts';
import { findMessage } from './find.ts';
import {
  countFolders,
  type FolderList,
  folderNamed,
  listFolders,
  makeFolder,
  type SearchScope,
} from './folders.ts';
import { labelMessage } from './label.ts';
import { listFolder } from './list.ts';
import { moveMessage } from './move.ts';
import { type ReceivedDates, receivedDates } from './received-dates.ts';
import { fetchRows } from './rows.ts';
import { searchScopes } from './search.ts';
import { copiesTo, holdsMessageId, saveOnce } from './sent-folder.ts';
import { inFolder, inFolderToChange, type OpenFolder, onConnection } from './session.ts';
import { setFlag } from './set-flag.ts';
import { type ImapSettings, imapSettings } from './settings.ts';
import { conversationOf } from './thread.ts';

/** How long the list of folders may be used again. */
const FOLDERS_MS = 60_000;

interface AccountState {
  readonly connections: AccountConnections;
  readonly dates: ReceivedDates;
  readonly index: ConversationIndex;
  folders: { readonly list: FolderList; readonly until: number } | undefined;
}

export interface ImapOptions {
  /** How many IMAP connections one account may hold at a time; some servers allow few. Default 3. */
  readonly maxConnectionsPerAccount?: number;
  /**
   * Whether accounts may name servers on this machine or in private networks. Default false: whoever may connect an
   * account could otherwise reach, from here, what only your own network should reach. Set it to true when only you
   * connect accounts, or to a function that decides by host and address.
   */
  readonly allowPrivateServers?: AllowPrivateServers;
}

/**
 * Mailboxes on IMAP servers, sending by SMTP. The `settings` of an account resolve to `ImapSettings`.
 */
export function imapMail({
  maxConnectionsPerAccount = 3,
  allowPrivateServers = false,
}: ImapOptions = {}): Mail {
  const accounts = new Map<string, AccountState>();
  const reach = { allowPrivateServers };
  const sender = smtpSender(reach);

  function stateOf(account: MailAccount): AccountState {
    const key = keyOf(account.ownerId, account.accountId);
    const known = accounts.get(key);
    if (known !== undefined) return known;
    const server = async () => (await settingsOf(account)).imap;
    const connections = accountConnections(maxConnectionsPerAccount, server, reach);
    const state: AccountState = {
      connections,
      dates: receivedDates(),
      index: conversationIndex(connections),
      folders: undefined,
    };
    accounts.set(key, state);
    return state;
  }

  async function foldersOf(call: MailCall, limit: AbortSignal, fresh: boolean): Promise<FolderList> {
    const state = stateOf(call.account);
    if (!fresh && state.folders !== undefined && performance.now() < state.folders.until)
      return state.folders.list;
    const list = await onConnection(state.connections, limit, listFolders);
    state.folders = { list, until: performance.now() + FOLDERS_MS };
    return list;
  }

  /** Refreshes the list once before giving up, so that a folder that another program just created is found. */
  async function hasFolder(call: MailCall, limit: AbortSignal, wanted: string): Promise<boolean> {
    for (const fresh of [false, true]) {
      const { folders } = await foldersOf(call, limit, fresh);
      if (folders.some(({ path }) => path === wanted)) return true;
    }
    return false;
  }

  /** Read anew: what lies in a folder that was made a moment ago is not to be missed. */
  async function scopesOf(call: MailCall, limit: AbortSignal): Promise<readonly SearchScope[]> {
    return (await foldersOf(call, limit, true)).scopes;
  }

  return {
    verify(call) {
      return underCall(call, async (limit) => {
        const { imap, smtp } = await settingsOf(call.account);
        const client = await connectImap(imap, reach, limit);
        // It has said what it was asked.
        client.close();
        await sender.verify(smtp, limit);
      });
    },

    folders(call, { fresh = false } = {}) {
      return underCall(call, async (limit) => (await foldersOf(call, limit, fresh)).folders);
    },

    counts(call) {
      return underCall(call, async (limit) => {
        const state = stateOf(call.account);
        const { counts, list } = await onConnection(state.connections, limit, countFolders);
        state.folders = { list, until: performance.now() + FOLDERS_MS };
        return counts;
      });
    },

    list(call, query) {
      return underCall(call, async (limit) => {
        const { connections, dates } = stateOf(call.account);
        return inFolder(connections, query.path, limit, (folder) => listFolder(folder, query, dates));
      });
    },

    read(call, place) {
      return underCall(call, async (limit) => {
        const { connections } = stateOf(call.account);
        return inFolder(connections, place.path, limit, (folder) => readMessage(folder, place));
      });
    },

    readAll(call, places) {
      return underCall(call, async (limit) => {
        const { connections } = stateOf(call.account);
        const folders = [...new Set(places.map(({ path }) => path))].map((path) => ({
          path,
          places: places.filter((place) => place.path === path),
        }));
        const read = await inEachFolder(connections, folders, limit, async (open, folder) => {
          const valid = folder.places.filter(({ uidValidity }) => uidValidity === open.uidValidity);
          const messages = new Map<number, RawMessage>();
          const uids = valid.map(({ uid }) => uid);
          for await (const message of readMessages(open, uids)) messages.set(message.row.place.uid, message);
          return new Map(valid.map((place) => [place, messages.get(place.uid)]));
        });
        return places.map((place) => read.find((messages) => messages?.has(place))?.get(place));
      });
    },

    row(call, place) {
      return underCall(call, async (limit) => {
        const { connections } = stateOf(call.account);
        try {
          return await inFolder(connections, place.path, limit, async (folder) => {
            if (folder.uidValidity !== place.uidValidity) return undefined;
            const rows = await fetchRows(folder, String(place.uid), { uid: true });
            return rows.find((row) => row.place.uid === place.uid);
          });
        } catch (error) {
          // No folder, no message.
          if (isNotFound(error)) return undefined;
          throw error;
        }
      });
    },

    find(call, wanted) {
      return underCall(call, async (limit) => {
        const { connections, dates } = stateOf(call.account);
        return findMessage(connections, await scopesOf(call, limit), wanted, dates, limit);
      });
    },

    search(call, query) {
      return underCall(call, async (limit) => {
        const { connections, dates } = stateOf(call.account);
        const scopes =
          query.path === undefined ? await scopesOf(call, limit) : [{ path: query.path, only: {} }];
        return searchScopes(connections, scopes, query, dates, limit);
      });
    },

    thread(call, place) {
      return underCall(call, async (limit) => {
        const { connections, index } = stateOf(call.account);
        const { scopes } = await foldersOf(call, limit, false);
        return conversationOf(connections, index, scopes, place, limit);
      });
    },

    attachment(call, place, index, maxBytes) {
      return underCall(call, async (limit) => {
        const { connections } = stateOf(call.account);
        return inFolder(connections, place.path, limit, (folder) =>
          readAttachment(folder, place, index, maxBytes),
        );
      });
    },

    move(call, place, to, start) {
      return underCall(call, async (limit) => {
        const { connections } = stateOf(call.account);
        if (!(await hasFolder(call, limit, to))) throw noFolder();
        return inFolderToChange(connections, place.path, limit, (folder) =>
          moveMessage(folder, place, to, start, limit),
        );
      });
    },

    label(call, place, label, start) {
      return underCall(call, async (limit) => {
        const state = stateOf(call.account);
        const { folders } = await foldersOf(call, limit, true);
        const done = await inFolderToChange(state.connections, place.path, limit, (folder) =>
          labelMessage(folder, folders, place, label, start, limit),
        );
        // It may have made one.
        if (done === 'copy') state.folders = undefined;
        return done;
      });
    },

    makeFolder(call, name) {
      return underCall(call, async (limit) => {
        if (await hasFolder(call, limit, name)) return name;
        const state = stateOf(call.account);
        const { folders } = await foldersOf(call, limit, false);
        const path = await onConnection(
          state.connections,
          limit,
          async (client) => folderNamed(client, folders, name)?.path ?? (await makeFolder(client, name)),
        );
        state.folders = undefined;
        return path;
      });
    },

    sentCopies(call, path, addresses) {
      return underCall(call, async (limit) => {
        if (addresses.length === 0) return [];
        const { connections } = stateOf(call.account);
        const none: readonly Uint8Array[] = [];
        return inFolderIfThere(connections, path, limit, none, (folder) =>
          copiesTo(folder, call.account.email, addresses),
        );
      });
    },

    transmit(call, message, start) {
      return underCall(call, async (limit) => {
        const { account } = call;
        const server = async () => (await settingsOf(account)).smtp;
        return sender.transmit(keyOf(account.ownerId, account.accountId), server, message, start, limit);
      });
    },

    saveSent(call, path, message) {
      return underCall(call, async (limit) => {
        const { connections } = stateOf(call.account);
        await inFolder(connections, path, limit, (folder) => saveOnce(folder, message));
      });
    },

    holdsMessage(call, path, messageId) {
      return underCall(call, async (limit) => {
        const { connections } = stateOf(call.account);
        return inFolderIfThere(connections, path, limit, false, (folder) =>
          holdsMessageId(folder, messageId),
        );
      });
    },

    setFlag(call, place, flag, on, start) {
      return underCall(call, async (limit) => {
        const { connections } = stateOf(call.account);
        return inFolderToChange(connections, place.path, limit, (folder) =>
          setFlag(folder, place, flag, on, start, limit),
        );
      });
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

/** `otherwise` where there is no such folder. */
async function inFolderIfThere<T>(
  connections: AccountConnections,
  path: string,
  limit: AbortSignal,
  otherwise: T,
  work: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  try {
    return await inFolder(connections, path, limit, work);
  } catch (error) {
    if (isNotFound(error)) return otherwise;
    throw error;
  }
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
