import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NumberedActivity } from '../../../core/activity/activity.ts';
import type { Checkpoint } from '../../../core/activity/activity-state.ts';
import type { ActivityStorage } from '../../../core/activity/activity-storage.ts';
import { checkActivity } from '../../../core/activity/check-activity.ts';
import { CHECKPOINT_ROWS_MAX, coveringCheckpoints } from '../../../core/activity/checkpoints.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';

const OWNER = 'owner';
const START_MS = Date.parse('2026-03-10T12:00:00Z');
const signer = createKeyring([randomBytes(32)], randomBytes);

/** The rows and checkpoints of one owner, which a test can change. */
interface Tables {
  rows: NumberedActivity[];
  checkpoints: Checkpoint[];
}

function storageOf(
  tables: Tables,
): Pick<ActivityStorage, 'addCheckpoints' | 'checkpoints' | 'numberedActivity'> {
  return {
    async addCheckpoints(request) {
      const last = tables.checkpoints.at(-1);
      const rows = tables.rows.filter(({ id }) => id > (last?.lastId ?? 0)).slice(0, request.limit);
      for (const checkpoint of coveringCheckpoints(last, rows, request)) {
        tables.checkpoints = [
          ...tables.checkpoints.filter(({ number }) => number !== checkpoint.number),
          checkpoint,
        ];
      }
      return rows.length;
    },
    checkpoints: async () => tables.checkpoints,
    numberedActivity: async ({ afterId, upToId, limit }) =>
      tables.rows
        .filter(({ id }) => id > afterId && id <= upToId)
        .toSorted((a, b) => a.id - b.id)
        .slice(0, limit),
  };
}

const row = fc.record({
  minutes: fc.nat({ max: 40 }),
  kind: fc.constantFrom('call' as const, 'decision' as const, 'settlement' as const),
  credentialId: fc.option(fc.string()),
  tool: fc.option(fc.string()),
  outcome: fc.string(),
  approvalId: fc.option(fc.string()),
  durationMs: fc.nat(),
  shown: fc.array(fc.string(), { maxLength: 3 }),
  listed: fc.array(fc.string(), { maxLength: 3 }),
});
type DrawnRow = typeof row extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** Writes the rows one after the other, and covers them as background rounds of any size and at any time would. */
async function written(
  drawn: readonly DrawnRow[],
  rounds: readonly number[],
): Promise<Tables & { now: Date }> {
  const tables: Tables = { rows: [], checkpoints: [] };
  let nowMs = START_MS;
  for (const [n, { minutes, ...activity }] of drawn.entries()) {
    nowMs += minutes * 60_000;
    tables.rows.push({ id: n + 1, activity: { ...activity, at: new Date(nowMs) } });
    const limit = rounds[n % rounds.length] ?? 0;
    if (limit > 0) await storageOf(tables).addCheckpoints(coverage(limit, nowMs));
  }
  while ((await storageOf(tables).addCheckpoints(coverage(3, nowMs))) > 0);
  return { ...tables, checkpoints: tables.checkpoints, now: new Date(nowMs) };
}

function coverage(limit: number, nowMs: number) {
  return { ownerId: OWNER, limit, signer, now: new Date(nowMs) };
}

async function faultKinds(tables: Tables, now: Date): Promise<string[]> {
  const { faults } = await checkActivity(storageOf(tables), OWNER, signer, now);
  return faults.map(({ kind }) => kind).filter((kind) => kind !== 'late');
}

