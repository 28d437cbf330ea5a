import type ICAL from 'ical.js';
import type { Participant } from '../calendar/event.ts';
import { isDeliverable } from '../contract/schema.ts';

/** Reads the people of an event as ical.js gives them. */

/**
 * The address in the URI; without one, that of EMAIL (RFC 7986 6.2): iCloud names people by their principal. Some programs
 * leave out `mailto:`.
 */
export function participant(property: ICAL.Property): Participant {
  const uri = String(property.getFirstValue());
  // RFC 6068: some characters of an address in a `mailto:` are percent-encoded.
  const encoded = /^mailto:(.*)$/is.exec(uri)?.[1];
  const addresses = encoded === undefined ? [uri, parameterOf(property, 'email')] : [decoded(encoded) ?? ''];
  const address = addresses.find(isDeliverable);
  return { address: address ?? uri, isMail: address !== undefined, name: parameterOf(property, 'cn') };
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
