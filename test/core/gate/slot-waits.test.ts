import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSlotWaits } from '../../../core/gate/slot-waits.ts';

/** A clock whose timers a test ends by itself. */
function handClock() {
  let nowMs = 0;
  const timers = new Set<{ atMs: number; task: () => void }>();
  return {
    after(ms: number, task: () => void) {
      const timer = { atMs: nowMs + ms, task };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async pass(ms: number) {
      nowMs += ms;
      for (const timer of [...timers].sort((a, b) => a.atMs - b.atMs)) {
        if (timer.atMs > nowMs || !timers.delete(timer)) continue;
        timer.task();
      }
      await settled();
    },
    timers: () => timers.size,
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A key with so many slots. What waits has no answer yet. */
function scene(slots: number) {
  const clock = handClock();
  const waits = createSlotWaits(clock);
  let free = slots;
  const take = async () => {
    if (free === 0) return undefined;
    free -= 1;
    return 'slot' as const;
  };
  return {
    clock,
    free: () => free,
    take,
    give(isTold = true) {
      free += 1;
      if (isTold) waits.ended('key-1');
    },
    call(gone?: AbortSignal) {
      const state: { answer: 'waits' | 'slot' | undefined } = { answer: 'waits' };
      void waits.wait('key-1', take, gone).then((answer) => {
        state.answer = answer;
      });
      return state;
    },
  };
}

it('calls that wait have their turn in the order in which they came', async () => {
  const { clock, call, give } = scene(0);
  const calls = [call(), call(), call()];
  await settled();
  const answers = () => calls.map(({ answer }) => answer);
  expect(answers()).toEqual(['waits', 'waits', 'waits']);
  for (const expected of [
    ['slot', 'waits', 'waits'],
    ['slot', 'slot', 'waits'],
    ['slot', 'slot', 'slot'],
  ]) {
    give();
    await settled();
    expect(answers()).toEqual(expected);
  }
  expect(clock.timers()).toBe(0);
});

it('a slot that another process gives back is found, too', async () => {
  const { clock, call, give } = scene(0);
  const waiting = call();
  give(false);
  await settled();
  expect(waiting.answer).toBe('waits');
  await clock.pass(250);
  expect(waiting.answer).toBe('slot');
});

it('nobody waits longer than 5 s, or after the caller has gone', async () => {
  const { clock, call } = scene(0);
  const caller = new AbortController();
  const [stays, goes] = [call(), call(caller.signal)];
  await clock.pass(4900);
  expect([stays.answer, goes.answer]).toEqual(['waits', 'waits']);
  caller.abort();
  await settled();
  expect([stays.answer, goes.answer]).toEqual(['waits', undefined]);
  await clock.pass(100);
  expect(stays.answer).toBeUndefined();
  const late = call(AbortSignal.abort());
  await settled();
  expect(late.answer).toBeUndefined();
  expect(clock.timers()).toBe(0);
});

it('whatever happens, at most eight calls wait, each is answered, and no slot is lost or used twice', async () => {
  const deed = fc.constantFrom('call', 'end', 'end elsewhere', 'go', 'pass');
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 3 }),
      fc.array(deed, { maxLength: 60 }),
      async (slots, deeds) => {
        const { clock, call, give, free } = scene(slots);
        const calls: { state: ReturnType<typeof call>; caller: AbortController; ended: boolean }[] = [];
        const holding = () => calls.filter(({ state, ended }) => state.answer === 'slot' && !ended);
        for (const one of deeds) {
          const waiting = calls.filter(({ state }) => state.answer === 'waits');
          const [held] = holding();
          if (one === 'call') {
            const caller = new AbortController();
            const state = call(caller.signal);
            await settled();
            if (waiting.length >= 8) expect(state.answer).toBeUndefined();
            calls.push({ state, caller, ended: false });
          } else if (one === 'go') waiting[0]?.caller.abort();
          else if (one === 'pass') await clock.pass(250);
          else if (held !== undefined) {
            held.ended = true;
            give(one === 'end');
          }
          await settled();
          expect(calls.filter(({ state }) => state.answer === 'waits').length).toBeLessThanOrEqual(8);
          expect(holding().length + free()).toBe(slots);
        }
        for (let looks = 0; looks < 20; looks += 1) await clock.pass(250);
        expect(calls.filter(({ state }) => state.answer === 'waits')).toEqual([]);
        expect(clock.timers()).toBe(0);
      },
    ),
  );
});
