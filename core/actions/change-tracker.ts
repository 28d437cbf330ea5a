import * as z from 'zod';
import { REACHES_NOTHING } from '../keys/fences.ts';
import { MailError } from '../ports/mail.ts';
import type { LinkContent } from '../trackers/tracker-storage.ts';
import type { ActionFacts, RunContext } from './action.ts';

/**
 * The common parts of actions that change trackers. They write to Countersign's own storage, so a write is atomic. A
 * repeat changes nothing more.
 */
export const ownRecords = {
  account: null,
  isHeldWhenRepeated: false,
  relocated: [],
  recipients: [],
  reach: REACHES_NOTHING,
  check: async (): Promise<{ readonly kind: 'not' }> => ({ kind: 'not' }),
} as const;

/** The tracker to change, with its title when the plan was made. */
export const changedTracker = z.strictObject({ trackerId: z.int().min(1), title: z.string() });
type ChangedTracker = z.infer<typeof changedTracker>;

export function trackerFacts({ trackerId, title }: ChangedTracker): ActionFacts['details'] {
  return [
    { label: 'Tracker', text: title },
    { label: 'Tracker no.', text: String(trackerId) },
  ];
}

/** The fields that the result of an approval adds to the result of the tool's own route. */
export type Done<Action = string> = {
  readonly done: true;
  readonly action: Action;
};

/** @typeParam Target  the field that names what is linked */
export type Linked<Target> = Target & {
  readonly tracker_id: number;
  readonly link_id: number;
  readonly linked: true;
};

/** Returns the result of a tracker change in the form of its own route. */
export function withoutDone<R extends Done>({
  done: _done,
  action: _action,
  ...own
}: R): Omit<R, keyof Done> {
  return own;
}

/** @throws MailError `not_started` if it may not start, `not_found` if `write` finds no tracker */
export async function startThen<T>({ start }: RunContext, write: () => Promise<T | undefined>): Promise<T> {
  if (!(await start())) throw new MailError('not_started', 'the run was not allowed to start');
  const written = await write();
  if (written === undefined) throw new MailError('not_found', 'the tracker does not exist');
  return written;
}

/**
 * Adds a link. Is idempotent.
 * @param target  the name of the linked thing
 * @returns the number of the link
 */
export async function link(
  run: RunContext,
  { trackerId }: ChangedTracker,
  target: string,
  content: LinkContent,
): Promise<number> {
  const { ports, ownerId, date } = run;
  const request = { ownerId, trackerId, target, addedBy: 'agent', content, now: date } as const;
  return (await startThen(run, () => ports.storage.linkToTracker(request))).linkId;
}
