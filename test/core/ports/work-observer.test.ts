import { expect, it } from 'vitest';
import { openTestService } from '../../open-service.ts';

it('the observer is notified of every call and every round of background work, by name and until it ends', async () => {
  const began: string[] = [];
  const running = new Set<symbol>();
  const { service, addKey } = await openTestService({
    workObserver: {
      began(name) {
        began.push(name);
        const one = Symbol(name);
        running.add(one);
        return () => running.delete(one);
      },
    },
  });
  const key = await addKey('full');
  await key.call('list_accounts');
  await key.call('a stranger wrote this');
  expect(began).toEqual(['list_accounts', 'an unknown tool']);
  expect(running.size).toBe(0);
  service.start();
  await service.stop();
  expect(began.slice(2)).toEqual([
    'expiry',
    'recovery',
    'cleaning',
    'inbox watch',
    'tracker summaries',
    'account checks',
    'listeners',
  ]);
  expect(running.size).toBe(0);
});
