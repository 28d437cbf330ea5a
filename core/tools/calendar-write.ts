import * as z from 'zod';
import { UNTOLD } from '../actions/change-event.ts';
import type { ErrorCode } from '../contract/errors.ts';
import { address, line } from '../contract/schema.ts';
import { writtenBy } from '../contract/text-author.ts';
import { cancelledEvent, changedEvent, confirmedEvent, newEvent } from '../plans/event-changes.ts';
import { defineWrite } from './define-tool.ts';

/** Changes of the calendar. Attendees are notified once: by the calendar server, otherwise by mail. */

const title = line({ min: 1, max: 300, description: 'One line.' });

const start = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/)
  .refine(isWallClock, { message: 'must be a time that exists, in the years 1900 to 9998' })
  .meta({ description: "The owner's local time without an offset, such as 2026-03-04T10:00." });

/**
 * 30 February and 25:00 do not exist. A time that the clock skips is valid: see RFC 5545 3.3.5. An event that
 * starts in 9999 may end in a year that iCalendar cannot write.
 */
function isWallClock(value: string): boolean {
  const wholeS = value.length === 16 ? `${value}:00` : value;
  const ms = Date.parse(`${wholeS}Z`);
  const year = Number(value.slice(0, 4));
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(wholeS) && year >= 1900 && year <= 9998;
}

const durationMin = z.int().min(15).max(480).meta({ description: 'Minutes, 15 to 480.' });

const attendee = address.meta({ description: 'One bare address to invite.' });

const eventId = z
  .int()
  .min(1)
  .max(2_147_483_647)
  .meta({ description: 'An event, as list_events shows it; of a series, this one event of it.' });

const newEventInput = z.strictObject({
  title,
  start,
  duration_min: durationMin.default(30),
  attendee: attendee.optional(),
});

const changed = z.object({
  done: z.boolean(),
  action: writtenBy('countersign', z.string()),
  object_kind: z.literal('event'),
  object_id: z.int().min(1).meta({ description: 'The event_id.' }),
  invitations: z
    .enum(UNTOLD)
    .optional()
    .meta({ description: 'What the calendar server says of those it was to tell, if not that it did.' }),
});

/** A change of the calendar. @param errors what it can return besides the errors of a calendar that is not there */
function write(action: string, errors: readonly ErrorCode[]) {
  return {
    group: 'calendar:write',
    action,
    output: changed,
    errors: ['not_found', 'upstream_mail_error', ...errors],
  } as const;
}

export const createEvent = defineWrite({
  ...write('create', ['no_mail_account_connected']),
  name: 'create_event',
  title: 'Create an event',
  words: { verb: 'create %', past: 'Created %', one: 'an event' },
  description:
    'Puts an event into the calendar, and invites the attendee if you give one. For a time that is not settled yet, use propose_event. Usually answers pending_approval: nothing is done until the owner approves.',
  ownTexts: ['title'],
  input: newEventInput,
  plan: (args, context) => newEvent('create', args, context),
});

export const proposeEvent = defineWrite({
  ...write('propose', ['no_mail_account_connected']),
  name: 'propose_event',
  title: 'Propose an event',
  words: { verb: 'propose %', past: 'Proposed %', one: 'an event' },
  description:
    'Puts a tentative event into the calendar. Its attendee is not notified until you call confirm_event. Usually answers pending_approval: nothing is done until the owner approves.',
  ownTexts: ['title'],
  input: newEventInput,
  plan: (args, context) => newEvent('propose', args, context),
});

export const updateEvent = defineWrite({
  ...write('update', ['pending_exists_for_target']),
  name: 'update_event',
  title: 'Change an event',
  words: { verb: 'change %', past: 'Changed %', one: 'an event' },
  description:
    'Changes the title, start or duration of an event, or invites one more attendee. Give at least one of them. All attendees are notified. Usually answers pending_approval: nothing is done until the owner approves.',
  input: z
    .strictObject({
      event_id: eventId,
      title: title.optional(),
      start: start.optional(),
      duration_min: durationMin.optional(),
      attendee: attendee.optional(),
    })
    .refine((args) => Object.keys(args).length > 1, {
      path: ['event_id'],
      message: 'give at least one of title, start, duration_min and attendee',
    }),
  plan: changedEvent,
});

export const cancelEvent = defineWrite({
  ...write('cancel', ['pending_exists_for_target']),
  name: 'cancel_event',
  title: 'Cancel an event',
  words: { verb: 'cancel %', past: 'Cancelled %', one: 'an event' },
  description:
    'Removes an event from the calendar and notifies its attendees. Of a series, it removes only this event. Usually answers pending_approval: nothing is done until the owner approves.',
  input: z.strictObject({ event_id: eventId }),
  plan: cancelledEvent,
});

export const confirmEvent = defineWrite({
  ...write('confirm', ['pending_exists_for_target']),
  name: 'confirm_event',
  title: 'Confirm an event',
  words: { verb: 'confirm %', past: 'Confirmed %', one: 'an event' },
  description:
    'Confirms a tentative event, for example one of propose_event, and notifies its attendees. Usually answers pending_approval: nothing is done until the owner approves.',
  input: z.strictObject({ event_id: eventId }),
  plan: confirmedEvent,
});
