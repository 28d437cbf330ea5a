import fc from 'fast-check';
import { expect, it } from 'vitest';
import { turns } from '../../../adapters/process/turns.ts';

const owner = fc.constantFrom('a', 'b', 'c');

it('of owners: each job is taken once, in order, from the owner with the fewest running jobs', () => {
  const step = fc.oneof(
    fc.record({ does: fc.constant('add' as const), ownerId: owner, isFirst: fc.boolean() }),
    fc.record({ does: fc.constant('remove' as const), ownerId: owner, at: fc.nat(5) }),
    fc.record({
      does: fc.constant('take' as const),
      running: fc.record({ a: fc.nat(2), b: fc.nat(2), c: fc.nat(2) }),
    }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const real = turns<number>();
      // The jobs of each owner, and when the owner was served last.
      const model = new Map<string, number[]>();
      let made = 0;
      for (const one of steps) {
        if (one.does === 'add') {
          made += 1;
          real.add(one.ownerId, made, one.isFirst);
          const jobs = model.get(one.ownerId) ?? [];
          model.set(one.ownerId, one.isFirst ? [made, ...jobs] : [...jobs, made]);
        } else if (one.does === 'remove') {
          const jobs = model.get(one.ownerId) ?? [];
          const job = jobs[one.at];
          if (job === undefined) continue;
          real.remove(one.ownerId, job);
          model.set(
            one.ownerId,
            jobs.filter((other) => other !== job),
          );
        } else {
          const running = (ownerId: string) => ({ ...one.running })[ownerId as 'a'] ?? 0;
          const taken = real.take(running);
          const waiting = [...model].filter(([, jobs]) => jobs.length > 0);
          const least = Math.min(...waiting.map(([ownerId]) => running(ownerId)));
          if (waiting.length === 0) {
            expect(taken).toBeUndefined();
            continue;
          }
          const from = waiting.find(([, [first]]) => first === taken);
          expect(from && running(from[0])).toBe(least);
          if (from !== undefined) model.set(from[0], from[1].slice(1));
        }
        expect(real.size).toBe([...model.values()].reduce((sum, jobs) => sum + jobs.length, 0));
      }
    }),
  );
});

it('come round: no owner is served twice while another with as few running jobs waits', () => {
  fc.assert(
    fc.property(fc.array(owner, { minLength: 1, maxLength: 30 }), (asked) => {
      const real = turns<string>();
      for (const ownerId of asked) real.add(ownerId, ownerId, false);
      const left = new Map<string, number>();
      for (const ownerId of asked) left.set(ownerId, (left.get(ownerId) ?? 0) + 1);
      let round = new Set<string>();
      for (let taken = real.take(() => 0); taken !== undefined; taken = real.take(() => 0)) {
        if (round.has(taken)) {
          for (const [ownerId, jobs] of left) if (jobs > 0) expect(round).toContain(ownerId);
          round = new Set();
        }
        round.add(taken);
        left.set(taken, (left.get(taken) ?? 0) - 1);
      }
      expect([...left.values()].every((jobs) => jobs === 0)).toBe(true);
    }),
  );
});
