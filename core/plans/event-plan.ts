import { readWithin } from '../accounts/read-message.ts';
import type { EventResult, FrozenChange } from '../actions/change-event.ts';
import { deleteEvent } from '../actions/delete-event.ts';
import { eventGist } from '../actions/gist.ts';
import { notifiedAddresses, notifiedOrganizer } from '../actions/planned-change.ts';
import { type EventWord, putEvent } from '../actions/put-event.ts';
import type { EventFacts, EventKey } from '../calendar/event.ts';
import { invitationText } from '../calendar/invitation-text.ts';
import { withoutMeetingLinks } from '../calendar/meeting-links.ts';
import { NO_NOTICES, noticesOf, participantsOf, recipientsOf } from '../calendar/notices.ts';
import type { CallContext } from '../call/context.ts';
import { refusePeopleOutside } from '../call/refuse-outside.ts';
import { ServiceError } from '../contract/errors.ts';
import type { Invitation } from '../mail/compose.ts';
import type { Account } from '../ports/account.ts';
import type { CalendarInfo, DocumentPlace, StoredEvent } from '../ports/calendar.ts';
import { bareFinding, type Finding } from '../safety/finding.ts';
import type { Planned } from './planned.ts';
import { frozenMessageOf, sendingFindings, textsOf } from './send-plan.ts';

/** The plan of a change to the calendar: the document to store, and the message to the attendees. */

/** A composed change that has been read again. */
export type ComposedChange = Composed &
  (
    | { readonly document: string; readonly replaced: Replaced | null }
    | { readonly document: null; readonly replaced: Replaced }
  );

interface Composed {
  /** The name of the action. */
  readonly word: EventWord;
  readonly account: Account;
  readonly eventId: number;
  readonly key: EventKey;
  readonly place: DocumentPlace;
  /** The calendar that is changed. */
  readonly calendar: CalendarInfo;
  /** The event after the change, or as it was if it leaves the calendar. */
  readonly event: EventFacts;
  /** The message to attendees. Null: none. */
  readonly notice: Notice | null;
  /** The title that the agent wrote. */
  readonly title: string;
  /** The address that the agent invites, even if nobody notifies it yet. */
  readonly attendee: string | null;
}

type Replaced = Pick<StoredEvent, 'document' | 'etag' | 'event'>;

interface Notice {
  readonly method: Invitation['method'];
  /** The event as attendees should see it. */
  readonly facts: EventFacts;
}

export async function planEvent(
  context: CallContext,
  change: ComposedChange,
): Promise<Pick<Planned<EventResult>, 'action' | 'findings' | 'gist' | 'texts'>> {
  const { account, notice, replaced, key, calendar } = change;
  const { email } = account;
  const own = { email, calendar };
  const { timezone } = context.owner;
  const before = replaced === null ? [] : participantsOf(replaced.event, own);
  const participants = [...new Set([...before, ...participantsOf(change.event, own)])];
  refusePeopleOutside(context, participants, (address) =>
    before.includes(address) ? 'event_id' : 'attendee',
  );
  const notices = notice === null ? NO_NOTICES : noticesOf(notice.facts, own);
  const addressed = new Set(recipientsOf(notices));
  if (change.attendee !== null) addressed.add(change.attendee);
  const organizer = replaced && notifiedOrganizer(replaced.event, own);
  if (organizer !== null) addressed.add(organizer);
  const wereNotified = replaced !== null && recipientsOf(noticesOf(replaced.event, own)).length > 0;
  const isNews = !wereNotified || [...addressed].some((address) => !before.includes(address));
  const { title, location, description } = change.event;
  const whole = { subject: title, body: [location, description].filter((text) => text !== '').join('\n') };
  const ofAgent = { subject: change.title, body: '' };
  // Those who get something for the first time get all of it, whoever wrote it.
  const written = addressed.size > 0 && isNews ? whole : ofAgent;
  const findings: Finding[] = await sendingFindings(context, {
    account,
    to: [...addressed],
    written,
    thread: replaced && { from: [], replyTo: [], to: replaced.event.attendees, cc: [] },
  });
  if (organizer !== null) findings.push(bareFinding('server_may_write'));
  if (calendar.access === 'shared') findings.push(bareFinding('shared_calendar'));
  if (calendar.access === 'unknown') findings.push(bareFinding('calendar_access_unknown'));
  const message =
    notice === null || notices.byMail.length === 0
      ? null
      : await frozenMessageOf(context, {
          account,
          to: notices.byMail,
          ...invitationText(notice.method, notice.facts, { organizer: email, timezone, wereNotified }),
          invitation: await invitationOf(notice, context),
          inReplyTo: null,
          references: [],
        });
  context.shown(`event:${change.eventId}`);
  const frozen = {
    account: { accountId: account.accountId, email },
    eventId: change.eventId,
    uid: key.uid,
    recurrenceId: key.recurrenceId,
    name: change.place.name,
    calendar: {
      calendar: key.calendar,
      name: calendar.name,
      schedules: calendar.schedules,
      answersOrganizers: calendar.answersOrganizers,
      ...(calendar.ownAddresses && { ownAddresses: [...calendar.ownAddresses] }),
      access: calendar.access,
    },
    timezone,
    message,
    recipients: notifiedAddresses(notices, organizer),
    participants,
  };
  // Whoever is told of a change is told of all of it once more.
  const again = isNews ? whole : { ...whole, body: withoutMeetingLinks(whole.body) };
  const texts = textsOf({ written: addressed.size > 0 ? again : ofAgent });
  return { action: actionFor(change, frozen), findings, texts, gist: eventGist(change.event) };
}

function actionFor(change: ComposedChange, frozen: FrozenChange): Planned<EventResult>['action'] {
  const kept = ({ document, etag }: Replaced) => ({ document, etag });
  if (change.document === null) {
    return deleteEvent({ kind: 'delete_event', ...frozen, replaced: kept(change.replaced) });
  }
  const { word, document, replaced } = change;
  return putEvent({ kind: 'put_event', word, ...frozen, document, replaced: replaced && kept(replaced) });
}

/** @throws ServiceError internal_error if the invitation does not match the event */
async function invitationOf(
  { method, facts }: Notice,
  { ports, owner, now, signal }: CallContext,
): Promise<Invitation> {
  const input = { method, facts, timezone: owner.timezone, stamp: now };
  const reading = await readWithin(ports, { ownerId: owner.ownerId, signal }, 'invitation', input);
  if (reading.kind === 'unreadable' || reading.value === null) {
    throw new ServiceError('internal_error', { cause: new Error('the invitation does not match the event') });
  }
  return { method, ics: reading.value };
}
