import { accountKey } from '../accounts/account-cache.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type MailAccount, type MailCall, MailError } from '../ports/mail.ts';
import type { IndexedAccount, IndexSize, MailIndex } from '../ports/mail-index.ts';
import { withinLimit } from '../work/within-limit.ts';
import { accountTurns } from './account-turns.ts';
import { createFilling, utcDay } from './fill-accounts.ts';
import {
  type CurrentMailbox,
  type Followed,
  type FollowLimit,
  type FollowParts,
  followMailbox,
} from './follow-mailbox.ts';

/**
 * Keeps an index as current as the mailboxes beside it: for a call if that takes a moment, otherwise in the background. And
 * erases what nobody wants any more.
 */
export interface KeptIndex extends MailIndexing {
  /** Whether the index of an account may answer. If so, `followed` says whether it can. */
  mayAsk(account: MailAccount): boolean;
  /**
   * Brings the index up to date, or begins to fill it. Undefined: the server must be asked.
   * @throws MailError as the mailbox does; Error if the index fails
   */
  followed(call: MailCall): Promise<CurrentMailbox | undefined>;
  /** Whatever is done first with an account on a day brings its index up to date, or begins to fill it. */
  meet<T>(account: MailAccount, work: Promise<T>): Promise<T>;
  /** Indexes a folder anew that was restored from a backup. */
  restored(account: MailAccount, path: string): Promise<void>;
  /** Begins nothing more, and ends what is under way. */
  stop(): void;
}

/** The index of each account, for its owner and for those who remove it. */
export interface MailIndexing {
  /** @throws Error if the index fails */
  indexState(account: IndexedAccount): Promise<IndexState>;
  /** Every account of which there is an index. @throws Error if the index fails */
  indexedAccounts(): Promise<readonly IndexedAccount[]>;
  /** Erases the index of an account that was removed, or whose mailbox may be another one. What fails is logged. */
  eraseIndex(account: IndexedAccount): Promise<void>;
  /** Erases the index of an account, and fills it no more in this process. */
  turnIndexOff(account: IndexedAccount): Promise<void>;
  /** Erases what there is of an account's index, and fills it anew. */
  buildIndexAgain(account: MailAccount): Promise<void>;
}

export interface IndexState extends IndexSize {
  /** `tomorrow`: as much was fetched today as a day may take. */
  readonly filling: 'idle' | 'under_way' | 'tomorrow';
}

export interface KeptIndexParts {
  readonly mail: FollowParts['mail'];
  readonly index: Omit<MailIndex, 'open'>;
  /** The account as it is stored now. Undefined: it was removed. */
  current(account: MailAccount): Promise<MailAccount | undefined>;
  readonly reader: FollowParts['reader'];
  readonly clock: Clock;
  readonly log: Log;
  /** Called with what fails at the index where nobody waits for it. */
  down(error: unknown): void;
}

/** What may be indexed for a call, and how long it waits for that, before the server is asked instead. */
const FOLLOW_MESSAGES = 32;
const FOLLOW_BYTES = 8 * 1024 * 1024;
const FOLLOW_MS = 1000;
/** For the calls of the mailbox in one part of filling. */
const FILL_CALL_MS = 60_000;

