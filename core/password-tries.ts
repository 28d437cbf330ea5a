import { DAY_MS, HOUR_MS, MINUTE_MS } from './limits.ts';

/**
 * How often a password may be tried. Pure: storage reads the facts, judges and saves the changes in one unit.
 *
 * Every try is counted as failed before the password is checked, so that tries at the same moment cannot outrun the
 * count. A right password gives its own try back.
 *
 * | counter | counts the failed tries | free | then a wait of | forgets one failure in | tries a day, at most |
 * |---|---|---|---|---|---|
 * | address | of one address group | 3 | 5 s, doubled up to 15 min | 12 h | 107 |
 * | newcomers | at one email, from addresses that still have free tries | 10 | 1 s, doubled up to 10 min | 10 min | 164 |
 * | repeaters | at one email, from all other addresses | 10 | 1 s, doubled up to 10 min | 10 min | 164 |
 * | device | of one browser that signed in as this owner before | 5 | 1 s, doubled up to 1 h | 1 h | 41 |
 *
 * | facts | verdict | counted |
 * |---|---|---|
 * | a known device, its wait is over | check | device |
 * | else: the waits of the address and of its lane (newcomers or repeaters) are over | check | address, lane |
 * | else | wait for the longer of the two, or for the device if that is sooner | nothing |
 *
 * What follows from it:
 * - A known device never waits for what others do: its own counter alone decides, and others cannot touch that.
 * - However many addresses take part, strangers have at most 328 tries a day at one owner's password: two lanes of
 *   20 + 144. Each stolen device cookie adds 41, and an owner has at most `DEVICES_KEPT` of them. A password has 10
 *   characters or more; at that pace even a list of the million commonest ones would take over eight years.
 * - On a new device the owner never has to let more than 10 minutes pass for what others did, or 15 for what was
 *   done from the owner's own address. An attack from few addresses soon runs in the repeaters' lane only, and leaves
 *   the newcomers' lane to the owner. An attack from hundreds of addresses can fill that lane too, and may then be
 *   quicker than the owner whenever a try is possible: for as long as it goes on, signing in on a new device takes
 *   luck. Any higher bound would leave more tries to strangers.
 * - The counters of emails are the same whether or not somebody has that email.
 * - A clock that goes back delays nobody for longer than the longest wait: a time that lies ahead is moved to now.
 *   One that goes forward only forgets sooner.
 */
export interface FailedTries {
  readonly failures: number;
  /** When the last one was counted. */
  readonly lastMs: number;
}

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
  /** The counters that now count this try; none when it has to wait. */
  readonly counted: readonly TriesCounter[];
  /** What is to be saved, each in place of what was there. */
  readonly changes: readonly TriesChange[];
}

export interface TriesChange extends FailedTries {
  readonly counter: TriesCounter;
  /** From then on it says nothing any more, and can be erased. */
  readonly forgottenMs: number;
}

/** How many known devices an owner has: the one that signed in longest ago gives way to a new one. */
export const DEVICES_KEPT = 10;

interface Pace {
  /** Failures that cost no wait. */
  readonly free: number;
  readonly firstMs: number;
  readonly mostMs: number;
  /** One failure is forgotten in this time. */
  readonly forgetMs: number;
}

const OWNER_PACE: Pace = { free: 10, firstMs: 1000, mostMs: 10 * MINUTE_MS, forgetMs: 10 * MINUTE_MS };

const PACES: Readonly<Record<TriesCounter, Pace>> = {
  address: { free: 3, firstMs: 5000, mostMs: 15 * MINUTE_MS, forgetMs: 12 * HOUR_MS },
  newcomers: OWNER_PACE,
  repeaters: OWNER_PACE,
  device: { free: 5, firstMs: 1000, mostMs: HOUR_MS, forgetMs: HOUR_MS },
};

/** Of one counter. Source: the table above. */
export function triesPerDay(counter: TriesCounter): number {
  const { forgetMs, mostMs } = PACES[counter];
  return ceiling(PACES[counter]) + Math.ceil(DAY_MS / Math.min(forgetMs, mostMs));
}

export function judgePasswordTry(facts: PasswordTryFacts, now: Date): PasswordTryVerdict {
  const nowMs = now.getTime();
  const deviceWaitMs = facts.device === undefined ? Number.POSITIVE_INFINITY : waitOf('device', facts, nowMs);
  if (deviceWaitMs === 0) return counting(['device'], facts, nowMs);
  const { failures } = remembered('address', facts, nowMs);
  const lane = failures < PACES.address.free ? 'newcomers' : 'repeaters';
  const waitMs = Math.max(waitOf('address', facts, nowMs), waitOf(lane, facts, nowMs));
  if (waitMs === 0) return counting(['address', lane], facts, nowMs);
  const ahead = COUNTERS.filter((counter) => (facts[counter]?.lastMs ?? nowMs) > nowMs);
  return {
    waitMs: Math.min(waitMs, deviceWaitMs),
    counted: [],
    changes: ahead.map((counter) => changeOf(counter, remembered(counter, facts, nowMs))),
  };
}

/** What is left of a counter when one of the tries that it counted had the right password. */
export function giveTryBack(counter: TriesCounter, { failures, lastMs }: FailedTries): TriesChange {
  return changeOf(counter, { failures: Math.max(0, failures - 1), lastMs });
}

const COUNTERS = ['address', 'newcomers', 'repeaters', 'device'] as const satisfies readonly TriesCounter[];

function counting(
  counted: readonly TriesCounter[],
  facts: PasswordTryFacts,
  nowMs: number,
): PasswordTryVerdict {
  const changes = counted.map((counter) => {
    const failures = Math.min(ceiling(PACES[counter]), remembered(counter, facts, nowMs).failures + 1);
    return changeOf(counter, { failures, lastMs: nowMs });
  });
  return { waitMs: 0, counted, changes };
}

/** A counter without what it has forgotten by now. */
function remembered(counter: TriesCounter, facts: PasswordTryFacts, nowMs: number): FailedTries {
  const { failures, lastMs } = facts[counter] ?? { failures: 0, lastMs: nowMs };
  if (lastMs > nowMs) return { failures, lastMs: nowMs };
  const forgotten = Math.floor((nowMs - lastMs) / PACES[counter].forgetMs);
  return { failures: Math.max(0, failures - forgotten), lastMs };
}

function waitOf(counter: TriesCounter, facts: PasswordTryFacts, nowMs: number): number {
  const { failures, lastMs } = remembered(counter, facts, nowMs);
  const { free, firstMs, mostMs } = PACES[counter];
  if (failures < free) return 0;
  return Math.max(0, lastMs + Math.min(mostMs, firstMs * 2 ** (failures - free)) - nowMs);
}

/** More failures than this are not counted: the wait is the longest already. */
function ceiling({ free, firstMs, mostMs }: Pace): number {
  return free + Math.ceil(Math.log2(mostMs / firstMs));
}

function changeOf(counter: TriesCounter, { failures, lastMs }: FailedTries): TriesChange {
  return { counter, failures, lastMs, forgottenMs: lastMs + failures * PACES[counter].forgetMs };
}
