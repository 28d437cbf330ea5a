import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FailedTries } from '../../../core/owners/backoff.ts';
import {
  giveTryBack,
  judgePasswordTry,
  type PasswordTryFacts,
  type TriesCounter,
  triesPerDay,
} from '../../../core/owners/password-tries.ts';

const NOON_MS = Date.parse('2026-03-03T12:00:00Z');
const SECOND = 1000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The longest waits of the table. */
const LONGEST = { device: HOUR, stranger: 15 * MINUTE };

const NOTHING: PasswordTryFacts = {
  address: undefined,
  newcomers: undefined,
  repeaters: undefined,
  device: undefined,
};

/** The counters as a store would keep them: by address, and one of each of the others for the one email. */
class Counters {
  readonly rows = new Map<string, FailedTries>();

  try(nowMs: number, address: string, device?: string): { waitMs: number; counted: readonly TriesCounter[] } {
    const facts = {
      address: this.rows.get(address),
      newcomers: this.rows.get('newcomers'),
      repeaters: this.rows.get('repeaters'),
      device: device === undefined ? undefined : (this.rows.get(device) ?? { failures: 0, lastMs: 0 }),
    };
    const { waitMs, counted, changes } = judgePasswordTry(facts, new Date(nowMs));
    for (const change of changes) this.rows.set(this.keyOf(change.counter, address, device), change);
    return { waitMs, counted };
  }

  giveBack(counted: readonly TriesCounter[], address: string, device?: string): void {
    for (const counter of counted) {
      const key = this.keyOf(counter, address, device);
      const before = this.rows.get(key);
      if (before !== undefined) this.rows.set(key, giveTryBack(counter, before));
    }
  }

  private keyOf(counter: TriesCounter, address: string, device: string | undefined): string {
    if (counter === 'address') return address;
    return counter === 'device' ? (device ?? '') : counter;
  }
}

/** How many tries in a row are checked at one moment, and the wait that the next one gets. */
function burst(tries: (nth: number) => { waitMs: number }): { checked: number; waitMs: number } {
  for (let checked = 0; checked < 1000; checked++) {
    const { waitMs } = tries(checked);
    if (waitMs > 0) return { checked, waitMs };
  }
  throw new Error('nothing ends the tries');
}

describe('the table', () => {
  it.each<[string, number, number, (counters: Counters, nth: number) => { waitMs: number }]>([
    ['one address', 3, 5 * SECOND, (counters) => counters.try(NOON_MS, 'a')],
    ['one email, from ever new addresses', 10, SECOND, (counters, nth) => counters.try(NOON_MS, `a${nth}`)],
    [
      'a known device, and then the address that it is at',
      5 + 3,
      SECOND,
      (counters) => counters.try(NOON_MS, 'a', 'd'),
    ],
  ])('%s: %i tries at once, then a wait', (_who, free, waitMs, tries) => {
    const counters = new Counters();
    expect(burst((nth) => tries(counters, nth))).toEqual({ checked: free, waitMs });
  });

  it.each<[TriesCounter, number]>([
    ['address', 107],
    ['newcomers', 164],
    ['repeaters', 164],
    ['device', 41],
  ])('%s: at most %i a day', (counter, tries) => {
    expect(triesPerDay(counter)).toBe(tries);
  });

  it('doubles the wait of an address up to 15 minutes', () => {
    const waits = Array.from({ length: 12 }, (_, failures) => {
      const facts = { ...NOTHING, address: { failures, lastMs: NOON_MS } };
      return judgePasswordTry(facts, new Date(NOON_MS)).waitMs / SECOND;
    });
    expect(waits).toEqual([0, 0, 0, 5, 10, 20, 40, 80, 160, 320, 640, 900]);
  });

  it('leaves the newcomers’ lane to others once an address has used its free tries', () => {
    const counters = new Counters();
    const lanes = Array.from({ length: 5 }, (_, nth) => counters.try(NOON_MS + nth * HOUR, 'a').counted[1]);
    expect(lanes).toEqual(['newcomers', 'newcomers', 'newcomers', 'repeaters', 'repeaters']);
  });

  it('forgets a row that no longer matters', () => {
    const { changes } = judgePasswordTry(
      { ...NOTHING, address: { failures: 2, lastMs: NOON_MS - 1 } },
      new Date(NOON_MS),
    );
    expect(changes).toEqual([
      { counter: 'address', failures: 3, lastMs: NOON_MS, forgottenMs: NOON_MS + 36 * HOUR },
      { counter: 'newcomers', failures: 1, lastMs: NOON_MS, forgottenMs: NOON_MS + 10 * MINUTE },
    ]);
  });

  it('takes back a correct try, and never more tries than were counted', () => {
    const counters = new Counters();
    counters.try(NOON_MS, 'a');
    const { counted } = counters.try(NOON_MS, 'a');
    counters.giveBack(counted, 'a');
    expect(counters.rows.get('a')?.failures).toBe(1);
    for (let n = 0; n < 3; n++) counters.giveBack(counted, 'a');
    expect(counters.rows.get('a')?.failures).toBe(0);
  });
});

const address = fc.integer({ min: 0, max: 40 }).map((n) => `address ${n}`);
const step = fc.oneof(
  fc.record({ kind: fc.constant('stranger' as const), address, times: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ kind: fc.constant('device' as const), address, isRight: fc.boolean() }),
  fc.record({ kind: fc.constant('time' as const), ms: fc.integer({ min: 0, max: 2 * HOUR }) }),
);
const jump = fc.record({
  kind: fc.constant('time' as const),
  ms: fc.integer({ min: -400 * DAY, max: 400 * DAY }),
});

