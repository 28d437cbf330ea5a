import { describe, expect, it } from 'vitest';
import { sandboxCalendar } from '../../../adapters/sandbox/calendar.ts';
import { isoIn } from '../../../core/time/time-zone.ts';
import { approvalOf, filedAction, idsIn, letter, openScene, shownOf } from '../scene.ts';

// The owner's page shows the facts of an action: so they must say all that the action will do.

const CALLS: [tool: string, args: (ids: string[]) => object][] = [
  ['set_tracker_status', () => ({ tracker_id: 1, status: 'waiting' })],
  ['resolve_tracker', () => ({ tracker_id: 1 })],
  ['add_tracker_note', () => ({ tracker_id: 1, note: 'A note\nof two lines' })],
  ['link_to_tracker', ([message_id]) => ({ tracker_id: 1, message_id })],
  ['link_event_to_tracker', () => ({ tracker_id: 1, event_id: 1 })],
  ['archive_email', (ids) => ({ ids })],
  ['delete_email', (ids) => ({ ids })],
  ['move_email', (ids) => ({ ids, target_folder: 'Projects/Atlas' })],
  ['label_email', (ids) => ({ ids, label: 'A label' })],
  ['create_tracker', () => ({ title: 'A title', keywords: 'one, two', due: '2026-12-24' })],
];

/** What says only which module reads it and how the result is worded; the owner's time zone, which no request changes. */
const NOT_SHOWN = ['kind', 'word', 'timezone'];

function textsIn(value: unknown): unknown[] {
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [value];
}

describe('the page of an action', () => {
  it.each(CALLS)('shows everything that %s will do', async (tool, argsFor) => {
    const scene = await openScene({ samples: () => [letter('1')], calendarAs: () => sandboxCalendar() });
    const direct = await scene.addKey('full');
    await direct.call('create_tracker', { title: 'A topic' });
    await direct.call('list_events');
    const key = await scene.addKey('full', { 'trackers:write': 'approval' });
    const { id } = approvalOf(await key.call(tool, argsFor(await idsIn(key))));
    const stored: Readonly<Record<string, unknown>> = { ...(await filedAction(scene, id)).stored };
    const { target, targets = target === undefined ? [] : [target], ...rest } = stored;
    const shown = await shownOf(scene, id);
    expect(shown.targets).toEqual(targets);
    const destinations = shown.targets.map((one) => ('to' in one ? one.to : null));
    const details = shown.details.map(({ text }) => text);
    for (const [name, value] of Object.entries({ ...rest, destinations })) {
      if (NOT_SHOWN.includes(name)) continue;
      // An instant is shown in words.
      const inWords = name === 'startMs' ? isoIn(new Date(Number(value)), 'UTC') : value;
      for (const text of textsIn(inWords)) if (text !== null) expect(details).toContain(String(text));
    }
    expect(details.length).toBeGreaterThan(0);
  });
});
