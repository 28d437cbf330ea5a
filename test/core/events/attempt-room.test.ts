import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IN_FLIGHT_MAX, roomOfEndpoint, roomOfOwner } from '../../../core/events/attempt-room.ts';

/** Owners in a circle, as a round of webhook deliveries serves them. `due`: attempts that wait. */
interface Model {
  readonly due: number[];
  readonly running: number[];
  last: number;
}

const total = (counts: readonly number[]) => counts.reduce((sum, one) => sum + one, 0);

/** Plays a round. @returns the owners in the order in which attempts were started */
function round(model: Model): number[] {
  const started: number[] = [];
  for (let before = -1; before < started.length; ) {
    before = started.length;
    const numbers = model.due.map((_, owner) => (model.last + 1 + owner) % model.due.length);
    const circle = numbers.filter((owner) => (model.due[owner] ?? 0) > 0);
    for (const [index, owner] of circle.entries()) {
      const all = total(model.running);
      if (all >= IN_FLIGHT_MAX) return started;
      model.last = owner;
      const ofOwner = model.running[owner] ?? 0;
      const due = model.due[owner] ?? 0;
      const count = Math.min(due, roomOfOwner({ all, ofOwner }, circle.length - index));
      model.due[owner] = due - count;
      model.running[owner] = ofOwner + count;
      started.push(...Array<number>(count).fill(owner));
    }
  }
  return started;
}

const owners = fc.array(fc.nat(200), { minLength: 1, maxLength: 30 });

describe('the room for webhook attempts', () => {
  it('never exceeds the limits, and leaves half of the places to other owners', () => {
    fc.assert(
      fc.property(owners, fc.array(fc.nat(), { maxLength: 100 }), (due, ends) => {
        const model: Model = { due: [...due], running: due.map(() => 0), last: -1 };
        for (const end of [0, ...ends]) {
          round(model);
          expect(total(model.running)).toBeLessThanOrEqual(IN_FLIGHT_MAX);
          for (const one of model.running) expect(one).toBeLessThanOrEqual(IN_FLIGHT_MAX / 2);
          const owner = end % due.length;
          model.running[owner] = Math.max(0, (model.running[owner] ?? 0) - 1);
        }
      }),
    );
  });

  it('is used up if there is work for it', () => {
    fc.assert(
      fc.property(owners, (due) => {
        const model: Model = { due: [...due], running: due.map(() => 0), last: -1 };
        round(model);
        const possible = total(due.map((one) => Math.min(one, IN_FLIGHT_MAX / 2)));
        expect(total(model.running)).toBe(Math.min(IN_FLIGHT_MAX, possible));
      }),
    );
  });

  it('is given to an owner with new work before any other owner has a second turn', () => {
    fc.assert(
      fc.property(owners, fc.nat(), fc.infiniteStream(fc.nat()), (due, place, ends) => {
        const busy = due.map((one) => one + 1);
        const model: Model = {
          due: [...busy, 0],
          running: [...busy.map(() => 0), 0],
          last: place % busy.length,
        };
        round(model);
        const fresh = busy.length;
        model.due[fresh] = 1;
        const before: number[] = [];
        // Any attempt can end first, but each ends within its time limit.
        for (const end of ends) {
          const runningOwners = model.running.flatMap((one, owner) => (one > 0 ? [owner] : []));
          const ended = runningOwners[end % runningOwners.length];
          if (ended !== undefined) model.running[ended] = (model.running[ended] ?? 0) - 1;
          const started = round(model);
          const index = started.indexOf(fresh);
          before.push(...(index === -1 ? started : started.slice(0, index)));
          if (index !== -1) break;
        }
        for (const owner of busy.keys()) {
          expect(before.filter((one) => one === owner).length).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('of an endpoint is four attempts', () => {
    expect([0, 3, 4, 5].map(roomOfEndpoint)).toEqual([4, 1, 0, 0]);
  });
});