describe('whatever strangers do', () => {
  it('a known device is checked whenever it would be if there were no strangers', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 9, arbitrary: step }, jump), { maxLength: 60 }), (steps) => {
        const [attacked, quiet] = [new Counters(), new Counters()];
        let nowMs = NOON_MS;
        for (const one of steps) {
          if (one.kind === 'time') nowMs += one.ms;
          if (one.kind === 'stranger') {
            for (let n = 0; n < one.times; n++) attacked.try(nowMs, one.address);
          }
          if (one.kind === 'device') {
            // From an address that nobody else has: without strangers only its own tries could delay it.
            const alone = quiet.try(nowMs, 'own address', 'device');
            const among = attacked.try(nowMs, one.address, 'device');
            if (alone.counted.includes('device')) expect(among.counted).toEqual(['device']);
            if (one.isRight) {
              quiet.giveBack(alone.counted, 'own address', 'device');
              attacked.giveBack(among.counted, one.address, 'device');
            }
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a correct password from a known device is always checked at once', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(step, jump), { maxLength: 60 }), (steps) => {
        const counters = new Counters();
        let nowMs = NOON_MS;
        for (const one of steps) {
          if (one.kind === 'time') nowMs += one.ms;
          if (one.kind === 'stranger') {
            for (let n = 0; n < one.times; n++) counters.try(nowMs, one.address);
          }
          if (one.kind === 'device') {
            const { waitMs, counted } = counters.try(nowMs, one.address, 'device');
            expect(waitMs).toBe(0);
            counters.giveBack(counted, one.address, 'device');
          }
        }
      }),
    );
  });

  it('tries at one password stay under the stated number a day, with ever new addresses and without a pause', () => {
    const counters = new Counters();
    const checkedAt: number[] = [];
    let nowMs = NOON_MS;
    for (let nth = 0; nowMs < NOON_MS + 3 * DAY; nth++) {
      // A new address for the newcomers' lane, and one that has used its free tries for the other.
      const old = `old ${nth}`;
      counters.rows.set(old, { failures: 3, lastMs: nowMs - HOUR });
      const waits = [`new ${nth}`, old].map((from) => {
        const { waitMs } = counters.try(nowMs, from);
        if (waitMs === 0) checkedAt.push(nowMs);
        return waitMs;
      });
      const next = Math.min(...waits.filter((waitMs) => waitMs > 0));
      if (Number.isFinite(next)) nowMs += next;
    }
    const aDay = triesPerDay('newcomers') + triesPerDay('repeaters');
    expect(aDay).toBe(328);
    const mostInADay = Math.max(
      ...checkedAt.map((begin) => checkedAt.filter((ms) => ms >= begin && ms < begin + DAY).length),
    );
    expect(mostInADay).toBeLessThanOrEqual(aDay);
    // The attack is worth its name: it comes close to what is possible.
    expect(mostInADay).toBeGreaterThan(aDay * 0.8);
  });

  it('tries at one password stay under the stated number a day, in bursts and with pauses', () => {
    const attack = fc.array(
      fc.record({ pauseMs: fc.integer({ min: 0, max: 3 * HOUR }), from: fc.integer({ min: 0, max: 300 }) }),
      { minLength: 50, maxLength: 200 },
    );
    fc.assert(
      fc.property(attack, (bursts) => {
        const counters = new Counters();
        const checkedAt: number[] = [];
        let nowMs = NOON_MS;
        for (const { pauseMs, from } of bursts) {
          nowMs += pauseMs;
          for (let n = 0; n < 40; n++) {
            if (counters.try(nowMs, `${(from + n) % 300}`).waitMs === 0) checkedAt.push(nowMs);
          }
        }
        for (const begin of checkedAt) {
          const inADay = checkedAt.filter((ms) => ms >= begin && ms < begin + DAY);
          expect(inADay.length).toBeLessThanOrEqual(328);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('nobody waits for longer than the longest wait, however the clock jumps', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(step, jump), { maxLength: 60 }), address, (steps, from) => {
        const counters = new Counters();
        let nowMs = NOON_MS;
        for (const one of steps) {
          if (one.kind === 'time') nowMs += one.ms;
          else if (one.kind === 'device') counters.try(nowMs, one.address, 'device');
          else for (let n = 0; n < one.times; n++) counters.try(nowMs, one.address);
        }
        const stranger = counters.try(nowMs, from);
        expect(stranger.waitMs).toBeLessThanOrEqual(LONGEST.stranger);
        if (stranger.waitMs > 0) expect(counters.try(nowMs + stranger.waitMs, from).waitMs).toBe(0);
        const device = counters.try(nowMs, from, 'device');
        expect(device.waitMs).toBeLessThanOrEqual(LONGEST.device);
      }),
      { numRuns: 500 },
    );
  });

  it('a clock that goes back a year does not delay anybody for that year', () => {
    const counters = new Counters();
    for (let n = 0; n < 3; n++) counters.try(NOON_MS + 365 * DAY, 'a');
    expect(counters.try(NOON_MS, 'a').waitMs).toBe(5 * SECOND);
    expect(counters.try(NOON_MS + 5 * SECOND, 'a').waitMs).toBe(0);
  });

  it('a clock that runs a little behind another gives no more tries', () => {
    const counters = new Counters();
    for (let n = 0; n < 3; n++) counters.try(NOON_MS + 2 * SECOND, 'a');
    for (let n = 0; n < 5; n++) expect(counters.try(NOON_MS, 'a').waitMs).toBe(5 * SECOND);
    expect(counters.rows.get('a')?.failures).toBe(3);
  });
});
