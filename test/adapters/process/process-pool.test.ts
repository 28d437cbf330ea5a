import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { type ProcessPool, processPool } from '../../../adapters/process/process-pool.ts';
import { processThat } from './process-that.ts';

const signal = new AbortController().signal;
const shape = z.object({ said: z.string() });
const bounds = {
  processes: 1,
  maxCpuMs: 60_000,
  idleMs: 60_000,
  waitingJobs: 2,
  waitingBytes: 100,
};

/** Answers each job with the job itself; never answers the job `never`. */
async function open(changes: Partial<typeof bounds> = {}): Promise<ProcessPool> {
  const file = await processThat('if (job !== "never") process.send({ said: job });');
  const pool = processPool(file, { ...bounds, ...changes });
  onTestFinished(() => pool.close());
  return pool;
}

const said = (word: string) => ({ kind: 'answered', answer: { said: word } });

/** A job that occupies the only process until it is released. */
function busy(pool: ProcessPool): { readonly ended: Promise<unknown>; letGo(): void } {
  const gone = new AbortController();
  const ended = pool.run('never', 1, shape, gone.signal);
  ended.catch(() => undefined);
  return { ended, letGo: () => gone.abort(new Error('gone')) };
}

describe('a pool of processes', () => {
  it('runs waiting jobs, oldest first', async () => {
    const pool = await open({ waitingJobs: 10 });
    const first = busy(pool);
    const order: string[] = [];
    const jobs = ['a', 'b', 'c'].map(async (word) => {
      const end = await pool.run(word, 1, shape, signal);
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
    const jobs = waiting.map((bytes) => pool.run('x', bytes, shape, signal));
    await expect(pool.run('y', next, shape, signal)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      details: { retry_after_s: 5 },
    });
    first.letGo();
    expect(await Promise.all(jobs)).toEqual(waiting.map(() => said('x')));
    expect(await pool.run('y', next, shape, signal)).toEqual(said('y'));
  });

  it('runs a job of any size if it need not wait', async () => {
    expect(await (await open()).run('x', 1000, shape, signal)).toEqual(said('x'));
  });

  it('drops a job when its caller aborts, and makes room for another', async () => {
    const pool = await open({ waitingJobs: 1 });
    const first = busy(pool);
    const gone = new AbortController();
    const left = pool.run('x', 100, shape, gone.signal);
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(pool.run('x', 1, shape, gone.signal)).rejects.toThrow('gone');
    const next = pool.run('y', 100, shape, signal);
    first.letGo();
    expect(await next).toEqual(said('y'));
  });

  it('ends running and waiting jobs when it is closed', async () => {
    const pool = await open();
    const first = busy(pool);
    const next = pool.run('x', 1, shape, signal);
    await pool.close();
    await expect(first.ended).rejects.toThrow('closed');
    await expect(next).rejects.toThrow('closed');
    await expect(pool.run('x', 1, shape, signal)).rejects.toThrow('closed');
  });

  it('is unavailable without a program to run, and the cause says why', async () => {
    const pool = processPool(() => '/no/such/program.mjs', bounds);
    await expect(pool.run('x', 1, shape, signal)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      cause: { message: 'The process cannot be started.' },
    });
  });
});
