import type { ComponentChildren, VNode } from 'preact';
import type { EventChange } from '../../../../core/actions/planned-change.ts';
import { normalAddress } from '../../../../core/contract/schema.ts';
import { markedParts } from '../../marked-parts.ts';
import { ExactText, MarkedLine, Name, Quoted, UnseenNote } from '../../third-party-text.tsx';
import { TimeSpan } from '../../when.tsx';
import { type EventFacts, EventSides, personOf, STATUS_TITLES } from './event-sides.tsx';
import { Fact } from './fact.tsx';
import { Folded } from './folded.tsx';
import { MessageFacts } from './message-action.tsx';
import { NameList } from './name-list.tsx';
import type { ActionParts, Showing } from './showing.ts';

/** A change of the calendar: what happens to the event, and who is told. */

export function eventParts(showing: Showing, event: EventChange): ActionParts {
  const { shown, zone } = showing;
  const { message } = shown;
  return {
    sentence: <FindingSentence showing={showing} event={event} />,
    body: (
      <>
        <Changes event={event} zone={zone} />
        <Notes event={event} />
        <Told event={event} />
        {message === undefined ? null : (
          <>
            <UnseenNote text={message.says.text} />
            <Folded what="The message to them" text={message.says.text}>
              <ExactText id="message-text" text={message.says.text} />
            </Folded>
          </>
        )}
        {event.alongside === '' ? null : (
          <>
            <UnseenNote text={event.alongside} />
            <Folded
              what="Your calendar server also sends what else the event contains"
              text={event.alongside}
            >
              <ExactText id="alongside" text={event.alongside} />
            </Folded>
          </>
        )}
      </>
    ),
    facts: (
      <>
        <EventSides event={event} zone={zone} />
        <CalendarNote calendar={event.calendar} />
        {event.changedLines === '' ? null : (
          <Folded what="Every line of the stored event that changes" text={event.changedLines}>
            <ExactText id="changed-lines" text={event.changedLines} />
          </Folded>
        )}
        {message === undefined ? null : <MessageFacts message={message} />}
      </>
    ),
  };
}

function FindingSentence({ showing, event }: { showing: Showing; event: EventChange }) {
  const { before, after, organizer } = event;
  const { zone, shown } = showing;
  const facts = after ?? before;
  if (facts === null) throw new Error('the change of an event without the event');
  const when = <TimeSpan start={facts.start} end={facts.end} allDay={facts.allDay} zone={zone} />;
  const told = <ToldClause event={event} />;
  if (after === null) {
    return organizer === null ? (
      <>
        Cancel <Name text={facts.title} />, {when}
        {told}
      </>
    ) : (
      <>
        Remove <Name text={facts.title} /> of <Name text={organizer} />, {when}, from your calendar
        {told}
      </>
    );
  }
  const title = <Title showing={showing} facts={after} isNew={before === null} />;
  if (before === null) {
    const invited = after.attendees.filter(({ address }) => !isSame(address, shown.account?.email ?? ''));
    if (after.status === 'tentative') {
      return (
        <>
          Propose {title}, {when}
          {told}
        </>
      );
    }
    return invited.length === 0 ? (
      <>
        Put {title} into your calendar, {when}
      </>
    ) : (
      <>
        Invite <Count names={invited.map(personOf)} /> to {title}, {when}
      </>
    );
  }
  if (before.status === 'tentative' && after.status === 'confirmed') {
    return (
      <>
        Confirm {title}, {when}
        {told}
      </>
    );
  }
  const changed = changedNames(before, after);
  return (
    <>
      Change the {changed.length === 0 ? 'event' : inWords(changed)} {changed.length === 0 ? '' : 'of '}
      {title}, {when}
      {told}
    </>
  );
}

/** The agent may have written the title: findings can mark it. */
function Title({ showing, facts, isNew }: { showing: Showing; facts: EventFacts; isNew: boolean }) {
  const { findings, shown } = showing;
  const isWritten = isNew || shown.event?.before?.title !== facts.title;
  return (
    <b>
      <MarkedLine text={facts.title} parts={isWritten ? markedParts(findings, 'subject') : []} />
    </b>
  );
}

/** One name, or how many. */
function Count({ names }: { names: readonly string[] }) {
  const [only, ...others] = names;
  if (only === undefined) return null;
  return others.length === 0 ? <Name text={only} /> : <b>{names.length} people</b>;
}

