import * as z from 'zod';
import { isoIn } from '../time/time-zone.ts';
import type { LightAction } from './action.ts';
import {
  changedTracker,
  type Done,
  type Linked,
  link,
  ownRecords,
  trackerFacts,
  withoutDone,
} from './change-tracker.ts';

/** Links an event to a tracker. An existing link stays unchanged. */

export const storedTrackerEvent = z.strictObject({
  kind: z.literal('tracker_event'),
  tracker: changedTracker,
  eventId: z.int().min(1),
  /** The account of its calendar. */
  accountId: z.int().min(1),
  title: z.string(),
  startMs: z.int(),
  /** The owner's zone, in which the start is shown. */
  timezone: z.string(),
});
type StoredTrackerEvent = z.infer<typeof storedTrackerEvent>;

type LinkedEvent = Linked<{ readonly event_id: number }>;
type LinkResult = LinkedEvent & Done<'link_event_to_tracker'>;

export function trackerEvent(
  stored: StoredTrackerEvent,
): LightAction<StoredTrackerEvent, LinkResult, LinkedEvent> {
  const { tracker, eventId, accountId, title, startMs, timezone } = stored;
  const start = new Date(startMs);
  return {
    ...ownRecords,
    stored,
    reach: { accountIds: [accountId], people: [] },
    facts: async () => ({
      effect: { kind: 'tracker_event', tracker: tracker.title, title, start },
      details: [
        ...trackerFacts(tracker),
        { label: 'Event', text: title },
        { label: 'Event no.', text: String(eventId) },
        { label: 'Begins', text: isoIn(start, timezone) },
      ],
      targets: [],
    }),
    async perform(run) {
      const content = { kind: 'event', eventId, title, start } as const;
      const linkId = await link(run, tracker, `event:${eventId}`, content);
      return {
        tracker_id: tracker.trackerId,
        link_id: linkId,
        event_id: eventId,
        linked: true,
        done: true,
        action: 'link_event_to_tracker',
      };
    },
    direct: withoutDone,
  };
}
