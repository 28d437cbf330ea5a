import * as z from 'zod';
import { trackerGist } from '../actions/gist.ts';
import type { Planned } from '../plans/planned.ts';
import { trackerIdShape, trackerStatusShape } from './tracker-fields.ts';

/** What tools that change one tracker share. */

/** The tracker must exist, and nothing else may wait for it. */
export const TRACKER_CHANGE_ERRORS = ['not_found', 'pending_exists_for_target'] as const;

/**
 * Returns the request and its target, the tracker: another request for it must wait. @param change  what is
 * done to it
 */
export function trackerRequest(
  { trackerId, title }: { readonly trackerId: number; readonly title: string },
  change: Planned['request'],
): Pick<Planned, 'findings' | 'gist' | 'request' | 'targets'> {
  const request = { trackerId, ...change };
  return { findings: [], gist: trackerGist(title), request, targets: [`tracker:${trackerId}`] };
}

/** The output of a change: its route's own result, and in an approval also what was done. */
export function changeOutput<S extends z.ZodRawShape, W extends string>(
  direct: z.ZodObject<S, z.core.$strip>,
  action: W,
) {
  const output = direct.extend({ done: z.literal(true), action: z.literal(action) });
  return { output, directOutput: direct };
}

export function statusOutput<W extends string>(action: W) {
  const direct = z.object({ tracker_id: trackerIdShape, status: trackerStatusShape });
  return changeOutput(direct, action);
}
