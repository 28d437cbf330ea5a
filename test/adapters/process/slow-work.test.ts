import { expect, it } from 'vitest';
import { slowWork } from '../../../adapters/process/slow-work.ts';

const HOUR_MS = 60 * 60 * 1000;

it('remembers work by its content for an hour', () => {
  let nowMs = 0;
  const slow = slowWork(() => nowMs);
  const work = (word: string) => ({ kind: 'whole', bytes: Buffer.from(word) });
  expect(slow.has(work('one'), 3)).toBe(false);
  slow.add(work('one'), 3);
  expect(slow.has(work('one'), 3)).toBe(true);
  expect(slow.has(work('two'), 3)).toBe(false);
  expect(slow.has(work('one'), 4)).toBe(false);
  nowMs = HOUR_MS - 1;
  expect(slow.has(work('one'), 3)).toBe(true);
  nowMs = HOUR_MS;
  expect(slow.has(work('one'), 3)).toBe(false);
});

it('remembers the newest thousand', () => {
  const slow = slowWork(() => 0);
  for (let n = 0; n <= 1000; n++) slow.add(n, 1);
  expect(slow.has(0, 1)).toBe(false);
  expect(slow.has(1, 1)).toBe(true);
  expect(slow.has(1000, 1)).toBe(true);
});