export function createKeptIndex(parts: KeptIndexParts): KeptIndex {
  const { mail, index, reader, clock, log, down } = parts;
  const follow: FollowParts = { mail, index, reader, clock };
  const turns = accountTurns();
  const filling = createFilling({
    ...{ clock, log, index, current },
    follow: (account, signal, limit) => inTurn({ account, signal, deadlineMs: FILL_CALL_MS }, limit),
  });
  /** Accounts of which a folder was indexed anew. Of a server that does not keep to its dates, that happens once. */
  const rebuilt = new Set<string>();
  /** Accounts whose owner turned their index off: calls that began before may still name them as indexed. */
  const turnedOff = new Set<string>();
  /** The day on which the index of an account was last begun, or that it was erased because its owner wants none. */
  const met = new Map<string, number | 'erased'>();
  const closing = new AbortController();

  async function current(account: MailAccount): Promise<MailAccount | undefined> {
    const stored = await parts.current(account);
    if (stored !== undefined && stored.isIndexed !== false) return stored;
    await erase(account);
    return undefined;
  }

  /** One that is not saved yet is not indexed. */
  function isWanted(account: MailAccount): boolean {
    const { accountId, isIndexed = true } = account;
    return accountId >= 0 && isIndexed && !closing.signal.aborted && !turnedOff.has(accountKey(account));
  }

  function mayAsk(account: MailAccount): boolean {
    return isWanted(account) && !filling.isUnderWay(account);
  }

  /** Nothing is indexed for what was ended while it waited for its turn. */
  function inTurn(call: MailCall, limit: FollowLimit): Promise<Followed> {
    const isEnded = () => call.signal.aborted || !isWanted(call.account);
    return turns.next(call.account, async () =>
      isEnded() ? { kind: 'behind' } : followMailbox(follow, call, limit),
    );
  }

  function fill(account: MailAccount): void {
    if (isWanted(account)) filling.begin(account);
  }

  async function followed(call: MailCall): Promise<CurrentMailbox | undefined> {
    const { account } = call;
    const mailbox = await withinLimit(
      clock,
      { signal: call.signal, ms: FOLLOW_MS },
      () => inTurn(call, callLimit()),
      (): Followed => ({ kind: 'behind' }),
    );
    if (mailbox.kind === 'behind') fill(account);
    return mailbox.kind === 'current' && mailbox.folders.length > 0 ? mailbox : undefined;
  }

  async function meet<T>(account: MailAccount, work: Promise<T>): Promise<T> {
    const answer = await work;
    const name = accountKey(account);
    const now = account.isIndexed === false ? 'erased' : utcDay(clock);
    if (met.get(name) === now) return answer;
    if (now === 'erased') {
      // Turned off in another process, or not erased when it was.
      met.set(name, now);
      filling.end(account);
      erase(account).catch(down);
    } else if (mayAsk(account)) {
      met.set(name, now);
      const call = { account, signal: closing.signal, deadlineMs: FOLLOW_MS };
      followed(call).catch((error: unknown) => {
        // What fails at the server is noticed by the calls that ask it.
        if (!(error instanceof MailError)) down(error);
      });
    }
    return answer;
  }

  function callLimit(): FollowLimit {
    const untilMs = clock.now().getTime() + FOLLOW_MS;
    return { messages: FOLLOW_MESSAGES, bytes: FOLLOW_BYTES, untilMs };
  }

  async function erase(account: IndexedAccount): Promise<void> {
    rebuilt.delete(accountKey(account));
    await turns.next(account, () => index.forgetAccount(account));
  }

  return {
    mayAsk,
    followed,
    meet,
    async restored(account, path) {
      if (rebuilt.has(accountKey(account))) return;
      rebuilt.add(accountKey(account));
      await turns.next(account, () => index.forgetFolder(account, path));
      fill(account);
    },
    stop() {
      closing.abort();
      filling.stop();
    },

    async indexState(account) {
      const size = await index.size(account);
      if (filling.isUnderWay(account)) return { ...size, filling: 'under_way' };
      return { ...size, filling: (await filling.isOverForToday(account)) ? 'tomorrow' : 'idle' };
    },
    indexedAccounts: () => index.accounts(),
    async eraseIndex(account) {
      filling.end(account);
      turnedOff.delete(accountKey(account));
      met.delete(accountKey(account));
      await erase(account).catch(down);
    },
    async turnIndexOff(account) {
      turnedOff.add(accountKey(account));
      filling.end(account);
      await erase(account);
      met.set(accountKey(account), 'erased');
    },
    async buildIndexAgain(account) {
      turnedOff.delete(accountKey(account));
      filling.end(account);
      await erase(account);
      met.set(accountKey(account), utcDay(clock));
      fill(account);
    },
  };
}
