import { describe, expect, it } from 'vitest';
import { inlineReader } from '../../../adapters/reader/reader.ts';
import type { RunContext } from '../../../core/actions/action.ts';
import { type ReadMail, readMail } from '../../contracts/mail/read.ts';
import { eventsOn } from '../../events-on.ts';
import { silentLog } from '../../open-service.ts';
import {
  type CalendarScene,
  callOf,
  numberOf,
  openCalendar,
  PLANNING,
  put,
  removeOnly,
  SECOND,
  SERIES,
} from '../calendar-scene.ts';
import { approvalOf, approve, FRIEND, filedAction } from '../scene.ts';

// The result of checking a run that was interrupted between its start and its end.

interface Cut {
  readonly scene: CalendarScene;
  /** Completes the run, as if it had been interrupted only afterwards. */
  done(): Promise<void>;
  check(mail?: Partial<ReadMail>): Promise<string>;
}

async function cut(
  tool: string,
  args: Record<string, unknown>,
  prepare: (scene: CalendarScene) => Promise<Record<string, unknown>> = async () => ({}),
): Promise<Cut> {
  const scene = await openCalendar();
  const { id } = approvalOf(await scene.key.call(tool, { ...args, ...(await prepare(scene)) }));
  const action = await filedAction(scene, id);
  return {
    scene,
    async done() {
      expect((await approve(scene, id)).approval.state).toBe('executed');
    },
    async check(mail = {}) {
      const run: RunContext = {
        ports: {
          storage: scene.storage,
          mail: { ...readMail(scene.mail), ...mail },
          reader: inlineReader(),
          calendar: eventsOn(scene.calendar),
          clock: scene.clock,
          random: (bytes) => new Uint8Array(bytes),
          log: silentLog,
        },
        ownerId: scene.ownerId,
        requestId: id,
        date: scene.clock.now(),
        start: () => Promise.reject(new Error('a check starts nothing')),
        async mailbox() {
          const [account] = await scene.storage.accounts(scene.ownerId);
          if (account === undefined) throw new Error('no account is connected');
          return { account, call: callOf(scene) };
        },
      };
      return (await action.check(run)).kind;
    },
  };
}

const series = async (scene: CalendarScene) => {
  await put(scene, 'series.ics', SERIES);
  return { event_id: await numberOf(scene, 'series', SECOND) };
};
/** The same without attendees. */
const lonely = async (scene: CalendarScene) => {
  await put(scene, 'series.ics', SERIES.replace(/ATTENDEE.*\r\n/, ''));
  return { event_id: await numberOf(scene, 'series', SECOND) };
};
const unsent = { messageWithId: async () => undefined };

describe('a new event', () => {
  it('that does not exist is created again; one that exists counts as created', async () => {
    const { check, done } = await cut('create_event', PLANNING);
    expect(await check()).toBe('not');
    await done();
    expect(await check()).toBe('happened');
  });

  it('whose attendee may have been notified is unknown, unless Sent has a copy', async () => {
    const { check, done } = await cut('create_event', { ...PLANNING, attendee: FRIEND });
    expect(await check()).toBe('not');
    await done();
    expect(await check(unsent)).toBe('unknown');
    await expect.poll(() => check()).toBe('happened');
  });
});

describe.each([
  ['update_event', { title: 'Other' }],
  ['cancel_event', {}],
] as const)('%s of one of a series', (tool, args) => {
  it('is repeated if the object is unchanged, and done if it is as planned', async () => {
    const { check, done } = await cut(tool, args, lonely);
    expect(await check()).toBe('not');
    await done();
    expect(await check()).toBe('happened');
  });

  it('is unknown if somebody else has changed the object', async () => {
    const { check, scene } = await cut(tool, args, lonely);
    await put(scene, 'series.ics', SERIES.replace('SUMMARY:Weekly', 'SUMMARY:Theirs'));
    expect(await check()).toBe('unknown');
  });

  it('is unknown if somebody may have been notified', async () => {
    const { check, done } = await cut(tool, args, series);
    expect(await check(unsent)).toBe('not');
    await done();
    expect(await check(unsent)).toBe('unknown');
  });
});

it('a change of a missing event is unknown; its cancellation is done', async () => {
  for (const [tool, args, found] of [
    ['update_event', { title: 'Other' }, 'unknown'],
    ['cancel_event', {}, 'happened'],
  ] as const) {
    const { check, scene } = await cut(tool, args, async (fresh) => {
      const { id } = approvalOf(await fresh.key.call('create_event', PLANNING));
      return { event_id: (await approve(fresh, id)).approval.result?.object_id };
    });
    expect(await check()).toBe('not');
    await removeOnly(scene);
    expect([tool, await check()]).toEqual([tool, found]);
  }
});
