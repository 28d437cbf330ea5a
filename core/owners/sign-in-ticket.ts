import { hash } from 'node:crypto';
import * as z from 'zod';
import type { Keyring } from '../secrets/keyring.ts';
import { MINUTE_MS } from '../time/durations.ts';
import type { Owner } from './owner-state.ts';

/**
 * Says that somebody entered the right password just now, until the second step is done. The browser keeps it sealed, so
 * nothing is stored for people who stop there. It is not a session and opens no page.
 */
export interface SignInTicket {
  readonly ownerId: string;
  /** Whether this is still the hash that the password matched. */
  isOf(passwordHash: string): boolean;
}

const PURPOSE = 'sign-in-ticket';
const TICKET_MS = 10 * MINUTE_MS;
const CHARS_MAX = 2000;

const content = z.tuple([z.string(), z.string(), z.number()]);

export function ticketOf(
  keyring: Keyring,
  { owner, passwordHash }: { readonly owner: Owner; readonly passwordHash: string },
  now: Date,
): string {
  const text: z.infer<typeof content> = [owner.ownerId, hash('sha256', passwordHash), now.getTime()];
  return keyring.seal(PURPOSE, '', JSON.stringify(text));
}

/** Undefined: it is not a ticket, or is older than ten minutes. */
export function readTicket(keyring: Keyring, ticket: string, now: Date): SignInTicket | undefined {
  const text = openTicket(keyring, ticket);
  if (text === undefined) return undefined;
  const [ownerId, passwordMark, atMs] = content.parse(JSON.parse(text));
  // The clock may have been set back.
  if (Math.abs(now.getTime() - atMs) >= TICKET_MS) return undefined;
  return { ownerId, isOf: (passwordHash) => hash('sha256', passwordHash) === passwordMark };
}

function openTicket(keyring: Keyring, ticket: string): string | undefined {
  if (ticket.length > CHARS_MAX) return undefined;
  try {
    return keyring.open(PURPOSE, '', ticket);
  } catch {
    // Anyone can send anything, so it is not an error.
    return undefined;
  }
}
