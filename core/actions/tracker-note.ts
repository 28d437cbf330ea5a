import * as z from 'zod';
import type { LightAction } from './action.ts';
import { changedTracker, type Done, link, ownRecords, trackerFacts, withoutDone } from './change-tracker.ts';

/** Adds one note to a tracker, however often the request is repeated. */

export const storedTrackerNote = z.strictObject({
  kind: z.literal('tracker_note'),
  tracker: changedTracker,
  note: z.string(),
});
type StoredTrackerNote = z.infer<typeof storedTrackerNote>;

type Noted = { readonly tracker_id: number; readonly link_id: number; readonly kind: 'note' };
type NoteResult = Noted & Done<'add_tracker_note'>;

export function trackerNote(stored: StoredTrackerNote): LightAction<StoredTrackerNote, NoteResult, Noted> {
  const { tracker, note } = stored;
  return {
    ...ownRecords,
    stored,
    facts: async () => ({
      effect: { kind: 'tracker_note', tracker: tracker.title, note },
      details: [...trackerFacts(tracker), { label: 'Note', text: note }],
      targets: [],
    }),
    async perform(run) {
      const linkId = await link(run, tracker, `note:${run.requestId}`, { kind: 'note', note });
      return {
        tracker_id: tracker.trackerId,
        link_id: linkId,
        kind: 'note',
        done: true,
        action: 'add_tracker_note',
      };
    },
    direct: withoutDone,
  };
}
