import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { type BoundedProcess, boundedProcess } from '../../../adapters/process/bounded-process.ts';
import { sizeOf } from '../../only-long.ts';
import { eventually } from '../../until.ts';
import { processThat } from './process-that.ts';

const signal = new AbortController().signal;
const shape = z.object({ jobs: z.int() });
const answer = 'process.send({ jobs });';

/** How often a process crashes on leftovers. */
const ROUNDS = sizeOf('bounded process: rounds', 20, 5);

async function open(does: string, maxCpuMs = 60_000, idleMs = 60_000): Promise<BoundedProcess> {
  const one = boundedProcess(await processThat(does), { maxCpuMs, idleMs });
  onTestFinished(() => one.close());
  return one;
}

/** The job `bad` runs the test's code; the process answers any other job. */
const run = (one: BoundedProcess, job: 'bad' | 'good', until = signal, maxCpuMs?: number) =>
  one.run(job, shape, until, maxCpuMs);

describe('a process', () => {
  it('is reused after an answer', async () => {
    const one = await open(answer);
    expect(await run(one, 'good')).toEqual({ kind: 'answered', answer: { jobs: 1 } });
    expect(await run(one, 'good')).toEqual({ kind: 'answered', answer: { jobs: 2 } });
  });

  it.each([
    ['spins', 'for (;;);', 100, 'too_late'],
    ['never answers', 'return;', 100, 'too_late'],
    ['fails', 'throw new Error("no");', 60_000, 'broken'],
    ['answers something else', 'return process.send({ jobs: "many" });', 60_000, 'broken'],
    [
      'fills its heap',
      'const all = []; for (;;) all.push(new Array(100_000).fill(all));',
      60_000,
      'too_large',
    ],
  ])('that %s is killed, and the next job gets a new one', async (_name, does, maxCpuMs, reason) => {
    const one = await open(`if (job === "bad") { ${does} } ${answer}`);
    expect(await run(one, 'bad', signal, maxCpuMs)).toEqual({ kind: 'failed', reason });
    expect(await run(one, 'good')).toEqual({ kind: 'answered', answer: { jobs: 1 } });
  });

  it.each(['setImmediate', 'process.nextTick'])(
    'that crashes on the leftovers of a job (%s) does not fail the next job',
    async (later) => {
      const one = await open(`${answer} if (job === "bad") ${later}(() => { throw new Error("late"); });`);
      for (let times = 0; times < ROUNDS; times++) {
        expect(await run(one, 'bad')).toMatchObject({ kind: 'answered' });
        expect(await run(one, 'good')).toMatchObject({ kind: 'answered' });
      }
    },
  );

  it('that answered while its parent was busy has answered, however late it is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-process-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const note = join(folder, 'answered');
    const write = `process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(note)}, '')`;
    const one = await open(`process.send({ jobs }, () => job === 'bad' && ${write});`, 100);
    await run(one, 'good');
    const end = run(one, 'bad');
    const late = performance.now() + 1000;
    while (!existsSync(note) || performance.now() < late);
    expect(await end).toMatchObject({ kind: 'answered' });
  });

  it('ends when idle, and starts again for the next job', async () => {
    const one = await open(answer, 60_000, 1);
    expect(await run(one, 'good')).toMatchObject({ answer: { jobs: 1 } });
    await expect.poll(() => run(one, 'good')).toMatchObject({ answer: { jobs: 1 } });
  });

  it('ends when it is closed, even in the middle of a job', async () => {
    const one = await open(`if (job === "bad") for (;;); ${answer}`);
    const spinning = run(one, 'bad');
    spinning.catch(() => undefined);
    const ended = async () => {
      await one.close();
      await expect(Promise.race([spinning, Promise.resolve('works')])).rejects.toThrow('closed');
    };
    await eventually(ended);
    await expect(run(one, 'good')).rejects.toThrow('closed');
  });

  it('that spins is killed when its caller aborts', async () => {
    const one = await open(`if (job === "bad") for (;;); ${answer}`);
    await run(one, 'good');
    const gone = new AbortController();
    const end = run(one, 'bad', gone.signal);
    gone.abort(new Error('gone'));
    await expect(end).rejects.toThrow('gone');
    expect(await run(one, 'good')).toMatchObject({ answer: { jobs: 1 } });
  });

  it.each(['missing.mjs', 'broken.mjs'])(
    'that cannot start (%s) throws instead of blaming the job',
    async (name) => {
      const folder = await mkdtemp(join(tmpdir(), 'countersign-process-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      await writeFile(join(folder, 'broken.mjs'), 'throw new Error("no");');
      const one = boundedProcess(() => join(folder, name), { maxCpuMs: 1000, idleMs: 60_000 });
      await expect(run(one, 'good')).rejects.toThrow('cannot be started');
    },
  );

  it('that never gets ready is killed, so that its place is free again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = await mkdtemp(join(tmpdir(), 'countersign-process-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const begun = join(folder, 'begun');
    const silent = `import { writeFileSync } from 'node:fs';
      process.on('message', () => undefined);
      writeFileSync(${JSON.stringify(begun)}, String(process.pid));`;
    await writeFile(join(folder, 'silent.mjs'), silent);
    const one = boundedProcess(() => join(folder, 'silent.mjs'), { maxCpuMs: 1000, idleMs: 60_000 });
    const end = expect(run(one, 'good')).rejects.toThrow('cannot be started');
    while (!existsSync(begun) || (await readFile(begun, 'utf8')) === '') await nextTurn();
    vi.advanceTimersByTime(30_000);
    await end;
    const pid = Number(await readFile(begun, 'utf8'));
    while (isRunning(pid)) await nextTurn();
  });
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // There is no such process.
    return false;
  }
}
