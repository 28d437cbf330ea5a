import * as z from 'zod';
import { trackerStatus } from '../actions/tracker-status.ts';
import { defineLightWrite } from './define-tool.ts';
import { statusOutput, TRACKER_CHANGE_ERRORS, trackerRequest } from './tracker-change.ts';
import { trackerChosen, trackerId } from './tracker-fields.ts';

export const resolveTracker = defineLightWrite({
  name: 'resolve_tracker',
  title: 'Resolve a tracker',
  words: { verb: 'resolve %', past: 'Resolved %', one: 'a tracker' },
  description:
    'Marks a tracker as resolved: it leaves the list, and no more mail is linked to it automatically.',
  group: 'trackers:remove',
  errors: TRACKER_CHANGE_ERRORS,
  action: 'resolve',
  input: z.strictObject({ tracker_id: trackerId }),
  ...statusOutput('resolve'),
  async plan(args, context) {
    const { tracker, status: from } = await trackerChosen(context, args.tracker_id);
    const to = 'resolved';
    return {
      action: trackerStatus({ kind: 'tracker_status', word: 'resolve', tracker, from, to }),
      ...trackerRequest(tracker, { status: to }),
    };
  },
});
