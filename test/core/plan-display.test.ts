import { describe, expect, it } from 'vitest';
import { sandboxCalendar } from '../../adapters/sandbox/calendar.ts';
import { wordsIn } from '../../core/time-zone.ts';
import { approvalOf, idsIn, letter, openScene } from './scene.ts';

// The owner's page shows what a plan displays, not its record: so the display must say all that the record says.

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

/** The time zone of the owner is nothing that a request could change. */
const NOT_SHOWN = ['UTC'];

function textsIn(value: unknown): unknown[] {
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [value];
}

describe('what is displayed of a request', () => {
  it.each(CALLS)('says all that %s will do', async (tool, argsFor) => {
    const scene = await openScene({ samples: () => [letter('1')], calendarAs: () => sandboxCalendar() });
    const direct = await scene.addKey('full');
    await direct.call('create_tracker', { title: 'A topic' });
    await direct.call('list_events');
    const key = await scene.addKey('full', { 'trackers:write': 'approval' });
    const outcome = await key.call(tool, argsFor(await idsIn(key)));
    const plan = (await scene.service.approvals.show(scene.ownerId, approvalOf(outcome).id))?.plan;
    const recorded = textsIn(plan?.record).filter((text) => !NOT_SHOWN.includes(String(text)));
    expect(recorded.length).toBeGreaterThan(0);
    const shown = plan?.display.map(({ text }) => text);
    for (const text of recorded.map(String)) {
      // An instant is shown in words.
      const isInstant = /^\d{4}-\d\d-\d\dT/.test(text);
      expect(shown).toContain(isInstant ? wordsIn(new Date(text), 'UTC') : text);
    }
  });
});
