import { comparable } from '../calendar/invited-facts.ts';
import { changedEvent, createdObject, objectWithout } from '../ical/event-change.ts';
import { eventFacts } from '../ical/event-facts.ts';
import { invitationObject } from '../ical/invitation.ts';
import type { ChangedEvent, CreatedEvent, ObjectWithout } from '../reading/event-change-jobs.ts';
import type { InvitationInput } from '../reading/invitation-job.ts';

export function writeCreated({ event, ...writing }: CreatedEvent): string | null {
  return createdObject(event, writing) ?? null;
}

export function writeChanged({ ics, before, after, ...writing }: ChangedEvent): string | null {
  return changedEvent(ics, { before, after }, writing) ?? null;
}

export function writeWithout({ ics, uid, recurrenceId, ...writing }: ObjectWithout) {
  const left = objectWithout(ics, { uid, recurrenceId }, writing);
  return left === undefined ? null : { left };
}

export function writeInvitation({ method, facts, timezone, stamp }: InvitationInput): string | null {
  const ics = invitationObject(method, facts, { timezone, stamp });
  const reread = eventFacts(ics, facts, timezone);
  return reread !== undefined && comparable(reread) === comparable(facts) ? ics : null;
}
