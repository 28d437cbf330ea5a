import PostalMime from 'postal-mime';
import type { CalendarEvent } from '../../core/calendar/event.ts';
import type { Calendar, CalendarInfo } from '../../core/ports/calendar.ts';
import type { MailAccount, MailCall } from '../../core/ports/mail.ts';
import type { AnyApproval } from '../contracts/any-approval.ts';
import { calendarOf, event, ZURICH } from '../contracts/calendar/scene.ts';
import { eventsOn } from '../events-on.ts';
import type { TestKey } from '../open-service.ts';
import { approvalOf, approve, FRIEND, OWN, openScene, type Scene, type SceneOptions } from './scene.ts';

/** A service with a calendar in Zurich, which the test fills and reads. Its clocks go forward on 28 March 2027. */

export interface CalendarScene extends Scene {
  /** Its changes wait for the owner. */
  readonly key: TestKey;
}

const ZONE = 'Europe/Zurich';

export const PLANNING = { title: 'Planning', start: '2027-03-01T09:00' };

/** A weekly series with an attendee whom another program invited, and with unknown properties. */
export const SERIES = calendarOf(
  ZURICH,
  event(
    'series',
    'SUMMARY:Weekly',
    'DTSTART;TZID=Europe/Zurich:20270315T090000',
    'DTEND;TZID=Europe/Zurich:20270315T100000',
    'RRULE:FREQ=WEEKLY;COUNT=3',
    'SEQUENCE:4',
    `ORGANIZER:mailto:${OWN}`,
    `ATTENDEE;CN="Okafor, Maya";PARTSTAT=ACCEPTED:mailto:${FRIEND}`,
    'X-ATLAS-TICKET;X-KIND="a:b":4711',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'TRIGGER:-PT10M',
    'END:VALARM',
  ),
);

/** Its second instance, a week before the clocks go forward. */
export const SECOND = '20270322T080000Z';

export async function openCalendar(options: SceneOptions = {}): Promise<CalendarScene> {
  const scene = await openScene({ timezone: ZONE, ...options });
  return { ...scene, key: await scene.addKey('full') };
}

/** For `calendarAs`: the same calendar with different properties from its server. */
export function saying(change: Partial<CalendarInfo>): (calendar: Calendar) => Calendar {
  return (calendar) => ({
    ...calendar,
    async target(call) {
      const target = await calendar.target(call);
      return target && { ...target, ...change };
    },
    async read(...asked) {
      const stored = await calendar.read(...asked);
      return stored && { ...stored, calendar: { ...stored.calendar, ...change } };
    },
  });
}

function accountOf({ ownerId }: Scene): MailAccount {
  return { ownerId, accountId: 1, email: OWN, settings: async () => ({}) };
}

/** Stores an object as another program would. */
export function put(scene: Scene, name: string, ics: string): Promise<void> {
  return scene.calendar.put(accountOf(scene), name, ics);
}

export async function objectsOf(scene: Scene): Promise<string[]> {
  return [...(await scene.calendar.objects(accountOf(scene))).values()];
}

/** The lines of the only object, without folds. */
export async function onlyObject(scene: Scene): Promise<string[]> {
  const objects = await objectsOf(scene);
  const [ics] = objects;
  if (ics === undefined || objects.length > 1) throw new Error(`there are ${objects.length} objects`);
  return unfolded(ics);
}

function unfolded(ics: string): string[] {
  return ics.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
}

export function callOf(scene: Scene): MailCall {
  return { account: accountOf(scene), signal: new AbortController().signal, deadlineMs: 5000 };
}

/** The events of the calendar in 2027. */
export async function eventsOf(scene: Scene): Promise<readonly CalendarEvent[]> {
  const [from, to] = [new Date('2027-01-01T00:00:00Z'), new Date('2028-01-01T00:00:00Z')];
  return (await eventsOn(scene.calendar).list(callOf(scene), { from, to, timezone: ZONE })).events;
}

/** Removes the only event, as another program would. */
export async function removeOnly(scene: Scene): Promise<void> {
  const call = callOf(scene);
  const [event, ...others] = await eventsOf(scene);
  const stored = event && (await eventsOn(scene.calendar).read(call, event, ZONE));
  if (stored === undefined || others.length > 0) throw new Error('there is not one event');
  await scene.calendar.remove(call, { ...stored.place, ifMatch: stored.etag }, async () => true);
}

/** `2027-03-01T08:00 Title` of each event, in UTC. */
export async function startsOf(scene: Scene): Promise<string[]> {
  return (await eventsOf(scene)).map(({ start, title }) => `${start.toISOString().slice(0, 16)} ${title}`);
}

/** The number of an event, as list_events would show it. */
export async function numberOf(
  { storage, ownerId }: Scene,
  uid: string,
  recurrenceId: string | null = null,
): Promise<number> {
  const [number] = await storage.eventNumbers(ownerId, 1, [{ calendar: 'Calendar', uid, recurrenceId }]);
  if (number === undefined) throw new Error('an event got no number');
  return number;
}

/** Calls a tool whose request the owner then approves. */
export async function approved(
  scene: CalendarScene,
  tool: string,
  args: Record<string, unknown>,
): Promise<AnyApproval> {
  const { id } = approvalOf(await scene.key.call(tool, args));
  return (await approve(scene, id)).approval;
}

export interface SentInvitation {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly method: string | undefined;
  /** The lines of the calendar part. */
  readonly lines: readonly string[];
}

/** The sent messages, oldest first. */
export async function invitations(scene: Scene): Promise<SentInvitation[]> {
  return Promise.all(
    scene.mail.transmitted().map(async ({ raw, to }) => {
      const { subject = '', text = '', attachments } = await PostalMime.parse(raw);
      const [part] = attachments;
      if (part === undefined || typeof part.content === 'string')
        throw new Error('there is no calendar part');
      const lines = unfolded(new TextDecoder().decode(part.content));
      return { to, subject, text, method: part.method, lines };
    }),
  );
}

/** The subjects of the copies in Sent. */
export async function sentCopies(scene: Scene): Promise<string[]> {
  const sent = await scene.mail.messages(accountOf(scene), 'Sent');
  const subjects = await Promise.all(sent.map(async (raw) => (await PostalMime.parse(raw)).subject ?? ''));
  return subjects.filter((subject) => subject !== 'Subject written');
}
