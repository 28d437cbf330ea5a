import { type AccountCache, accountCache, type KeptOfAccount } from '../../core/accounts/account-cache.ts';
import { jsonBytes } from '../../core/memory/json-bytes.ts';
import { type MailAccount, MailError } from '../../core/ports/mail.ts';
import type { FolderCounts, FolderState, RefusedFolder } from '../../core/ports/mail-reading.ts';
import type { Reach } from '../remote/connect.ts';
import { type OpenAccounts, openAccounts } from '../remote/open-accounts.ts';
import { type AccountConnections, accountConnections } from './account-connections.ts';
import { bytesOfFolders, type ConversationIndex, conversationIndex } from './conversation-index.ts';
import { type CountedFolder, countFolders } from './count-folders.ts';
import { folderStates } from './folder-states.ts';
import { type FolderList, listFolders } from './folders.ts';
import { bytesOfMessage, type KnownMessages, knownMessages } from './known-messages.ts';
import { bytesOfKept, type KnownRows, knownRows } from './known-rows.ts';
import { bytesOfDates, type ReceivedDates, receivedDates } from './received-dates.ts';
import { type Filing, newFiling } from './sent-folder.ts';
import { onConnection } from './session.ts';
import { imapSettings, type SignInServers, withTokens } from './settings.ts';

/** How long the list of folders may be reused. */
const FOLDERS_MS = 60_000;

/**
 * Of all accounts together: some 600,000 dates, three mailboxes of the largest that are indexed, 10,000 folders, 7,000
 * rows, 250 messages of 5 KB.
 */
const DATES_BYTES = 64 * 1024 * 1024;
const INDEX_BYTES = 64 * 1024 * 1024;
const FOLDERS_BYTES = 8 * 1024 * 1024;
const ROWS_BYTES = 24 * 1024 * 1024;
const MESSAGES_BYTES = 8 * 1024 * 1024;

/** An account in use, and what is kept of it between calls. */
export interface ImapAccount {
  readonly connections: AccountConnections;
  readonly dates: ReceivedDates;
  readonly index: ConversationIndex;
  readonly rows: KnownRows;
  readonly messages: KnownMessages;
  readonly filing: Filing;
  /** The account's folders, from a list that is at most a minute old. */
  folders(limit: AbortSignal): Promise<FolderList>;
  /** Lists the folders again, so that messages in a folder that was just created are not missed. */
  freshFolders(limit: AbortSignal): Promise<FolderList>;
  /** Lists the folders again before it gives up, so that it finds a folder that another program just created. */
  hasFolder(path: string, limit: AbortSignal): Promise<boolean>;
  countFolders(limit: AbortSignal): Promise<readonly (FolderCounts | RefusedFolder)[]>;
  states(limit: AbortSignal): Promise<readonly FolderState[] | undefined>;
  /** Call this after a change of the folders. */
  forgetFolders(): void;
  isIdle(): boolean;
  close(): void;
}

type ListedFolders =
  | { readonly list: FolderList; readonly untilMs: number; readonly counted: readonly CountedFolder[] }
  | undefined;

export type ImapAccounts = Omit<OpenAccounts<ImapAccount>, 'has'>;

export function imapAccounts(maxConnections: number, reach: Reach): ImapAccounts {
  const dates = accountCache(DATES_BYTES, bytesOfDates);
  const index = accountCache(INDEX_BYTES, bytesOfFolders);
  const folders = accountCache(FOLDERS_BYTES, bytesOfList);
  const rows = accountCache(ROWS_BYTES, bytesOfKept);
  const messages = accountCache(MESSAGES_BYTES, bytesOfMessage);
  const accounts = openAccounts((account) => {
    const server = async () => (await settingsOf(account)).imap;
    const connections = accountConnections(maxConnections, server, reach);
    const known = knownRows(partOf(rows, account));
    return imapAccount(connections, {
      dates: receivedDates(partOf(dates, account)),
      index: conversationIndex(connections, partOf(index, account), known),
      rows: known,
      messages: knownMessages(partOf(messages, account)),
      listed: partOf(folders, account),
    });
  });

  function partOf<V>(cache: AccountCache<V>, account: MailAccount): KeptOfAccount<V> {
    return {
      get: (name) => cache.get(account, name),
      set(name, value) {
        // A call may end after its account was removed.
        if (accounts.has(account)) cache.set(account, name, value);
      },
    };
  }

  return {
    of: accounts.of,
    forget(ownerId, accountId) {
      accounts.forget(ownerId, accountId);
      for (const cache of [dates, index, folders, rows, messages]) cache.forget({ ownerId, accountId });
    },
    close: accounts.close,
  };
}

function bytesOfList(listed: ListedFolders): number {
  return listed === undefined ? 0 : jsonBytes([listed.list, listed.counted]);
}

function imapAccount(
  connections: AccountConnections,
  {
    listed,
    ...kept
  }: Pick<ImapAccount, 'dates' | 'index' | 'rows' | 'messages'> & {
    readonly listed: KeptOfAccount<ListedFolders>;
  },
): ImapAccount {
  const counted = () => listed.get('')?.counted ?? [];

  function keep(list: FolderList, counts = counted()): FolderList {
    // A copy: its texts are cut out of what the server sent.
    const copy = structuredClone({ list, counted: counts });
    listed.set('', { ...copy, untilMs: performance.now() + FOLDERS_MS });
    return list;
  }

  const account: ImapAccount = {
    connections,
    ...kept,
    filing: newFiling(),
    isIdle: connections.isIdle,
    close: connections.close,

    async folders(limit) {
      const known = listed.get('');
      return known !== undefined && performance.now() < known.untilMs
        ? known.list
        : account.freshFolders(limit);
    },

    async freshFolders(limit) {
      return keep(await onConnection(connections, limit, listFolders));
    },

    async hasFolder(wanted, limit) {
      for (const list of [account.folders, account.freshFolders]) {
        const { folders } = await list(limit);
        if (folders.some(({ path }) => path === wanted)) return true;
      }
      return false;
    },

    async countFolders(limit) {
      const result = await countFolders(connections, counted(), limit);
      keep(result.list, result.counted);
      return result.counts;
    },

    async states(limit) {
      const { list, states } = await folderStates(connections, limit);
      keep(list);
      return states;
    },

    forgetFolders() {
      listed.set('', undefined);
    },
  };
  return account;
}

/** @throws MailError `unavailable` if the settings cannot be read, `refused` if they cannot be used */
export async function settingsOf(account: MailAccount): Promise<SignInServers> {
  const settings = imapSettings.safeParse(await unsealed(account));
  if (settings.success) return withTokens(settings.data, account);
  const [issue] = settings.error.issues;
  const what = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
  throw new MailError('refused', `the settings of this account cannot be used (${what})`, {
    trouble: 'other',
  });
}

async function unsealed(account: MailAccount): Promise<unknown> {
  try {
    return await account.settings();
  } catch (error) {
    throw new MailError('unavailable', 'the settings of this account cannot be read', {
      cause: error,
      trouble: 'other',
    });
  }
}
