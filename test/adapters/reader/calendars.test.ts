import { describe, expect, it, onTestFinished } from 'vitest';
import { processReader } from '../../../adapters/reader/process-reader.ts';
import { object } from '../../contracts/calendar/scene.ts';
import { openCalendar, put } from '../../core/calendar-scene.ts';
import { firstId, resultOf } from '../../core/scene.ts';
import { casesOf } from '../../only-long.ts';
import { type TestClock, testClock } from '../../open-service.ts';
import { processThatWorks } from '../process/process-that.ts';

/** A program that does what the test says with objects that hold the word, and finds one event in each of the others. */
function programThat(does: string) {
  return processThatWorks(
    `const { name, input } = job;
     const texts = name === 'events' ? input.objects : [input.ics ?? ''];
     if (texts.some((text) => text.includes('hostile'))) { ${does} }
     if (name !== 'events') return { kind: 'none' };
     return texts.map((text) => ({
       events: [{
         uid: /UID:(.*)/.exec(text)[1].trim(), recurrenceId: null, title: 'Read', organizer: null, allDay: false,
         start: new Date(), end: new Date(Date.now() + 1000), status: 'confirmed', recurring: false, leftOut: [],
       }],
       cut: false, isFollowed: false,
     }));`,
  );
}

/** Too long for the short way. */
const LONG = `DESCRIPTION:${'x'.repeat(9000)}`;

async function open(does: string) {
  const reader = processReader({ workerFile: (await programThat(does))() });
  // Only the processor time of the reader counts. On a busy machine, the time of the list would be over before the others
  // have been read.
  const began = new Date();
  const clock: TestClock = { ...testClock(), now: () => began, after: () => () => undefined };
  const scene = await openCalendar({ reader, clock });
  onTestFinished(() => scene.service.stop());
  const other = await scene.addKey('full');
  await put(scene, 'bad.ics', object('bad', 'DTSTART:20270301T080000Z', 'COMMENT:hostile', LONG));
  for (const uid of ['a', 'b', 'c']) {
    await put(scene, `${uid}.ics`, object(uid, 'DTSTART:20270301T080000Z', LONG));
  }
  return { scene, key: scene.key, other };
}

describe('a service whose reader', () => {
  const faults = [
    ['hangs', 'for (;;);'],
    ['fails', 'throw new Error("no");'],
    ['fills its memory', 'const all = []; for (;;) all.push(new Array(100_000).fill(all));'],
  ] as const;
  it.each(casesOf('reader: faults', faults, ([what]) => what === 'fails'))(
    '%s over one object of a calendar shows the others, and answers meanwhile',
    async (_what, does) => {
      const { key, other } = await open(does);
      let isListed = false;
      const listing = key.call('list_events', { days: 1 }).finally(() => {
        isListed = true;
      });
      expect(await firstId(other)).toMatch(/^m1_/);
      expect(isListed).toBe(false);
      expect(resultOf(await listing)).toMatchObject({ total: 3, unreadable: 1 });
      expect(resultOf(await other.call('list_events', { days: 1 }))).toMatchObject({
        total: 3,
        unreadable: 1,
      });
    },
  );

  it('is gone for good says so, and the service continues', async () => {
    const reader = processReader({ workerFile: '/nowhere/worker.mjs' });
    const scene = await openCalendar({ reader });
    onTestFinished(() => scene.service.stop());
    await put(scene, 'a.ics', object('a', 'DTSTART:20270301T080000Z', LONG));
    expect(await scene.key.call('list_events')).toMatchObject({ code: 'temporarily_unavailable' });
    expect(await scene.key.call('list_accounts')).toMatchObject({ status: 'ok' });
  });
});
