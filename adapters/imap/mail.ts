import { checkOptions } from '../../core/contract/options.ts';
import type { MailCall } from '../../core/ports/mail.ts';
import type { Mail } from '../../core/ports/ports.ts';
import type { AllowPrivateServers } from '../remote/connect.ts';
import { withinCall } from '../remote/time-limit.ts';
import { smtpSender } from '../smtp/sender.ts';
import { messagesAt, rowsAt, textsAt } from './at-places.ts';
import { connectImap } from './connection.ts';
import { readAttachment } from './content.ts';
import { noFolder } from './failure.ts';
import { findMessage } from './find.ts';
import { uidsIn } from './folder-states.ts';
import { createFolder, findFolder } from './folders.ts';
import { type ImapAccount, imapAccounts, settingsOf } from './imap-accounts.ts';
import { labelMessage } from './label.ts';
import { listFolder } from './list.ts';
import { moveMessage } from './move.ts';
import { rowAt } from './rows.ts';
import { searchScopes } from './search.ts';
import { copiesTo, messageWithId, saveOnce } from './sent-folder.ts';
import { inFolder, inFolderIfThere, inFolderToChange, onConnection } from './session.ts';
import { setFlag } from './set-flag.ts';
import type { ImapSettings } from './settings.ts';
import { conversationOf } from './thread.ts';
import { visitInbox } from './visit-inbox.ts';
import { watchInbox } from './watch-inbox.ts';

export type { AllowPrivateServers, PrivateServer } from '../remote/connect.ts';
export type { Secret } from '../remote/mail-server.ts';
export type { ImapSettings, MailServer } from './settings.ts';

export interface ImapOptions {
  /**
   * How many IMAP connections one account may have at a time; some servers allow few. Watching the inbox takes one of
   * them, so with 1 it is never watched. Default: 3.
   */
  readonly maxConnectionsPerAccount?: number;
  /**
   * Whether accounts may name servers on this machine or in private networks. Default: `false`, because anyone who can
   * connect an account could otherwise reach your network from here. Set it to `true` if only you connect accounts, or
   * to a function that decides by host and address.
   */
  readonly allowPrivateServers?: AllowPrivateServers;
  /** How this machine introduces itself to SMTP servers. Default: the domain of the account's address. */
  readonly ehloName?: string | undefined;
}

/**
 * Mailboxes on IMAP servers, with sending by SMTP. The `settings` of an account resolve to `ImapSettings`.
 */
