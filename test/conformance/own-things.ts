import { approvalIn, type Door, resultIn } from './door.ts';

/** Events and trackers for tests that need one. */

let created = 0;

/** The start of the year in which the events of these tests lie. */
export const AUTUMN = new Date('2026-11-22T12:00:00Z');

/** Creates an event on a Monday morning in January that the owner has approved. @returns its event_id */
export async function newEvent({ call, approve }: Door, changes: object = {}): Promise<number> {
  created += 1;
  const body = { title: `Event ${created}`, start: '2027-01-04T09:00', ...changes };
  const { id } = approvalIn(await call('POST', '/v1/events', { body }));
  await approve(id);
  const { result } = approvalIn(await call('GET', `/v1/approvals/${id}`));
  return Number((result as { object_id: number }).object_id);
}

/** @returns the event_id of a tentative event */
export function proposed(door: Door): Promise<number> {
  return newEvent(door, { proposed: true });
}

/** @returns the tracker_id */
export async function newTracker({ call }: Door, changes: object = {}): Promise<number> {
  created += 1;
  const answer = await call('POST', '/v1/trackers', { body: { title: `Tracker ${created}`, ...changes } });
  return Number(resultIn(answer).tracker_id);
}
