import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { type ProcessPool, processPool } from '../../../adapters/process/process-pool.ts';
import { until } from '../../until.ts';
import { processThat, processThatWorks } from './process-that.ts';

const never = new AbortController().signal;
const shape = z.object({ said: z.string() });
const bounds = {
  processes: 1,
  maxCpuMs: 60_000,
  idleMs: 60_000,
  waitingJobs: 4,
  waitingBytes: 200,
};

/** Answers each job with the job itself; never answers the job `never`. */
async function open(changes: Partial<typeof bounds> = {}): Promise<ProcessPool> {
  const file = await processThat('if (job !== "never") process.send({ said: job });');
  const pool = processPool(file, { ...bounds, ...changes });
  onTestFinished(() => pool.close());
  return pool;
}

const about = (bytes = 1, signal = never, ownerId = 'owner', work: unknown = null) => ({
  ownerId,
  bytes,
  work,
  answer: shape,
  signal,
});

const said = (word: string) => ({ kind: 'answered', answer: { said: word } });

/** A job that occupies the only process until it is released. */
function busy(pool: ProcessPool, ownerId = 'owner'): { readonly ended: Promise<unknown>; letGo(): void } {
  const gone = new AbortController();
  const ended = pool.run('never', about(1, gone.signal, ownerId));
  ended.catch(() => undefined);
  return { ended, letGo: () => gone.abort(new Error('gone')) };
}

describe('a pool of processes', () => {
  it('runs waiting jobs, oldest first', async () => {
    const pool = await open({ waitingJobs: 20 });
    const first = busy(pool);
    const order: string[] = [];
    const jobs = ['a', 'b', 'c'].map(async (word) => {
      const end = await pool.run(word, about(1));
      order.push(word);
      return end;
    });
    first.letGo();
    expect(await Promise.all(jobs)).toEqual(['a', 'b', 'c'].map(said));
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['in number', [1, 1], 1],
    ['in bytes', [60], 41],
  ])('limits what may wait, %s', async (_name, waiting, next) => {
    const pool = await open();
    const first = busy(pool);
    const jobs = waiting.map((bytes) => pool.run('x', about(bytes)));
    await expect(pool.run('y', about(next))).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      details: { retry_after_s: 5 },
    });
    first.letGo();
    expect(await Promise.all(jobs)).toEqual(waiting.map(() => said('x')));
    expect(await pool.run('y', about(next))).toEqual(said('y'));
  });

  it('runs a job of any size if it need not wait', async () => {
    expect(await (await open()).run('x', about(1000))).toEqual(said('x'));
  });

  it('leaves half of the room to other owners', async () => {
    const pool = await open();
    const first = busy(pool);
    const full = { code: 'temporarily_unavailable' };
    const jobs = [1, 1].map((bytes) => pool.run('x', about(bytes)));
    await expect(pool.run('y', about(1))).rejects.toMatchObject(full);
    jobs.push(pool.run('x', about(100, never, 'other')));
    await expect(pool.run('y', about(1, never, 'other'))).rejects.toMatchObject(full);
    jobs.push(pool.run('x', about(98, never, 'third')));
    await expect(pool.run('y', about(1, never, 'fourth'))).rejects.toMatchObject(full);
    first.letGo();
    expect(await Promise.all(jobs)).toEqual(jobs.map(() => said('x')));
  });

  it('lets owners take turns', async () => {
    const pool = await open({ waitingJobs: 20 });
    const first = busy(pool);
    const order: string[] = [];
    const asked = [
      ['a', '1'],
      ['a', '2'],
      ['a', '3'],
      ['b', '1'],
      ['c', '1'],
      ['b', '2'],
    ] as const;
    const jobs = asked.map(async ([ownerId, word]) => {
      await pool.run(word, about(1, never, ownerId));
      order.push(`${ownerId}${word}`);
    });
    first.letGo();
    await Promise.all(jobs);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('takes the youngest job of an owner with all processes off, for another owner, and runs it later', async () => {
    const file = await processThat(`
      if (job === 'slow') setTimeout(() => process.send({ said: job }), 300);
      else if (job !== 'never') process.send({ said: job });`);
    const pool = processPool(file, { ...bounds, processes: 2 });
    onTestFinished(() => pool.close());
    const older = busy(pool, 'greedy');
    const younger = pool.run('slow', about(1, never, 'greedy'));
    expect(await pool.run('x', about(1, never, 'other'))).toEqual(said('x'));
    expect(await younger).toEqual(said('slow'));
    older.letGo();
    await expect(older.ended).rejects.toThrow('gone');
  });

  it('takes nothing off an owner with one process', async () => {
    const pool = await open({ processes: 2 });
    const jobs = ['a', 'b'].map((ownerId) => busy(pool, ownerId));
    const waits = pool.run('x', about(1, never, 'c'));
    const isThere = await Promise.race([waits, new Promise((resolve) => setTimeout(resolve, 200, 'waits'))]);
    expect(isThere).toBe('waits');
    jobs[0]?.letGo();
    expect(await waits).toEqual(said('x'));
    jobs[1]?.letGo();
  });

  it('answers work at once that was too slow within the last hour', async () => {
    const file = await processThatWorks(`if (job === 'spin') for (;;); return { said: job };`);
    const pool = processPool(file, { ...bounds, maxCpuMs: 200 });
    onTestFinished(() => pool.close());
    const slow = { kind: 'failed', reason: 'too_slow' };
    // For every owner. Another part of the same work is as slow.
    await until(async () => {
      expect(await pool.run('spin', about(9, never, 'a', { text: 'x' }))).toEqual(slow);
      const other = await pool.run('other', about(9, never, 'b', { text: 'x' }));
      // A busy machine may end work by the clock, which is not held against it.
      return other.kind === 'failed' && other.reason === 'too_slow';
    });
    expect(await pool.run('other', about(9, never, 'b', { text: 'y' }))).toEqual(said('other'));
    expect(await pool.run('other', about(8, never, 'b', { text: 'x' }))).toEqual(said('other'));
  });

  it('does not hold the clock against work: the machine may have been busy', async () => {
    const pool = await open({ maxCpuMs: 50 });
    const slow = { kind: 'failed', reason: 'too_slow' };
    expect(await pool.run('never', about())).toEqual(slow);
    expect(await pool.run('x', about())).toEqual(said('x'));
  });

  it('drops a job when its caller aborts, and makes room for another', async () => {
    const pool = await open({ waitingJobs: 2 });
    const first = busy(pool);
    const gone = new AbortController();
    const left = pool.run('x', about(100, gone.signal));
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(pool.run('x', about(1, gone.signal))).rejects.toThrow('gone');
    const next = pool.run('y', about(100));
    first.letGo();
    expect(await next).toEqual(said('y'));
  });

  it('ends running and waiting jobs when it is closed', async () => {
    const pool = await open();
    const first = busy(pool);
    const next = pool.run('x', about(1));
    await pool.close();
    await expect(first.ended).rejects.toThrow('closed');
    await expect(next).rejects.toThrow('closed');
    await expect(pool.run('x', about(1))).rejects.toThrow('closed');
  });

  it('is unavailable without a program to run, and the cause says why', async () => {
    const pool = processPool(() => '/no/such/program.mjs', bounds);
    await expect(pool.run('x', about(1))).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      cause: { message: 'The process cannot be started.' },
    });
  });
});
