import * as z from 'zod';
import type { TrackerStatus } from '../trackers/tracker-storage.ts';
import type { LightAction } from './action.ts';
import {
  changedTracker,
  type Done,
  ownRecords,
  startThen,
  trackerFacts,
  withoutDone,
} from './change-tracker.ts';

/** Changes the status of a tracker: from any to any, including the same. */

const word = z.enum(['set_tracker_status', 'resolve']);
type Word = z.infer<typeof word>;

const status = z.enum(['open', 'waiting', 'resolved']);

export const storedTrackerStatus = z.strictObject({
  kind: z.literal('tracker_status'),
  word,
  tracker: changedTracker,
  /** The status when the plan was made. */
  from: status,
  to: status,
});
type StoredTrackerStatus = z.infer<typeof storedTrackerStatus>;

type Status = { readonly tracker_id: number; readonly status: TrackerStatus };
type StatusResult<W> = Status & Done<W>;

export function trackerStatus<W extends Word>(
  stored: StoredTrackerStatus & { readonly word: W },
): LightAction<StoredTrackerStatus, StatusResult<W>, Status> {
  const { tracker, from, to, word } = stored;
  return {
    ...ownRecords,
    stored,
    facts: async () => ({
      effect: { kind: 'tracker_status', tracker: tracker.title, from, to },
      details: [
        ...trackerFacts(tracker),
        { label: 'Status now', text: from },
        { label: 'New status', text: to },
      ],
      targets: [],
    }),
    async perform(run) {
      const { ports, ownerId, date } = run;
      const request = { ownerId, trackerId: tracker.trackerId, status: to, now: date };
      const { trackerId, status } = await startThen(run, () => ports.storage.setTrackerStatus(request));
      return { tracker_id: trackerId, status, done: true, action: word };
    },
    direct: withoutDone,
  };
}
