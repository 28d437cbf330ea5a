import type ICAL from 'ical.js';
import type { Participant } from '../calendar/event.ts';
import { isDeliverable } from '../contract/schema.ts';
import { headerAddresses } from '../mail/header-text.ts';

/** Reads the people of an event as ical.js gives them. */

/** More than any address has. */
const WRITTEN_CHARS_MAX = 500;

/**
 * The address in the URI; without one, that of EMAIL (RFC 7986 6.2): iCloud names people by their principal. Some programs
 * leave out `mailto:`.
 */
export function participant(property: ICAL.Property): Participant {
  const uri = String(property.getFirstValue());
  const encoded = /^\s*mailto:(.*)$/is.exec(uri)?.[1];
  const addresses = encoded === undefined ? [uri, parameterOf(property, 'email')] : [mailtoAddress(encoded)];
  const address = addresses.find(isDeliverable);
  return { address: address ?? uri, isMail: address !== undefined, name: parameterOf(property, 'cn') };
}

/**
 * RFC 6068: some characters are percent-encoded, and fields may follow. Some programs write a name, brackets, apostrophes,
 * spaces or slashes around the address.
 */
function mailtoAddress(encoded: string): string {
  const written = decoded(encoded.replace(/\?.*$/s, '')).replace(/^\s*\/\//, '');
  if (isDeliverable(written) || written.length > WRITTEN_CHARS_MAX) return written;
  const [only, ...others] = headerAddresses(written);
  return only !== undefined && others.length === 0 ? only.address : '';
}

/** @returns an empty text if the percent-encoding is malformed: it is not a mail address */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

export function parameterOf(property: ICAL.Property, name: string): string {
  // The declared type says that there always is one.
  const value: unknown = property.getParameter(name);
  return typeof value === 'string' ? value : '';
}
