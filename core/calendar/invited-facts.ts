import { canonicalJson } from '../text/canonical-json.ts';
import type { EventFacts } from './event.ts';

/** The facts that attendees receive: only attendees that are notified, only characters that a line may contain. */
export function invitedFacts(facts: EventFacts): Omit<EventFacts, 'recurring'> {
  const { recurring: _recurring, ...others } = facts;
  const named = <P extends { readonly name: string }>(one: P): P => ({ ...one, name: clean(one.name) });
  return {
    ...others,
    title: clean(facts.title),
    location: clean(facts.location),
    description: clean(facts.description),
    organizer: facts.organizer && named(facts.organizer),
    attendees: facts.attendees
      .filter(({ agent, isMail, address }) => agent !== 'none' && (isMail || PLAIN_URI.test(address)))
      // SCHEDULE-AGENT is between a client and its own server (RFC 6638 7).
      .map((one) => ({ ...named(one), agent: 'server' })),
  };
}

const PLAIN_URI = /^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i;

/** All facts of an invitation, for comparison. */
export function comparable(facts: EventFacts): string {
  return canonicalJson(invitedFacts(facts));
}

/** The text of an object may contain characters that a message must not. */
export function clean(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]|\p{Surrogate}/gu, ' ');
}