/** A change that somebody makes in the database; `n` and `m` choose where. */
const EDITS: Readonly<Record<string, (tables: Tables, n: number, m: number) => void>> = {
  'deletes a row': ({ rows }, n) => rows.splice(n % rows.length, 1),
  'deletes a row, and moves the numbers of those behind it up': (tables, n) => {
    tables.rows.splice(n % tables.rows.length, 1);
    tables.rows = tables.rows.map((one, index) => ({ ...one, id: index + 1 }));
  },
  'inserts a row before the first': ({ rows }, n) => {
    const copy = rows[n % rows.length];
    if (copy !== undefined) rows.unshift({ ...copy, id: 0 });
  },
  'changes the instant of a row': change((activity) => ({
    ...activity,
    at: new Date(activity.at.getTime() + 1),
  })),
  'changes what a row was': change((activity) => ({
    ...activity,
    kind: activity.kind === 'call' ? 'decision' : 'call',
  })),
  'changes the key of a row': change((activity) => ({
    ...activity,
    credentialId: `${activity.credentialId}x`,
  })),
  'changes the tool of a row': change((activity) => ({ ...activity, tool: `${activity.tool}x` })),
  'changes the outcome of a row': change((activity) => ({ ...activity, outcome: `${activity.outcome}x` })),
  'changes the request of a row': change((activity) => ({
    ...activity,
    approvalId: `${activity.approvalId}x`,
  })),
  'changes the duration of a row': change((activity) => ({
    ...activity,
    durationMs: activity.durationMs + 1,
  })),
  'changes what a row showed': change((activity) => ({ ...activity, shown: [...activity.shown, 'x'] })),
  'changes what a row listed': change((activity) => ({ ...activity, listed: [...activity.listed, 'x'] })),
  'changes the number of a checkpoint': changeCheckpoint((one) => ({ ...one, number: one.number + 1000 })),
  'changes the first row of a checkpoint': changeCheckpoint((one) => ({ ...one, firstId: one.firstId + 1 })),
  'changes the last row of a checkpoint': changeCheckpoint((one) => ({ ...one, lastId: one.lastId + 1 })),
  'changes the count of a checkpoint': changeCheckpoint((one) => ({ ...one, rowCount: one.rowCount + 1 })),
  'changes the hour of a checkpoint': changeCheckpoint((one) => ({ ...one, hour: new Date(0) })),
  'changes the beginning of a checkpoint': changeCheckpoint((one) => ({ ...one, createdAt: new Date(0) })),
  'changes the end of a checkpoint': changeCheckpoint((one) => ({ ...one, updatedAt: new Date(0) })),
  'changes the link of a checkpoint': changeCheckpoint((one) => ({
    ...one,
    previousHash: `${one.previousHash}0`,
  })),
  'changes the hash of a checkpoint': changeCheckpoint((one) => ({ ...one, hash: `0${one.hash}` })),
  'changes the owner of a checkpoint': changeCheckpoint((one) => ({ ...one, ownerId: 'another' })),
  'signs a checkpoint with another secret key': changeCheckpoint((one) => ({
    ...one,
    signature: createKeyring([randomBytes(32)], randomBytes).sign('checkpoint', one.hash),
  })),
};

function change(edit: (activity: NumberedActivity['activity']) => NumberedActivity['activity']) {
  return ({ rows }: Tables, n: number) => {
    const at = n % rows.length;
    const one = rows[at];
    if (one !== undefined) rows[at] = { ...one, activity: edit(one.activity) };
  };
}

function changeCheckpoint(edit: (checkpoint: Checkpoint) => Checkpoint) {
  return ({ checkpoints }: Tables, n: number) => {
    const at = n % checkpoints.length;
    const one = checkpoints[at];
    if (one !== undefined) checkpoints[at] = edit(one);
  };
}

const history = {
  rows: fc.array(row, { minLength: 3, maxLength: 12 }),
  rounds: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 4 }),
};