function ToldClause({ event }: { event: EventChange }): VNode | null {
  const { notices, organizer, organizerIsNotified } = event;
  const told = [...notices.byServer, ...notices.byMail];
  if (organizer !== null) {
    return <>; {organizerIsNotified ? 'your calendar server may tell them' : 'they are not told'}</>;
  }
  if (told.length > 0) {
    return (
      <>
        ; <Count names={told} /> {told.length === 1 ? 'is' : 'are'} told
      </>
    );
  }
  return notices.notYet.length + notices.unreachable.length > 0 ? <>; nobody is told</> : null;
}

/** What changes, from the old to the new. */
function Changes({ event: { before, after }, zone }: { event: EventChange; zone: string }) {
  if (before === null || after === null) return null;
  const added = missingFrom(before, after);
  const removed = missingFrom(after, before);
  const span = ({ start, end, allDay }: EventFacts) => (
    <TimeSpan start={start} end={end} allDay={allDay} zone={zone} />
  );
  const rows: [isChanged: boolean, name: string, from: ComponentChildren, to: ComponentChildren][] = [
    [before.title !== after.title, 'Title', <Quoted text={before.title} />, <Quoted text={after.title} />],
    [isMoved(before, after), 'When', span(before), span(after)],
    [before.status !== after.status, 'Status', STATUS_TITLES[before.status], STATUS_TITLES[after.status]],
    [
      before.location !== after.location,
      'Where',
      <Quoted text={before.location} />,
      <Quoted text={after.location} />,
    ],
  ];
  const changed = rows.filter(([isChanged]) => isChanged);
  if (changed.length + added.length + removed.length === 0) return null;
  return (
    <dl class="facts" id="changes">
      {changed.map(([, name, from, to]) => (
        <Fact name={name}>
          <del>{from}</del> <ins>{to}</ins>
        </Fact>
      ))}
      {added.length === 0 ? null : (
        <Fact name="Invited">
          <NameList names={added} />
        </Fact>
      )}
      {removed.length === 0 ? null : (
        <Fact name="No longer invited">
          <NameList names={removed} />
        </Fact>
      )}
    </dl>
  );
}

function changedNames(before: EventFacts, after: EventFacts): string[] {
  return [
    ...(before.title === after.title ? [] : ['title']),
    ...(isMoved(before, after) ? ['time'] : []),
    ...(missingFrom(before, after).length + missingFrom(after, before).length === 0 ? [] : ['attendees']),
  ];
}

function isMoved(before: EventFacts, after: EventFacts): boolean {
  return (
    before.start.getTime() !== after.start.getTime() ||
    before.end.getTime() !== after.end.getTime() ||
    before.allDay !== after.allDay
  );
}

/** The attendees of `after` that `before` does not have. */
function missingFrom(before: EventFacts, after: EventFacts): string[] {
  return after.attendees
    .filter(({ address }) => !before.attendees.some((one) => isSame(one.address, address)))
    .map(personOf);
}

function isSame(one: string, other: string): boolean {
  return normalAddress(one) === normalAddress(other);
}

/** `title, time and attendees` */
function inWords(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

function Notes({
  event: { after, onlyThisOne, isZoneDisputed, organizer, organizerIsNotified },
}: {
  event: EventChange;
}) {
  return (
    <>
      {onlyThisOne ? (
        <p class="note" id="only-this-one">
          {after === null
            ? 'This is one event of a series. Only this one is removed; the others stay.'
            : 'This is one event of a series. Only this one changes; the others stay as they are.'}
        </p>
      ) : null}
      {isZoneDisputed ? (
        <p class="note" id="zone-note">
          The event carries rules of its own for its time zone, and they disagree with the zone of that name.
          The times here follow the zone; other programs may show other times.
        </p>
      ) : null}
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

const ACCESS_WORDS: Record<EventChange['calendar']['access'], string> = {
  own: 'which only you can access.',
  shared: 'which others can access too.',
  unknown: 'and Countersign cannot tell whether others can access it.',
};

function CalendarNote({ calendar: { name, access } }: { calendar: EventChange['calendar'] }) {
  return (
    <p id="calendar-note">
      It is in the calendar “<Quoted text={name} />
      ”, {ACCESS_WORDS[access]}
    </p>
  );
}

function Told({ event: { notices, after } }: { event: EventChange }) {
  const { byServer, byMail, notYet, unreachable } = notices;
  const ways = [
    ['Told by a message from you', byMail],
    ['Told by your calendar server', byServer],
    [after === null ? 'Nobody has told them about it' : 'Not told until it is confirmed', notYet],
    ['Cannot be told: no email address', unreachable],
  ] as const;
  const used = ways.filter(([, people]) => people.length > 0);
  if (used.length === 0) return null;
  return (
    <dl class="facts" id="told">
      {used.map(([way, people]) => (
        <Fact name={way}>
          <NameList names={people} />
        </Fact>
      ))}
    </dl>
  );
}
