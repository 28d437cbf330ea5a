import { composeMessage } from '../../core/mail/compose.ts';
import {
  type Mail,
  type MailAccount,
  type MailCall,
  MailError,
  type MailFolder,
  type RawMessage,
} from '../../core/ports/mail.ts';
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
import { countFolders, type FolderList, listFolders, makeFolder, type SearchScope } from './folders.ts';
import { labelMessage } from './label.ts';
import { listFolder } from './list.ts';
import { moveMessage } from './move.ts';
import { type ReceivedDates, receivedDates } from './received-dates.ts';
import { fetchRows } from './rows.ts';
import { searchScopes } from './search.ts';
import { holdsMessageId, recipientsAmong, saveOnce } from './sent-folder.ts';
import { inFolder, inFolderToChange, onConnection } from './session.ts';
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

  /** The folder that is such, also when it was made a moment ago; undefined where there is none. */
  async function folderThat(
    call: MailCall,
    limit: AbortSignal,
    isWanted: (folder: MailFolder) => boolean,
  ): Promise<MailFolder | undefined> {
    for (const fresh of [false, true]) {
      const found = (await foldersOf(call, limit, fresh)).folders.find(isWanted);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Where sent messages are kept; undefined where the account has no such folder. */
  async function sentPath(call: MailCall, limit: AbortSignal): Promise<string | undefined> {
    return (await folderThat(call, limit, ({ role }) => role === 'sent'))?.path;
  }

  async function madeFolder(call: MailCall, limit: AbortSignal, name: string): Promise<string> {
    const state = stateOf(call.account);
    const path = await onConnection(state.connections, limit, (client) => makeFolder(client, name));
    state.folders = undefined;
    return path;
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
        if ((await folderThat(call, limit, ({ path }) => path === to)) === undefined) throw noFolder();
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

    folderFor(call, role) {
      return underCall(call, async (limit) => {
        const found = await folderThat(call, limit, (folder) => folder.role === role);
        return found ?? { path: await madeFolder(call, limit, MADE_NAMES[role]), role };
      });
    },

    writtenTo(call, addresses) {
      return underCall(call, async (limit) => {
        const path = addresses.length === 0 ? undefined : await sentPath(call, limit);
        // An account without a Sent folder has nothing that shows whom it wrote to.
        if (path === undefined) return new Set();
        const { connections } = stateOf(call.account);
        return inFolder(connections, path, limit, (folder) =>
          recipientsAmong(folder, call.account.email, addresses),
        );
      });
    },

    compose: composeMessage,

    transmit(call, message, start) {
      return underCall(call, async (limit) => {
        const { account } = call;
        const server = async () => (await settingsOf(account)).smtp;
        return sender.transmit(keyOf(account.ownerId, account.accountId), server, message, start, limit);
      });
    },

    saveInSent(call, message) {
      return underCall(call, async (limit) => {
        // A mailbox that has never sent anything may lack the folder.
        const path = (await sentPath(call, limit)) ?? (await madeFolder(call, limit, 'Sent'));
        const { connections } = stateOf(call.account);
        await inFolder(connections, path, limit, (folder) => saveOnce(folder, message));
      });
    },

    isInSent(call, messageId) {
      return underCall(call, async (limit) => {
        const path = await sentPath(call, limit);
        if (path === undefined) return false;
        const { connections } = stateOf(call.account);
        return inFolder(connections, path, limit, (folder) => holdsMessageId(folder, messageId));
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

/** What a folder is called that an account lacks. */
const MADE_NAMES = { archive: 'Archive', trash: 'Trash' } as const;

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
