import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { type BoundedProcess, boundedProcess } from '../../../adapters/process/bounded-process.ts';
import { processThat } from './process-that.ts';

const signal = new AbortController().signal;
const shape = z.object({ jobs: z.int() });
const answer = 'process.send({ jobs });';

async function open(does: string, maxMs = 60_000, idleMs = 60_000): Promise<BoundedProcess> {
  const one = boundedProcess(await processThat(does), { maxMs, idleMs });
  onTestFinished(() => one.close());
  return one;
}

/** The job `bad` makes the process do what its test says; any other is answered. */
const run = (one: BoundedProcess, job: 'bad' | 'good', until = signal) => one.run(job, shape, until);

describe('a process', () => {
  it('is used again after an answer', async () => {
    const one = await open(answer);
    expect(await run(one, 'good')).toEqual({ kind: 'answered', answer: { jobs: 1 } });
    expect(await run(one, 'good')).toEqual({ kind: 'answered', answer: { jobs: 2 } });
  });

  it.each([
    ['spins', 'for (;;);', 2000, 'too_slow'],
    ['never answers', 'return;', 2000, 'too_slow'],
    ['fails', 'throw new Error("no");', 60_000, 'broken'],
    ['answers something else', 'return process.send({ jobs: "many" });', 60_000, 'broken'],
    [
      'fills its heap',
      'const all = []; for (;;) all.push(new Array(100_000).fill(all));',
      60_000,
      'too_large',
    ],
  ])('that %s is ended, and the next job gets a new one', async (_name, does, maxMs, reason) => {
    const one = await open(`if (job === "bad") { ${does} } ${answer}`, maxMs);
    expect(await run(one, 'bad')).toEqual({ kind: 'failed', reason });
    expect(await run(one, 'good')).toEqual({ kind: 'answered', answer: { jobs: 1 } });
  });

  it.each(['setImmediate', 'process.nextTick'])(
    'that fails over what a job left behind (%s): the next job does not pay for it',
    async (later) => {
      const one = await open(`${answer} if (job === "bad") ${later}(() => { throw new Error("late"); });`);
      for (let times = 0; times < 20; times++) {
        expect(await run(one, 'bad')).toMatchObject({ kind: 'answered' });
        expect(await run(one, 'good')).toMatchObject({ kind: 'answered' });
      }
    },
  );

  it('is ended when nobody needs it, and started again for the next job', async () => {
    const one = await open(answer, 60_000, 1);
    expect(await run(one, 'good')).toMatchObject({ answer: { jobs: 1 } });
    await expect.poll(() => run(one, 'good')).toMatchObject({ answer: { jobs: 1 } });
  });

  it('is ended by closing, also while it works', async () => {
    const one = await open(`if (job === "bad") for (;;); ${answer}`);
    const spinning = run(one, 'bad');
    spinning.catch(() => undefined);
    const ended = async () => {
      await one.close();
      await expect(Promise.race([spinning, Promise.resolve('works')])).rejects.toThrow('closed');
    };
    await vi.waitFor(ended, { timeout: 20_000 });
    await expect(run(one, 'good')).rejects.toThrow('closed');
  });

  it('that spins is ended when its caller goes', async () => {
    const one = await open(`if (job === "bad") for (;;); ${answer}`);
    await run(one, 'good');
    const gone = new AbortController();
    const end = run(one, 'bad', gone.signal);
    gone.abort(new Error('gone'));
    await expect(end).rejects.toThrow('gone');
    expect(await run(one, 'good')).toMatchObject({ answer: { jobs: 1 } });
  });

  it.each(['missing.mjs', 'broken.mjs'])(
    'that cannot be started (%s) is a failure of its own',
    async (name) => {
      const folder = await mkdtemp(join(tmpdir(), 'countersign-process-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      await writeFile(join(folder, 'broken.mjs'), 'throw new Error("no");');
      const one = boundedProcess(() => join(folder, name), { maxMs: 1000, idleMs: 60_000 });
      await expect(run(one, 'good')).rejects.toThrow('cannot be started');
    },
  );
});
