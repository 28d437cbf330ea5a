import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/durations.ts';
import {
  type Backoff,
  decayedTries,
  type FailedTries,
  failedOnce,
  failureCap,
  forgottenAtMs,
  waitAfterTries,
} from './backoff.ts';

/**
 * How often a password may be tried. Pure: storage reads the facts, judges, and saves the changes in one unit.
 *
 * A try counts as failed before the password is checked, so concurrent tries cannot outrun the count. A correct password
 * takes its own try back.
 *
 * | counter | counts the failed tries | free | then a wait of | forgets one failure every | most tries a day |
 * |---|---|---|---|---|---|
 * | address | of one address group | 3 | 5 s, doubled up to 15 min | 12 h | 107 |
 * | newcomers | for one email, from addresses that still have free tries | 10 | 1 s, doubled up to 10 min | 10 min | 164 |
 * | repeaters | for one email, from all other addresses | 10 | 1 s, doubled up to 10 min | 10 min | 164 |
 * | device | of one browser that has signed in as this owner | 5 | 1 s, doubled up to 1 h | 1 h | 41 |
 *
 * | facts | verdict | counted |
 * |---|---|---|
 * | a known device whose wait is over | check | device |
 * | otherwise, if the waits of the address and its lane (newcomers or repeaters) are over | check | address, lane |
 * | otherwise | wait for the longer of the two, or for the device if that is sooner | nothing |
 *
 * Consequences:
 * - A known device never waits because of others: only its own counter matters, and others cannot raise that.
 * - Strangers get at most 328 tries a day at one owner's password, however many addresses they use: two lanes of
 *   20 + 144. Each stolen device cookie adds 41, and an owner has at most `DEVICES_KEPT` of them. Passwords have 10
 *   characters or more; at that pace, trying the million most common ones takes over eight years.
 * - On a new device, the owner waits at most 10 minutes because of others, or 15 because of tries from the owner's own
 *   address. An attack from few addresses soon runs only in the repeaters' lane and leaves the newcomers' lane to the
 *   owner. An attack from hundreds of addresses can fill both lanes and may win each race for the next try: while it
 *   lasts, signing in on a new device takes luck. Any looser limit would give strangers more tries.
 * - The counters of an email are the same whether or not an owner has that email.
 * - If the clock goes back, nobody waits longer than the longest wait: a time in the future is moved to now. If it goes
 *   forward, failures are only forgotten sooner.
 */
export interface PasswordTryFacts {
  readonly address: FailedTries | undefined;
  readonly newcomers: FailedTries | undefined;
  readonly repeaters: FailedTries | undefined;
  /** Undefined unless the try comes from a known device of the owner. */
  readonly device: FailedTries | undefined;
}

export type TriesCounter = keyof PasswordTryFacts;

export interface PasswordTryVerdict {
  /** 0: the password may be checked. */
  readonly waitMs: number;
  /** The counters that count this try; empty if it has to wait. */
  readonly counted: readonly TriesCounter[];
  /** The new value of each counter that changes. */
  readonly changes: readonly TriesChange[];
}

export interface TriesChange extends FailedTries {
  readonly counter: TriesCounter;
  /** From then on the counter is empty and can be erased. */
  readonly forgottenMs: number;
}

/** How many known devices an owner has. A new one replaces the one that signed in longest ago. */
export const DEVICES_KEPT = 10;

const OWNER_BACKOFF: Backoff = { free: 10, firstMs: 1000, mostMs: 10 * MINUTE_MS, forgetMs: 10 * MINUTE_MS };

/** Of one known device. Codes of the second step count in it too. */
export const DEVICE_BACKOFF: Backoff = { free: 5, firstMs: 1000, mostMs: HOUR_MS, forgetMs: HOUR_MS };

const BACKOFFS: Readonly<Record<TriesCounter, Backoff>> = {
  address: { free: 3, firstMs: 5000, mostMs: 15 * MINUTE_MS, forgetMs: 12 * HOUR_MS },
  newcomers: OWNER_BACKOFF,
  repeaters: OWNER_BACKOFF,
  device: DEVICE_BACKOFF,
};

/** The most tries a day that one counter allows. Source: the table above. */
export function triesPerDay(counter: TriesCounter): number {
  const { forgetMs, mostMs } = BACKOFFS[counter];
  return failureCap(BACKOFFS[counter]) + Math.ceil(DAY_MS / Math.min(forgetMs, mostMs));
}

export function judgePasswordTry(facts: PasswordTryFacts, now: Date): PasswordTryVerdict {
  const nowMs = now.getTime();
  const deviceWaitMs = facts.device === undefined ? Number.POSITIVE_INFINITY : waitOf('device', facts, nowMs);
  if (deviceWaitMs === 0) return countTry(['device'], facts, nowMs);
  const { failures } = decayed('address', facts, nowMs);
  const lane = failures < BACKOFFS.address.free ? 'newcomers' : 'repeaters';
  const waitMs = Math.max(waitOf('address', facts, nowMs), waitOf(lane, facts, nowMs));
  if (waitMs === 0) return countTry(['address', lane], facts, nowMs);
  const inFuture = COUNTERS.filter((counter) => (facts[counter]?.lastMs ?? nowMs) > nowMs);
  return {
    waitMs: Math.min(waitMs, deviceWaitMs),
    counted: [],
    changes: inFuture.map((counter) => changeOf(counter, decayed(counter, facts, nowMs))),
  };
}

/** Takes back one counted failure of a try whose password was correct. */
export function giveTryBack(counter: TriesCounter, { failures, lastMs }: FailedTries): TriesChange {
  return changeOf(counter, { failures: Math.max(0, failures - 1), lastMs });
}

const COUNTERS = ['address', 'newcomers', 'repeaters', 'device'] as const satisfies readonly TriesCounter[];

function countTry(
  counted: readonly TriesCounter[],
  facts: PasswordTryFacts,
  nowMs: number,
): PasswordTryVerdict {
  const changes = counted.map((counter) =>
    changeOf(counter, failedOnce(BACKOFFS[counter], facts[counter], nowMs)),
  );
  return { waitMs: 0, counted, changes };
}

/** Returns the counter without the failures that are forgotten by now. */
function decayed(counter: TriesCounter, facts: PasswordTryFacts, nowMs: number): FailedTries {
  return decayedTries(BACKOFFS[counter], facts[counter], nowMs);
}

function waitOf(counter: TriesCounter, facts: PasswordTryFacts, nowMs: number): number {
  return waitAfterTries(BACKOFFS[counter], facts[counter], nowMs);
}

function changeOf(counter: TriesCounter, { failures, lastMs }: FailedTries): TriesChange {
  return { counter, failures, lastMs, forgottenMs: forgottenAtMs(BACKOFFS[counter], { failures, lastMs }) };
}
