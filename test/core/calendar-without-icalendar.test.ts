import { describe, expect, it } from 'vitest';
import { plainCalendar } from '../plain-calendar.ts';
import { approved, invitations, openCalendar } from './calendar-scene.ts';
import { approvalOf, approve, FRIEND, REFUSED, resultOf, shownOf } from './scene.ts';

// An approval with a calendar that stores its events as JSON: no step may need iCalendar.

const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
const PLANNED = { title: 'Planning', start: `${soon}T09:00`, attendee: FRIEND };

async function open(info: Parameters<typeof plainCalendar>[0] = {}) {
  const plain = plainCalendar(info);
  const scene = await openCalendar({ calendarAs: () => plain.calendar });
  return { plain, scene };
}

describe('a calendar without iCalendar', () => {
  it('creates, shows, lists, changes, confirms and cancels events, and notifies attendees', async () => {
    const { plain, scene } = await open();
    const { id } = approvalOf(await scene.key.call('propose_event', PLANNED));
    const shown = (await shownOf(scene, id)).event;
    expect(shown).toMatchObject({ before: null, after: { title: 'Planning', status: 'tentative' } });
    expect(plain.events()).toEqual([]);
    const { approval } = await approve(scene, id);
    const event_id = approval.result?.object_id;
    expect(plain.events()).toEqual([shown?.after]);
    expect(resultOf(await scene.key.call('list_events'))).toMatchObject({
      events: [{ event_id, title: 'Planning', status: 'tentative' }],
    });

    expect((await approved(scene, 'confirm_event', { event_id })).state).toBe('executed');
    expect((await approved(scene, 'update_event', { event_id, title: 'Other' })).state).toBe('executed');
    expect(plain.events()).toMatchObject([{ title: 'Other', status: 'confirmed', sequence: 2 }]);
    expect((await approved(scene, 'cancel_event', { event_id })).state).toBe('executed');
    expect(plain.events()).toEqual([]);
    expect((await invitations(scene)).map(({ subject, method, to }) => [method, to, subject])).toEqual([
      ['REQUEST', [FRIEND], 'Invitation: Planning'],
      ['REQUEST', [FRIEND], 'Updated invitation: Other'],
      ['CANCEL', [FRIEND], 'Cancelled: Other'],
    ]);
  });

  it('stays as it was if its attendees cannot be notified', async () => {
    const { plain, scene } = await open();
    const made = await approved(scene, 'create_event', { ...PLANNED, attendee: REFUSED });
    expect([made.state, plain.events()]).toEqual(['failed', []]);
  });

  it('fails a change if somebody else has changed the event in the meantime', async () => {
    const { plain, scene } = await open();
    const { result } = await approved(scene, 'create_event', { ...PLANNED, attendee: undefined });
    const change = { event_id: result?.object_id, title: 'Other' };
    const { id } = approvalOf(await scene.key.call('update_event', change));
    plain.change((event) => ({ ...event, title: 'Theirs' }));
    expect((await approve(scene, id)).approval).toMatchObject({ state: 'failed', error: 'target_changed' });
    expect(plain.events()).toMatchObject([{ title: 'Theirs' }]);
  });

  it('shows the owner what else its server passes on', async () => {
    const { plain, scene } = await open({ schedules: true });
    const { result } = await approved(scene, 'create_event', PLANNED);
    expect(scene.mail.transmitted()).toEqual([]);
    plain.change((event) => ({ ...event, comment: 'Not shown' }));
    const { id } = approvalOf(
      await scene.key.call('update_event', { event_id: result?.object_id, title: 'Other' }),
    );
    expect((await shownOf(scene, id)).event?.alongside).toBe('comment: "Not shown"');
  });
});