describe('checkpoints', () => {
  it('do not report unchanged rows, however they were covered', async () => {
    await fc.assert(
      fc.asyncProperty(history.rows, history.rounds, async (rows, rounds) => {
        const { now, ...tables } = await written(rows, rounds);
        const report = await checkActivity(storageOf(tables), OWNER, signer, now);
        expect(report).toMatchObject({ intact: rows.length, uncovered: { count: 0 } });
        expect(report.faults.filter(({ kind }) => kind !== 'late')).toEqual([]);
      }),
    );
  });

  it.each(Object.keys(EDITS))('show it if somebody %s', async (name) => {
    await fc.assert(
      fc.asyncProperty(history.rows, history.rounds, fc.nat(), fc.nat(), async (rows, rounds, n, m) => {
        const { now, ...tables } = await written(rows, rounds);
        EDITS[name]?.(tables, n, m);
        expect(await faultKinds(tables, now)).not.toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('show it if somebody exchanges two rows', async () => {
    await fc.assert(
      fc.asyncProperty(history.rows, history.rounds, fc.nat(), fc.nat(), async (rows, rounds, n, m) => {
        const { now, ...tables } = await written(rows, rounds);
        const [a, b] = [n % rows.length, m % rows.length];
        const [one, other] = [tables.rows[a], tables.rows[b]];
        if (one === undefined || other === undefined) throw new Error('there is no such row');
        tables.rows[a] = { ...one, activity: other.activity };
        tables.rows[b] = { ...other, activity: one.activity };
        const isSame = JSON.stringify(one.activity) === JSON.stringify(other.activity);
        expect((await faultKinds(tables, now)).length > 0).toBe(!isSame);
      }),
    );
  });

  it('show it if somebody deletes one of them, unless it is the last', async () => {
    await fc.assert(
      fc.asyncProperty(history.rows, history.rounds, fc.nat(), async (rows, rounds, n) => {
        const { now, ...tables } = await written(rows, rounds);
        const [place, last] = [n % tables.checkpoints.length, tables.checkpoints.length - 1];
        tables.checkpoints.splice(place, 1);
        const { faults, uncovered } = await checkActivity(storageOf(tables), OWNER, signer, now);
        const alarms = faults.filter(({ kind }) => kind !== 'late');
        expect({ alarm: alarms.length > 0, uncovered: uncovered.count > 0 }).toEqual({
          alarm: place !== last,
          uncovered: place === last,
        });
      }),
    );
  });

  it('do not sign changed rows when they grow', async () => {
    await fc.assert(
      fc.asyncProperty(history.rows, history.rounds, async (rows, rounds) => {
        const { now, ...tables } = await written(rows, rounds);
        const last = tables.checkpoints.at(-1);
        if (last === undefined) throw new Error('there is no checkpoint');
        tables.checkpoints[tables.checkpoints.length - 1] = { ...last, hash: 'changed' };
        const [first] = tables.rows;
        if (first === undefined) throw new Error('there is no row');
        tables.rows.push({ id: rows.length + 1, activity: { ...first.activity, at: now } });
        await storageOf(tables).addCheckpoints(coverage(9, now.getTime()));
        expect(await faultKinds(tables, now)).toContain('checkpoint');
      }),
    );
  });

  it('report rows that were covered late', async () => {
    const { now, ...tables } = await written(
      Array.from({ length: 3 }, () => ACTIVITY),
      [1],
    );
    expect((await checkActivity(storageOf(tables), OWNER, signer, now)).faults).toEqual([]);
    // Somebody deletes the checkpoints and changes a row: the next round covers what it finds.
    tables.checkpoints = [];
    const [first] = tables.rows;
    if (first !== undefined) tables.rows[0] = { ...first, activity: { ...first.activity, outcome: 'ok' } };
    const later = new Date(now.getTime() + 16 * 60_000);
    await storageOf(tables).addCheckpoints(coverage(9, later.getTime()));
    const { faults } = await checkActivity(storageOf(tables), OWNER, signer, later);
    expect(faults.map(({ kind }) => kind)).toEqual(['late']);
  });

  it('have a limited number of rows', async () => {
    const rows = Array.from({ length: CHECKPOINT_ROWS_MAX + 1 }, () => ({ ...ACTIVITY, minutes: 0 }));
    const { checkpoints } = await written(rows, [0]);
    expect(checkpoints.map(({ rowCount }) => rowCount)).toEqual([CHECKPOINT_ROWS_MAX, 1]);
  });
});

const ACTIVITY: DrawnRow = {
  minutes: 1,
  kind: 'call',
  credentialId: 'key_1',
  tool: 'get_me',
  outcome: 'not_permitted',
  approvalId: null,
  durationMs: 1,
  shown: [],
  listed: [],
};
