import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import type { RunContext } from '../../../core/actions/action.ts';
import { type ReadMail, readMail } from '../../contracts/mail/read.ts';
import { eventsOn } from '../../events-on.ts';
import { silentLog } from '../../open-service.ts';
import {
  type CalendarScene,
  callOf,
  numberOf,
  objectsOf,
  openCalendar,
  PLANNING,
  put,
  removeOnly,
  SECOND,
  SERIES,
  saying,
} from '../calendar-scene.ts';
import { approvalOf, approve, FRIEND, filedAction, type SceneOptions } from '../scene.ts';

// The result of checking a run that was interrupted between its start and its end.

interface Cut {
  readonly scene: CalendarScene;
  /** Completes the run, as if it had been interrupted only afterwards. */
  done(): Promise<void>;
  check(mail?: Partial<ReadMail>): Promise<string>;
  /** What the approval then says of the attendees whom the server was to notify. */
  invitationsFound(): Promise<unknown>;
}

async function cut(
  tool: string,
  args: Record<string, unknown>,
  prepare: (scene: CalendarScene) => Promise<Record<string, unknown>> = async () => ({}),
  options: SceneOptions = {},
): Promise<Cut> {
  const scene = await openCalendar(options);
  const { id } = approvalOf(await scene.key.call(tool, { ...args, ...(await prepare(scene)) }));
  const action = await filedAction(scene, id);
  const checked = (mail: Partial<ReadMail> = {}) => {
    const run: RunContext = {
      ports: {
        storage: scene.storage,
        mail: { ...readMail(scene.mail), ...mailReader(scene.mail, scene.clock), ...mail },
        reader: inlineReader(),
        calendar: eventsOn(scene.calendar),
        clock: scene.clock,
        random: (bytes) => new Uint8Array(bytes),
        log: silentLog,
      },
      ownerId: scene.ownerId,
      requestId: id,
      date: scene.clock.now(),
      isAutomatic: false,
      start: () => Promise.reject(new Error('a check starts nothing')),
      async mailbox() {
        const [account] = await scene.storage.accounts(scene.ownerId);
        if (account === undefined) throw new Error('no account is connected');
        return { account, call: callOf(scene) };
      },
    };
    return action.check(run);
  };
  return {
    scene,
    async done() {
      expect((await approve(scene, id)).approval.state).toBe('executed');
    },
    check: async (mail) => (await checked(mail)).kind,
    async invitationsFound() {
      const found = await checked();
      expect(found).toMatchObject({ kind: 'happened', result: { object_kind: 'event' } });
      return found.kind === 'happened' ? z.looseObject({}).parse(found.result).invitations : undefined;
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

describe('an event whose attendees the server was to notify', () => {
  const telling = { calendarAs: saying({ schedules: true, answersOrganizers: true }) };

  it('counts as stored, and says whether the server says that it notified them', async () => {
    const args = { ...PLANNING, attendee: FRIEND };
    const { scene, check, done, invitationsFound } = await cut('create_event', args, undefined, telling);
    expect(await check()).toBe('not');
    await done();
    expect(await invitationsFound()).toBe('not_confirmed');
    const [ics = ''] = await objectsOf(scene);
    const told = ics.replace('ATTENDEE;', 'ATTENDEE;SCHEDULE-STATUS=1.2;');
    const [name = ''] = (await scene.calendar.objects(callOf(scene).account)).keys();
    await put(scene, name, told);
    expect(await invitationsFound()).toBeUndefined();
  });
});

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
