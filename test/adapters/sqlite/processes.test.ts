import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sizeOf } from '../../only-long.ts';
import { bundleForChild } from '../../run-typescript.ts';

const ROUNDS = sizeOf('openers: rounds', 5, 2);

it('several processes that open a new file at once all find it ready', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-sqlite-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const bundle = await bundleForChild(join(import.meta.dirname, 'opener.ts'), 'bundle');
  for (let round = 0; round < ROUNDS; round++) {
    const file = join(folder, `${round}.db`);
    const openers = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [bundle, file], { stdio: ['ignore', 'inherit', 'inherit'] }),
    );
    await Promise.all(openers.map((child) => once(child, 'exit')));
    expect(openers.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
  }
});
