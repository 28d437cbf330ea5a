import { indexFile } from '../adapters/mail-index/index-file.ts';
import type { MailIndex } from '../core/ports/mail-index.ts';

/** An index in memory, in this thread. */
export function inlineIndex(): MailIndex {
  const file = indexFile(':memory:', new Uint8Array(32).fill(7));
  return {
    open: async () => undefined,
    accounts: async () => file.accounts(),
    folders: async (account) => file.folders(account),
    uids: async (account, path) => file.uids(account, path),
    save: async (account, change) => file.save(account, change),
    async forgetFolder(account, path) {
      while (file.forgetFolder(account, path));
    },
    async forgetAccount(account) {
      while (file.forgetAccount(account));
    },
    fetched: async (account, day) => file.fetched(account, day),
    addFetched: async (account, day, bytes) => file.addFetched(account, day, bytes),
    size: async (account) => file.size(account),
    search: async (account, query) => file.search(account, query),
    conversation: async (account, place) => file.conversation(account, place),
    close: async () => file.close(),
  };
}
