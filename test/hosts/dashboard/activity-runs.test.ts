import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ActivityEntry } from '../../../core/requests/activity-list.ts';
import { MINUTE_MS } from '../../../core/time/durations.ts';
import { runsOf } from '../../../hosts/dashboard/activity/activity-runs.ts';

function entry(id: number, credentialId: string | null, ms: number): ActivityEntry {
  const rest = { kind: 'call', tool: 'get_me', outcome: 'ok', approvalId: null, durationMs: 1 } as const;
  return { ...rest, id, credentialId, at: new Date(ms), shown: [], listed: [], request: null, sources: [] };
}

describe('runs', () => {
  it('are calls of one key with gaps of five minutes at most, other keys in between or not', () => {
    const entries = [
      entry(6, 'a', 20 * MINUTE_MS),
      entry(5, 'b', 19 * MINUTE_MS),
      entry(4, 'a', 15 * MINUTE_MS),
      entry(3, 'b', 15 * MINUTE_MS),
      entry(2, 'a', 10 * MINUTE_MS - 1),
      entry(1, null, 9 * MINUTE_MS),
    ];
    const ids = runsOf(entries).map((run) => [run.credentialId, ...run.entries.map(({ id }) => id)]);
    expect(ids).toEqual([
      ['a', 6, 4],
      ['b', 5, 3],
      ['a', 2],
      [null, 1],
    ]);
  });

  it('contain each row once, in order', () => {
    const gaps = fc.array(fc.tuple(fc.constantFrom('a', 'b', null), fc.nat(8 * MINUTE_MS)), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(gaps, (steps) => {
        let ms = 1e12;
        const entries = steps.map(([key, gap], n) => {
          ms -= gap;
          return entry(steps.length - n, key, ms);
        });
        const runs = runsOf(entries);
        const ids = runs.flatMap((run) => run.entries.map(({ id }) => id));
        expect(ids.toSorted((one, other) => other - one)).toEqual(entries.map(({ id }) => id));
        expect(runs.map((run) => run.entries[0].id)).toEqual(
          runs.map((run) => run.entries[0].id).toSorted((one, other) => other - one),
        );
        for (const { entries: own } of runs) {
          expect(own.map(({ id }) => id)).toEqual(
            own.map(({ id }) => id).toSorted((one, other) => other - one),
          );
        }
      }),
    );
  });
});
