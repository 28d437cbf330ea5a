import type { Clock } from '../ports/clock.ts';
import type { MailIndex } from '../ports/mail-index.ts';
import { withinLimit } from '../work/within-limit.ts';

const INDEX_MS = 5000;
/** Of a large mailbox. */
const ERASE_MS = 60_000;

/** The index, opened before its first use. Nobody waits for it longer than that. */
export function limitedIndex(
  index: MailIndex,
  secretKey: Uint8Array,
  clock: Pick<Clock, 'after'>,
): Omit<MailIndex, 'open'> {
  let opened: Promise<void> | undefined;

  function limited<T>(use: () => Promise<T>, ms = INDEX_MS): Promise<T> {
    return withinLimit(
      clock,
      { ms },
      async () => {
        opened ??= index.open(secretKey);
        await opened;
        return use();
      },
      () => {
        throw new Error('The index did not answer in time.');
      },
    );
  }

  return {
    accounts: () => limited(() => index.accounts()),
    folders: (account) => limited(() => index.folders(account)),
    uids: (account, path) => limited(() => index.uids(account, path)),
    fetched: (account, day) => limited(() => index.fetched(account, day)),
    addFetched: (account, day, bytes) => limited(() => index.addFetched(account, day, bytes)),
    size: (account) => limited(() => index.size(account)),
    save: (account, change) => limited(() => index.save(account, change)),
    forgetFolder: (account, path) => limited(() => index.forgetFolder(account, path), ERASE_MS),
    forgetAccount: (account) => limited(() => index.forgetAccount(account), ERASE_MS),
    search: (account, query) => limited(() => index.search(account, query)),
    conversation: (account, place) => limited(() => index.conversation(account, place)),
    close: () => index.close(),
  };
}
