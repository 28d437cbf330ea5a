import { accountKey } from '../accounts/account-cache.ts';
import type { Clock } from '../ports/clock.ts';
import { errorName, type Log } from '../ports/log.ts';
import type { MailAccount } from '../ports/mail.ts';
import type { IndexedAccount, MailIndex } from '../ports/mail-index.ts';
import { DAY_MS } from '../time/durations.ts';
import type { FollowLimit, followMailbox } from './follow-mailbox.ts';

/** Indexes mailboxes in the background, from their newest messages on. Where it stops, the next run goes on. */
export interface Filling {
  /** Begins, unless it is under way. It ends when as much was fetched today as a day may take. */
  begin(account: MailAccount): void;
  isUnderWay(account: IndexedAccount): boolean;
  /** Whether as much of the account was fetched today as a day may take. */
  isOverForToday(account: IndexedAccount): Promise<boolean>;
  /** Ends it for one account. What is under way may still be saved. */
  end(account: IndexedAccount): void;
  stop(): void;
}

export interface FillingParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly index: Pick<MailIndex, 'addFetched' | 'fetched'>;
  /** The account as it is now. Undefined: nothing of it is indexed any more. */
  current(account: MailAccount): Promise<MailAccount | undefined>;
  /** In turn with other work of the account on the index. */
  follow(account: MailAccount, signal: AbortSignal, limit: FollowLimit): ReturnType<typeof followMailbox>;
}

/** Between two parts of filling, calls have their turn. */
const PART_MS = 5000;
const PAUSE_MS = 50;
/** For an account. Gmail refuses those who fetch more than some 2.5 GB. */
const DAY_BYTES = 500 * 1024 * 1024;
/** Parts that may end early without an end, because the mailbox changes meanwhile. */
const TRIES = 3;

/** The day of UTC, counted since 1970. */
export function utcDay(clock: Pick<Clock, 'now'>): number {
  return Math.floor(clock.now().getTime() / DAY_MS);
}

export function createFilling({ clock, log, index, current, follow }: FillingParts): Filling {
  const underWay = new Map<string, AbortController>();
  let isStopped = false;

  async function fill(account: MailAccount, signal: AbortSignal): Promise<void> {
    let left = DAY_BYTES - (await index.fetched(account, utcDay(clock)));
    for (let tries = 0; tries < TRIES && left > 0 && !signal.aborted; ) {
      // Another process may have removed it, or changed its settings.
      const now = await current(account);
      if (now === undefined) return;
      const untilMs = clock.now().getTime() + PART_MS;
      const limit = { messages: Number.POSITIVE_INFINITY, bytes: left, untilMs };
      const { kind } = await follow(now, signal, limit);
      left = DAY_BYTES - (await index.addFetched(account, utcDay(clock), left - limit.bytes));
      if (kind !== 'behind') return;
      tries = clock.now().getTime() < untilMs ? tries + 1 : 0;
      if (!signal.aborted) await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
    }
  }

  return {
    begin(account) {
      const name = accountKey(account);
      if (underWay.has(name) || isStopped) return;
      const ending = new AbortController();
      underWay.set(name, ending);
      fill(account, ending.signal)
        .catch((error: unknown) => {
          const fields = { account: account.accountId, ...errorName(error) };
          if (!ending.signal.aborted) log.warn('a mailbox was not indexed to its end', fields);
        })
        .finally(() => {
          if (underWay.get(name) === ending) underWay.delete(name);
        });
    },
    isUnderWay: (account) => underWay.has(accountKey(account)),
    isOverForToday: async (account) => (await index.fetched(account, utcDay(clock))) >= DAY_BYTES,
    end(account) {
      const name = accountKey(account);
      underWay.get(name)?.abort();
      underWay.delete(name);
    },
    stop() {
      isStopped = true;
      for (const ending of underWay.values()) ending.abort();
    },
  };
}
