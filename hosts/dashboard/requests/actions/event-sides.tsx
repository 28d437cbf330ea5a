import type { ComponentChildren } from 'preact';
import type { EventChange } from '../../../../core/actions/planned-change.ts';
import { ExactText, Quoted, UnseenNote } from '../../third-party-text.tsx';
import { TimeSpan } from '../../when.tsx';

/** An event before and after its change, side by side, with all that is known of it. */

export type EventFacts = NonNullable<EventChange['after']>;

export function EventSides({ event: { before, after }, zone }: { event: EventChange; zone: string }) {
  return (
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
  );
}

export const STATUS_TITLES: Record<EventFacts['status'], string> = {
  confirmed: 'Confirmed',
  tentative: 'Tentative: proposed, not confirmed',
  cancelled: 'Cancelled',
};

function Side(props: {
  id: string;
  title: string;
  facts: EventFacts;
  other?: EventFacts | null;
  zone: string;
}) {
  const { id, title, facts, other = null, zone } = props;
  /** Marks what changes. */
  const fact = (name: string, of: (facts: EventFacts) => string, children: ComponentChildren) => (
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

type Person = EventFacts['attendees'][number];

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

export function personOf(person: Person): string {
  const words = [ROLE_WORDS[person.role], ANSWER_WORDS[person.answer]].filter((word) => word !== '');
  return words.length === 0 ? displayName(person) : `${displayName(person)} (${words.join(', ')})`;
}

function lengthOf({ start, end, allDay }: EventFacts): string {
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
