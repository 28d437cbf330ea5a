import type ICAL from 'ical.js';
import { isDeliverable } from '../../contract/schema.ts';
import type { Participant } from '../event.ts';

/** Reads the people of an event as ical.js gives them. */

/** RFC 6068: an address in a `mailto:` has some of its characters percent-encoded. */
export function participant(property: ICAL.Property): Participant {
  const uri = String(property.getFirstValue());
  const encoded = /^mailto:(.*)$/is.exec(uri)?.[1];
  const address = encoded === undefined ? undefined : decoded(encoded);
  const isMail = address !== undefined && isDeliverable(address);
  return { address: isMail ? address : uri, isMail, name: parameterOf(property, 'cn') };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // malformed percent-encoding: not a mail address
  }
}

export function parameterOf(property: ICAL.Property, name: string): string {
  // The declared type says that there always is one.
  const value: unknown = property.getParameter(name);
  return typeof value === 'string' ? value : '';
}
