import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { caldavCalendar } from '../../adapters/caldav/calendar.ts';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import { sandboxCalendar } from '../../adapters/sandbox/calendar.ts';
import { openTestService } from '../open-service.ts';
import { shownOf } from './scene.ts';

/** The tools outside mail. */

const eventRow = z.strictObject({
  event_id: z.int().min(1).max(2_147_483_647),
  title: z.string(),
  start: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/),
  end: z.string(),
  status: z.enum(['confirmed', 'tentative', 'cancelled']),
  past: z.boolean(),
  recurring: z.boolean(),
});
const eventList = z.object({
  events: z.array(eventRow).min(1),
  total: z.int(),
  returned: z.int(),
  timezone: z.string(),
  untrusted_fields: z.array(z.string()),
});

describe('list_events', () => {
  it('lists events with stable numbers and flagged titles', async () => {
    const { addKey } = await openTestService();
    const key = await addKey('read');
    const first = await key.call('list_events', { days: 14, past_days: 3 });
    if (first.status !== 'ok') throw new Error(first.status);
    const { events, untrusted_fields } = eventList.parse(first.result);
    expect(untrusted_fields).toEqual(['events[].title']);
    const again = await key.call('list_events', { days: 14, past_days: 3 });
    expect(again).toEqual(first);
    const starts = events.map(({ start }) => Date.parse(start));
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
  });

  it('separates past from future', async () => {
    const { addKey } = await openTestService();
    const key = await addKey('read');
    const listed = async (only: string) => {
      const outcome = await key.call('list_events', { days: 14, past_days: 14, only });
      if (outcome.status !== 'ok') throw new Error(outcome.status);
      return eventList.parse(outcome.result).events;
    };
    expect((await listed('past')).every(({ past }) => past)).toBe(true);
    expect((await listed('future')).some(({ past }) => past)).toBe(false);
    expect((await listed('past')).length + (await listed('future')).length).toBe(
      (await listed('all')).length,
    );
  });

  it.each([
    ['no calendars at all', undefined, 'no_calendar_connected'],
    [
      'accounts without a calendar',
      caldavCalendar({ reader: inlineReader(), allowPrivateServers: true }),
      'no_calendar_connected',
    ],
    ['an empty calendar', sandboxCalendar({ samples: [] }), 'no_events'],
  ])('says why a list is empty: %s', async (_what, calendar, reason) => {
    const { service, addKey } = await openTestService({ calendar });
    expect(await (await addKey('read')).call('list_events')).toMatchObject({
      status: 'empty',
      result: { events: [], reason },
    });
    await service.stop();
  });
});

describe('create_tracker', () => {
  it('creates one tracker per request, however often it is repeated', async () => {
    const { addKey } = await openTestService();
    const key = await addKey('full');
    const args = { title: 'Atlas launch', keywords: 'atlas, launch', due: '2026-12-01' };
    const first = await key.call('create_tracker', args, 'once');
    expect(first).toMatchObject({
      status: 'ok',
      executed: true,
      auto_approved: true,
      result: {
        tracker_id: 1,
        title: 'Atlas launch',
        status: 'open',
        due_at: '2026-12-01T23:59:59+00:00',
        created: true,
        untrusted_fields: ['title'],
      },
    });
    expect(await key.call('create_tracker', args, 'once')).toEqual(first);
    expect(await key.call('create_tracker', args, 'twice')).toMatchObject({ result: { tracker_id: 2 } });
  });

  it('waits for the owner in mode approval, and creates the tracker once', async () => {
    const { addKey, service, ownerId } = await openTestService();
    const key = await addKey('full', { 'trackers:write': 'approval' });
    const filed = await key.call('create_tracker', { title: 'Later' });
    if (filed.status !== 'pending_approval') throw new Error(filed.status);
    const shown = await service.approvals.show(ownerId, filed.approval.id);
    const { details } = await shownOf({ service, ownerId }, filed.approval.id);
    expect(details).toContainEqual({ label: 'Title', text: 'Later' });
    const decided = await service.approvals.approve(ownerId, filed.approval.id, shown?.approval.digest ?? '');
    expect(decided?.approval).toMatchObject({
      state: 'executed',
      result: { tracker_id: 1, action: 'create' },
    });
  });

  it('refuses a date that does not exist', async () => {
    const { addKey } = await openTestService();
    const key = await addKey('full');
    expect(await key.call('create_tracker', { title: 'x', due: '2026-02-30' })).toMatchObject({
      code: 'invalid_arguments',
      details: { errors: [{ field: 'due' }] },
    });
  });
});
