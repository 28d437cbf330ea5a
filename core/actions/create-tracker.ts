import * as z from 'zod';
import { dueAt } from '../time/time-zone.ts';
import type { TrackerStatus } from '../trackers/tracker-storage.ts';
import type { LightAction } from './action.ts';
import { type Done, ownRecords, startThen, withoutDone } from './change-tracker.ts';

/** Opens a tracker. The same request opens only one tracker, however often it is repeated. */

export const storedCreateTracker = z.strictObject({
  kind: z.literal('create_tracker'),
  title: z.string(),
  keywords: z.string(),
  /** YYYY-MM-DD. */
  dueOn: z.string().nullable(),
  /** The owner's time zone, which applies to the due date. */
  timezone: z.string(),
});
type StoredCreateTracker = z.infer<typeof storedCreateTracker>;

type Created = {
  readonly tracker_id: number;
  readonly title: string;
  readonly status: TrackerStatus;
  readonly due_at: string | null;
  readonly created: true;
};
type CreateResult = Created & Done<'create'>;

export function createTracker(
  stored: StoredCreateTracker,
): LightAction<StoredCreateTracker, CreateResult, Created> {
  const { title, keywords, dueOn, timezone } = stored;
  return {
    ...ownRecords,
    stored,
    facts: async () => ({
      effect: { kind: 'create_tracker', title, keywords, dueOn },
      details: [
        { label: 'Title', text: title },
        { label: 'Keywords', text: keywords },
        { label: 'Due', text: dueOn ?? 'no date' },
      ],
      targets: [],
    }),
    async perform(run) {
      const { ports, ownerId, requestId, date } = run;
      const request = { ownerId, requestId, title, keywords, dueOn, addedByAgent: true, now: date };
      const tracker = await startThen(run, () => ports.storage.createTracker(request));
      return {
        tracker_id: tracker.trackerId,
        title: tracker.title,
        status: tracker.status,
        due_at: dueAt(tracker.dueOn, timezone),
        created: true,
        done: true,
        action: 'create',
      };
    },
    direct: withoutDone,
  };
}
