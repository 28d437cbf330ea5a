import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { boundedProcess } from '../../../adapters/process/bounded-process.ts';
import { bundleForChild } from '../../run-typescript.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const signal = new AbortController().signal;
let program = '';

beforeAll(async () => {
  const library = await bundleForChild(join(ROOT, 'adapters/process/do-jobs.ts'));
  program = library.replace(/\.mjs$/, '-program.mjs');
  await writeFile(
    program,
    `import { doJobs } from ${JSON.stringify(library)};
     const kept = [];
     doJobs(async (job) => {
       if (job === 'heap') for (;;) kept.push(new Array(100_000).fill(kept));
       if (job === 'buffers') for (;;) kept.push(Buffer.alloc(8 * 1024 * 1024, 1));
       if (job === 'slow buffers') for (;;) { kept.push(Buffer.alloc(8 * 1024 * 1024, 1)); await null; }
       if (job === 'fails') throw new Error('no');
       return job;
     });`,
  );
});

describe('a process that runs doJobs', () => {
  it.each([
    ['heap', 'too_large'],
    ['buffers', 'too_large'],
    ['slow buffers', 'too_large'],
    ['fails', 'broken'],
  ])('whose job is %s ends as %s, and the next job is answered', async (job, reason) => {
    const one = boundedProcess(() => program, { maxMs: 60_000, idleMs: 60_000 });
    onTestFinished(() => one.close());
    expect(await one.run(job, z.string(), signal)).toEqual({ kind: 'failed', reason });
    expect(await one.run('x', z.string(), signal)).toEqual({ kind: 'answered', answer: 'x' });
  });
});
