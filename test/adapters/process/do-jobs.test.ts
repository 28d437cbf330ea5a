import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { type BoundedProcess, boundedProcess } from '../../../adapters/process/bounded-process.ts';
import { processThatWorks } from './process-that.ts';

const signal = new AbortController().signal;

async function open(does: string, maxCpuMs = 60_000): Promise<BoundedProcess> {
  const file = await processThatWorks(`if (job === 'bad') { ${does} } return job;`);
  const one = boundedProcess(file, { maxCpuMs, idleMs: 60_000 });
  onTestFinished(() => one.close());
  return one;
}

const run = (one: BoundedProcess, job: 'bad' | 'good') => one.run(job, z.string(), signal);

describe('a process that runs doJobs', () => {
  it.each([
    ['fills its heap', 'too_large', 'for (;;) kept.push(new Array(100_000).fill(kept));'],
    ['fills its buffers', 'too_large', 'for (;;) kept.push(Buffer.alloc(8 * 1024 * 1024, 1));'],
    [
      'fills its buffers slowly',
      'too_large',
      'for (;;) { kept.push(Buffer.alloc(8 * 1024 * 1024, 1)); await null; }',
    ],
    ['fails', 'broken', 'throw new Error("no");'],
  ])('whose job %s reports it as %s, and answers the next job', async (_name, reason, does) => {
    const one = await open(does);
    expect(await run(one, 'bad')).toEqual({ kind: 'failed', reason });
    expect(await run(one, 'good')).toEqual({ kind: 'answered', answer: 'good' });
  });

  it.each([
    ['blocks its thread', 'for (;;);'],
    ['never rests', 'for (;;) await null;'],
    ['never rests between its turns', 'for (;;) await new Promise((done) => setImmediate(done));'],
  ])('is killed by the CPU time of a job that %s, whatever the clock shows', async (_name, does) => {
    const one = await open(does, 300);
    // The clock of this process stands still, so its own limit never ends the job.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await run(one, 'bad')).toEqual({ kind: 'failed', reason: 'too_slow' });
    expect(await run(one, 'good')).toEqual({ kind: 'answered', answer: 'good' });
  });

  it('is not killed for the time in which other programs run', async () => {
    const one = await open('await new Promise((done) => setTimeout(done, 2000));', 1000);
    expect(await run(one, 'bad')).toEqual({ kind: 'answered', answer: 'bad' });
  });

  it('has the full CPU time again for each job', async () => {
    const one = await open('for (const end = Date.now() + 100; Date.now() < end; );', 1000);
    for (let times = 0; times < 12; times++) {
      expect(await run(one, 'bad')).toEqual({ kind: 'answered', answer: 'bad' });
    }
  });
});
