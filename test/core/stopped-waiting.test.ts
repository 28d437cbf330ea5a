import { expect, it } from 'vitest';
import { WAIT_MS } from '../../core/work/within-limit.ts';
import { testClock } from '../open-service.ts';
import { detailsOf, openScene, resultOf } from './scene.ts';

it('a light write does not start after its caller has stopped waiting', async () => {
  const clock = testClock();
  let isTimeOver = false;
  const scene = await openScene({
    clock: {
      ...clock,
      after(ms, task) {
        if (isTimeOver && ms === WAIT_MS) task();
        return clock.after(ms, task);
      },
    },
  });
  const key = await scene.addKey('full');
  const { tracker_id } = resultOf(await key.call('create_tracker', { title: 'Topic' }));
  isTimeOver = true;
  const late = await key.call('add_tracker_note', { tracker_id, note: 'Late' });
  expect(detailsOf(late)).toEqual({ code: 'temporarily_unavailable', retry_after_s: 5 });
  isTimeOver = false;
  expect(resultOf(await key.call('get_tracker', { tracker_id })).links).toEqual([]);
});
