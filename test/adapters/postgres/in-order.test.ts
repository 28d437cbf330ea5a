import { describe, expect, it } from 'vitest';
import { inOrder } from '../../../adapters/postgres/database.ts';

describe('inOrder', () => {
  it('returns the answers in the order of the statements', async () => {
    expect(await inOrder([Promise.resolve(1), Promise.resolve('two')])).toEqual([1, 'two']);
  });

  it('throws the error of the first statement, even if a later one fails sooner', async () => {
    const sooner = Promise.reject(new Error('refused after it'));
    const first = sooner.catch(() => undefined).then(() => Promise.reject(new Error('the cause')));
    await expect(inOrder([Promise.resolve(), first, sooner])).rejects.toThrow('the cause');
  });

  it('waits for every statement before it throws', async () => {
    let ended = false;
    const failed = Promise.reject(new Error('the cause'));
    const later = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      ended = true;
    });
    await expect(inOrder([failed, later])).rejects.toThrow('the cause');
    expect(ended).toBe(true);
  });
});