export function imapMail(options: ImapOptions = {}): Mail<ImapSettings> {
  checkOptions('imapMail', options, {
    maxConnectionsPerAccount: ['optional', 'number'],
    allowPrivateServers: ['optional', 'boolean', 'function'],
    ehloName: ['optional', 'string'],
  });
  const { maxConnectionsPerAccount = 3, allowPrivateServers = false, ehloName } = options;
  if (!(Number.isInteger(maxConnectionsPerAccount) && maxConnectionsPerAccount > 0)) {
    throw new Error('imapMail: the option maxConnectionsPerAccount must be a whole number, 1 or more.');
  }
  const reach = { allowPrivateServers, ehloName };
  const accounts = imapAccounts(maxConnectionsPerAccount, reach);
  const sender = smtpSender(reach);

  function onAccount<T>(
    call: MailCall,
    work: (account: ImapAccount, limit: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return withinCall(call, (limit) => work(accounts.of(call.account), limit));
  }

  return {
    verify(call, server) {
      return withinCall(call, async (limit) => {
        const { imap, smtp } = await settingsOf(call.account);
        // The server has accepted the password.
        if (server !== 'sending') (await connectImap(imap, reach, limit)).close();
        if (server !== 'reading') await sender.verify(smtp, limit);
      });
    },

    folders(call, { fresh = false } = {}) {
      return onAccount(call, async (account, limit) => {
        const { folders } = await (fresh ? account.freshFolders(limit) : account.folders(limit));
        return folders;
      });
    },

    counts(call) {
      return onAccount(call, (account, limit) => account.countFolders(limit));
    },

    list(call, query) {
      const { path, after } = query;
      const wanted = { path, uidValidity: after?.uidValidity };
      return onAccount(call, (account, limit) =>
        inFolder(account.connections, wanted, limit, (folder) => listFolder(folder, query, account)),
      );
    },

    read(call, place) {
      return onAccount(call, ({ connections, messages }, limit) =>
        inFolder(connections, place, limit, (folder) => messages.at(folder, place)),
      );
    },

    readAll(call, places) {
      return onAccount(call, (account, limit) => messagesAt(account, places, limit));
    },

    row(call, place) {
      return onAccount(call, ({ connections }, limit) =>
        inFolderIfThere(connections, place, limit, undefined, (folder) => rowAt(folder, place)),
      );
    },

    readTexts(call, places) {
      return onAccount(call, (account, limit) => textsAt(account, places, limit));
    },

    rows(call, places) {
      return onAccount(call, (account, limit) => rowsAt(account, places, limit));
    },

    states(call) {
      return onAccount(call, (account, limit) => account.states(limit));
    },

    uids(call, query) {
      return onAccount(call, async (account, limit) => {
        const list = await account.folders(limit);
        return inFolder(account.connections, query, limit, (folder) => uidsIn(folder, list, query));
      });
    },

    find(call, wanted) {
      return onAccount(call, async (account, limit) => {
        const { scopes } = await account.freshFolders(limit);
        return findMessage(account.connections, scopes, wanted, account.dates, limit);
      });
    },

    search(call, query) {
      return onAccount(call, async (account, limit) => {
        const scopes =
          query.path === undefined
            ? (await account.freshFolders(limit)).scopes
            : [{ path: query.path, only: {} }];
        return searchScopes(account.connections, scopes, query, account, limit);
      });
    },

    thread(call, place) {
      return onAccount(call, async (account, limit) => {
        const { scopes } = await account.folders(limit);
        return conversationOf(account.connections, account.index, scopes, place, limit);
      });
    },

    attachment(call, place, index, maxBytes) {
      return onAccount(call, ({ connections }, limit) =>
        inFolder(connections, place, limit, (folder) => readAttachment(folder, place, index, maxBytes)),
      );
    },

    move(call, place, to, start) {
      return onAccount(call, async (account, limit) => {
        if (!(await account.hasFolder(to, limit))) throw noFolder();
        return inFolderToChange(account.connections, place.path, limit, (folder) =>
          moveMessage(folder, place, to, start, limit),
        );
      });
    },

    label(call, place, label, start) {
      return onAccount(call, async (account, limit) => {
        const { folders } = await account.freshFolders(limit);
        const done = await inFolderToChange(account.connections, place.path, limit, (folder) =>
          labelMessage(folder, folders, place, label, start, limit),
        );
        // The copy may have created its folder.
        if (done === 'copy') account.forgetFolders();
        return done;
      });
    },

    createFolder(call, name) {
      return onAccount(call, async (account, limit) => {
        if (await account.hasFolder(name, limit)) return name;
        const { folders } = await account.folders(limit);
        const path = await onConnection(
          account.connections,
          limit,
          async (client) => findFolder(client, folders, name)?.path ?? (await createFolder(client, name)),
        );
        account.forgetFolders();
        return path;
      });
    },

    sentCopies(call, path, addresses) {
      return onAccount(call, async ({ connections }, limit) => {
        if (addresses.length === 0) return [];
        const none: readonly Uint8Array[] = [];
        return inFolderIfThere(connections, { path }, limit, none, (folder) =>
          copiesTo(folder, call.account.email, addresses),
        );
      });
    },

    transmit(call, message, start) {
      return withinCall(call, (limit) => {
        const server = async () => (await settingsOf(call.account)).smtp;
        return sender.transmit(call.account, server, message, start, limit);
      });
    },

    saveSent(call, path, message) {
      return onAccount(call, ({ connections, filing }, limit) =>
        saveOnce(message, filing, (work) => inFolder(connections, { path }, limit, work), limit),
      );
    },

    messageWithId(call, path, messageId) {
      return onAccount(call, ({ connections }, limit) =>
        inFolderIfThere(connections, { path }, limit, undefined, (folder) =>
          messageWithId(folder, messageId),
        ),
      );
    },

    setFlag(call, place, flag, on, start) {
      return onAccount(call, ({ connections }, limit) =>
        inFolderToChange(connections, place.path, limit, (folder) =>
          setFlag(folder, place, flag, on, start, limit),
        ),
      );
    },

    watchInbox(call, visit) {
      return watchInbox(accounts.of(call.account).connections, call, visit);
    },

    visitInbox(call, visit) {
      return visitInbox(accounts.of(call.account).connections, call, visit);
    },

    async forget(ownerId, accountId) {
      accounts.forget(ownerId, accountId);
      sender.forget(ownerId, accountId);
    },

    async close() {
      accounts.close();
      sender.close();
    },
  };
}
