import { type MailAccount, MailError } from '../../core/ports/mail.ts';
import type { FolderCounts } from '../../core/ports/mail-reading.ts';
import type { Reach } from '../remote/connect.ts';
import { type AccountConnections, accountConnections } from './account-connections.ts';
import { type ConversationIndex, conversationIndex } from './conversation-index.ts';
import { countFolders, type FolderList, listFolders } from './folders.ts';
import { type ReceivedDates, receivedDates } from './received-dates.ts';
import { onConnection } from './session.ts';
import { imapSettings, type SignInServers, withTokens } from './settings.ts';

/** How long the list of folders may be reused. */
const FOLDERS_MS = 60_000;

/** The state of an account that is kept between calls. */
export interface ImapAccount {
  readonly connections: AccountConnections;
  readonly dates: ReceivedDates;
  readonly index: ConversationIndex;
  /** The account's folders, from a list that is at most a minute old. */
  folders(limit: AbortSignal): Promise<FolderList>;
  /** Lists the folders again, so that messages in a folder that was just created are not missed. */
  freshFolders(limit: AbortSignal): Promise<FolderList>;
  /** Lists the folders again before it gives up, so that it finds a folder that another program just created. */
  hasFolder(path: string, limit: AbortSignal): Promise<boolean>;
  countFolders(limit: AbortSignal): Promise<readonly FolderCounts[]>;
  /** Call this after a change of the folders. */
  forgetFolders(): void;
}

/** The accounts that were used since the start. */
export interface ImapAccounts {
  of(account: MailAccount): ImapAccount;
  forget(ownerId: string, accountId: number): void;
  close(): void;
}

export function imapAccounts(maxConnections: number, reach: Reach): ImapAccounts {
  const accounts = new Map<string, { readonly opened: ImapAccount; readonly revision: number }>();
  return {
    of(account) {
      const key = accountKey(account);
      const { revision = 0 } = account;
      const known = accounts.get(key);
      // A call that began before a change of the settings uses the new ones.
      if (known !== undefined && known.revision >= revision) return known.opened;
      known?.opened.connections.close();
      const server = async () => (await settingsOf(account)).imap;
      const opened = imapAccount(accountConnections(maxConnections, server, reach));
      accounts.set(key, { opened, revision });
      return opened;
    },

    forget(ownerId, accountId) {
      const key = accountKey({ ownerId, accountId });
      accounts.get(key)?.opened.connections.close();
      accounts.delete(key);
    },

    close() {
      for (const { opened } of accounts.values()) opened.connections.close();
      accounts.clear();
    },
  };
}

function imapAccount(connections: AccountConnections): ImapAccount {
  let known: { readonly list: FolderList; readonly until: number } | undefined;

  function keep(list: FolderList): FolderList {
    known = { list, until: performance.now() + FOLDERS_MS };
    return list;
  }

  const account: ImapAccount = {
    connections,
    dates: receivedDates(),
    index: conversationIndex(connections),

    async folders(limit) {
      return known !== undefined && performance.now() < known.until
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
      const { counts, list } = await onConnection(connections, limit, countFolders);
      keep(list);
      return counts;
    },

    forgetFolders() {
      known = undefined;
    },
  };
  return account;
}

function accountKey({ ownerId, accountId }: Pick<MailAccount, 'ownerId' | 'accountId'>): string {
  return `${accountId} ${ownerId}`;
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
