import * as z from 'zod';
import type { Result } from '../outcome.ts';
import type { ActionPlan } from '../plan.ts';
import { MailError } from '../ports/mail.ts';
import type { Tracker, TrackerStatus } from '../ports/tracker-storage.ts';
import type { CallContext, Planned, RunContext } from './define-tool.ts';
import { trackerIdShape, trackerNamed, trackerStatusShape } from './tracker-fields.ts';

/** What changes of one tracker have in common. */

/** A change of a tracker, as it is filed. The tracker is what it changes: another request for it must wait. */
export function planTrackerChange(
  tracker: Tracker,
  change: {
    readonly tool: string;
    /** What the owner is shown besides the tracker, saying all of the record. */
    readonly display: ActionPlan['display'];
    readonly record: Result;
    readonly account?: ActionPlan['account'];
    readonly targets?: ActionPlan['targets'];
    /** What makes two requests the same, where it is not the record. */
    readonly request?: Result;
  },
): Planned {
  const { tool, record, account = null, targets = [], request = record } = change;
  const { trackerId, title } = tracker;
  const plan: ActionPlan = {
    v: 1,
    tool,
    account,
    envelope: null,
    raw: null,
    messageId: null,
    targets,
    holds: [],
    warnings: [],
    display: [
      { label: 'Tracker', text: title },
      { label: 'Tracker no.', text: String(trackerId) },
      ...change.display,
    ],
    record: { trackerId, ...record },
  };
  return { plan, request: { trackerId, ...request }, targets: [`tracker:${trackerId}`] };
}

/**
 * Writes to our own storage, which is whole or not at all, and which may be repeated without harm.
 * @param write undefined: the tracker is not there
 */
export async function performTrackerChange<T>(
  run: RunContext,
  write: () => Promise<T | undefined>,
): Promise<T> {
  if (!(await run.start())) throw new MailError('not_started', 'the run was not allowed to start');
  const written = await write();
  if (written === undefined) throw new MailError('not_found', 'the tracker is not there');
  return written;
}

const statusRecord = z.strictObject({ trackerId: z.int(), status: z.enum(['open', 'waiting', 'resolved']) });

/** A change of the status: any to any other, or to itself. */
export async function planStatus(
  context: CallContext,
  change: { readonly tool: string; readonly trackerId: number; readonly status: TrackerStatus },
): Promise<Planned> {
  const { tool, status } = change;
  const tracker = await trackerNamed(context, change.trackerId);
  context.shown(`tracker:${tracker.trackerId}`);
  const display = [
    { label: 'Status now', text: tracker.status },
    { label: 'New status', text: status },
  ];
  return planTrackerChange(tracker, { tool, display, record: { status } });
}

export async function setStatus(plan: ActionPlan, run: RunContext, action: string): Promise<Result> {
  const { status, trackerId: id } = statusRecord.parse(plan.record);
  const { ports, ownerId, date } = run;
  const tracker = await performTrackerChange(run, () =>
    ports.storage.setTrackerStatus({ ownerId, trackerId: id, status, now: date }),
  );
  return { done: true, action, tracker_id: tracker.trackerId, status: tracker.status };
}

/** What a change comes to: its route's own result, which an approval shows with what was done. */
export function changeOutput<S extends z.ZodRawShape>(direct: z.ZodObject<S, z.core.$loose>, action: string) {
  const output = direct.extend({ done: z.literal(true), action: z.literal(action) });
  return { output, directOutput: direct };
}

export function statusOutput(action: string) {
  const direct = z.looseObject({ tracker_id: trackerIdShape, status: trackerStatusShape });
  return changeOutput(direct, action);
}

/** What is only true of an approval's result. */
export function directResult(_plan: ActionPlan, { done: _done, action: _action, ...result }: Result): Result {
  return result;
}
