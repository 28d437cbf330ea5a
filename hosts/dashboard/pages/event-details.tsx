import type { ComponentChildren } from 'preact';
import type { EventChange } from '../../../core/actions/planned-change.ts';
import { ExactText, Quoted, UnseenNote } from '../third-party-text.tsx';
import { TimeSpan } from '../when.tsx';

/** What happens to an event: before and after side by side, and who is notified. */

type Facts = NonNullable<EventChange['after']>;

export function EventDetails({ event, zone }: { event: EventChange; zone: string }) {
  const { before, after, onlyThisOne } = event;
  return (
    <>
      <div class="sides" id="event">
        {before === null ? null : (
          <Side
            id="event-before"
            title={after === null ? 'Removed from the calendar' : 'Before'}
            facts={before}
            zone={zone}
          />
        )}
        {after === null ? null : (
          <Side
            id="event-after"
            title={before === null ? 'New in the calendar' : 'After'}
            facts={after}
            other={before}
            zone={zone}
          />
        )}
      </div>
      {onlyThisOne ? (
        <p class="note" id="only-this-one">
          {after === null
            ? 'This is one event of a series. Only this one is removed; the others stay.'
            : 'This is one event of a series. Only this one changes; the others stay as they are.'}
        </p>
      ) : null}
      {event.isZoneDisputed ? (
        <p class="note" id="zone-note">
          The event carries rules of its own for its time zone, and they disagree with the zone of that name.
          The times here follow the zone; other programs may show other times.
        </p>
      ) : null}
      <CalendarNote calendar={event.calendar} />
      <Notified event={event} />
      {event.alongside === '' ? null : (
        <>
          <h2>Also sent along, as it stands in the calendar</h2>
          <p class="note">
            Your calendar server passes on the whole event. Besides what you see above, it holds this:
          </p>
          <UnseenNote text={event.alongside} />
          <ExactText id="alongside" text={event.alongside} />
        </>
      )}
    </>
  );
}

const ACCESS_WORDS: Record<EventChange['calendar']['access'], string> = {
  own: 'which only you can access.',
  shared: 'which others can access too.',
  unknown: 'and Countersign cannot tell whether others can access it.',
};

function CalendarNote({ calendar: { name, access } }: { calendar: EventChange['calendar'] }) {
  return (
    <p class="note" id="calendar-note">
      It is in the calendar “<Quoted text={name} />
      ”, {ACCESS_WORDS[access]}
    </p>
  );
}

const STATUS_TITLES: Record<Facts['status'], string> = {
  confirmed: 'Confirmed',
  tentative: 'Tentative: proposed, not confirmed',
  cancelled: 'Cancelled',
};

function Side(props: { id: string; title: string; facts: Facts; other?: Facts | null; zone: string }) {
  const { id, title, facts, other = null, zone } = props;
  /** Marks what changes. */
  const fact = (name: string, of: (facts: Facts) => string, children: ComponentChildren) => (
    <div class={other !== null && of(other) !== of(facts) ? 'changed' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
  const people = facts.attendees.map(personOf);
  return (
    <section aria-labelledby={`${id}-title`} id={id}>
      <h2 id={`${id}-title`}>{title}</h2>
      <dl class="facts">
        {fact('Title', (one) => one.title, <Quoted text={facts.title} />)}
        {fact(
          'When',
          (one) => `${one.start.getTime()} ${one.end.getTime()}`,
          <TimeSpan start={facts.start} end={facts.end} allDay={facts.allDay} zone={zone} />,
        )}
        {fact('Lasts', lengthOf, lengthOf(facts))}
        {fact('Status', (one) => one.status, STATUS_TITLES[facts.status])}
        {facts.location === ''
          ? null
          : fact('Where', (one) => one.location, <Quoted text={facts.location} />)}
        {facts.organizer === null
          ? null
          : fact(
              'Organizer',
              ({ organizer }) => (organizer === null ? '' : displayName(organizer)),
              <Quoted text={displayName(facts.organizer)} />,
            )}
        {fact(
          'Attendees',
          (one) => one.attendees.map(personOf).join(),
          people.length === 0 ? 'nobody' : <People list={people} />,
        )}
      </dl>
      {facts.description === '' ? null : (
        <details>
          <summary>Description</summary>
          <UnseenNote text={facts.description} />
          <ExactText id={`${id}-description`} text={facts.description} />
        </details>
      )}
    </section>
  );
}

type Person = Facts['attendees'][number];

function displayName({ address, name }: Pick<Person, 'address' | 'name'>): string {
  return name === '' ? address : `${name} <${address}>`;
}

/** Most attendees have not answered yet, so nothing is added for that. */
const ANSWER_WORDS: Record<Person['answer'], string> = {
  'NEEDS-ACTION': '',
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  TENTATIVE: 'maybe',
  DELEGATED: 'delegated',
};
const ROLE_WORDS: Record<Person['role'], string> = {
  'REQ-PARTICIPANT': '',
  'OPT-PARTICIPANT': 'optional',
  'NON-PARTICIPANT': 'for information',
  CHAIR: 'chair',
};

function personOf(person: Person): string {
  const words = [ROLE_WORDS[person.role], ANSWER_WORDS[person.answer]].filter((word) => word !== '');
  return words.length === 0 ? displayName(person) : `${displayName(person)} (${words.join(', ')})`;
}

function lengthOf({ start, end, allDay }: Facts): string {
  const minutes = Math.round((end.getTime() - start.getTime()) / 60_000);
  // A day with a clock change does not have 24 hours.
  const days = Math.round(minutes / 1440);
  if (allDay) return days === 1 ? 'the whole day' : `${days} whole days`;
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${minutes} min`;
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

function People({ list }: { list: readonly string[] }) {
  return (
    <ul>
      {list.map((person) => (
        <li>
          <Quoted text={person} />
        </li>
      ))}
    </ul>
  );
}

function Notified({ event: { notices, organizer, organizerIsNotified, after } }: { event: EventChange }) {
  const { byServer, byMail, notYet, unreachable } = notices;
  const ways = [
    ['By a message from you, shown below', byMail],
    ['By your calendar server', byServer],
    [after === null ? 'Nobody has told them about it' : 'Not until it is confirmed', notYet],
    ['Cannot be notified: no email address', unreachable],
  ] as const;
  const used = ways.filter(([, people]) => people.length > 0);
  return (
    <>
      <h2>Who is notified</h2>
      <dl class="facts" id="told">
        {used.map(([way, people]) => (
          <div>
            <dt>{way}</dt>
            <dd>
              <People list={people} />
            </dd>
          </div>
        ))}
      </dl>
      {organizer === null && used.length === 0 ? <p>Nobody.</p> : null}
      {organizer === null ? null : (
        <p class="note" id="organizer-note">
          This event belongs to <Quoted text={organizer} />, not to you. It is only removed from your
          calendar.{' '}
          {organizerIsNotified
            ? 'Your calendar server may tell them that you decline.'
            : 'They are not notified.'}
        </p>
      )}
    </>
  );
}
