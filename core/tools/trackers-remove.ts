import * as z from 'zod';
import { defineWrite } from './define-tool.ts';
import { directResult, planStatus, setStatus, statusOutput } from './tracker-change.ts';
import { trackerId } from './tracker-fields.ts';

export const resolveTracker = defineWrite({
  name: 'resolve_tracker',
  title: 'Resolve a tracker',
  description:
    'Marks a tracker as resolved: it leaves the list, and nothing is linked to it by itself any more.',
  group: 'trackers:remove',
  kind: 'light',
  action: 'resolve',
  sends: false,
  repeatable: false,
  untrusted: [],
  input: z.strictObject({ tracker_id: trackerId }),
  ...statusOutput('resolve'),
  plan: (args, context) =>
    planStatus(context, { tool: 'resolve_tracker', trackerId: args.tracker_id, status: 'resolved' }),
  perform: (plan, run) => setStatus(plan, run, 'resolve'),
  check: async () => ({ kind: 'repeat' }),
  direct: directResult,
});
