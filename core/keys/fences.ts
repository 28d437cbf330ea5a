import * as z from 'zod';
import { address as addressArgument, normalAddress } from '../contract/schema.ts';
import { asciiDomain } from '../mail/ascii-domain.ts';

/** The fences that an owner puts around a key, beyond its modes: accounts, recipients, and an end. Pure. */

export interface Fences {
  /** The ids of the only accounts that the key may use. Null: all. */
  readonly accounts: readonly number[] | null;
  /** The only addresses and domains that the key may write to, as `fenceEntry` returns them. Null: everybody. */
  readonly recipients: readonly string[] | null;
  /** From this instant on, the key may use no permission group. Null: no end before the key's own. */
  readonly until: Date | null;
}

export const NO_FENCES: Fences = { accounts: null, recipients: null, until: null };

/** Also what fits into an answer of 64 KB beside the rest of `get_me`. */
export const FENCE_ENTRIES_MAX = 100;

/** What an action touches. */
export interface Reach {
  readonly accountIds: readonly number[];
  /** Everyone to whom it writes, and everyone who takes part in an event that it changes. */
  readonly people: readonly string[];
}

export const REACHES_NOTHING: Reach = { accountIds: [], people: [] };

/** Returns the fence that an action would cross; undefined if it stays inside all of them. */
export function crossedFence(fences: Fences, reach: Reach, now: Date): keyof Fences | undefined {
  if (hasEnded(fences, now)) return 'until';
  if (!reach.accountIds.every((accountId) => isAccountInside(fences, accountId))) return 'accounts';
  return reach.people.every((address) => isPersonInside(fences, address)) ? undefined : 'recipients';
}

export function hasEnded({ until }: Fences, now: Date): boolean {
  return until !== null && until <= now;
}

export function isAccountInside({ accounts }: Fences, accountId: number): boolean {
  return accounts === null || accounts.includes(accountId);
}

/** Whether the address or its domain is listed. A domain does not include its subdomains. */
export function isPersonInside({ recipients }: Fences, address: string): boolean {
  if (recipients === null) return true;
  const canonical = canonicalAddress(address);
  return canonical !== undefined && isListed(recipients, canonical);
}

function isListed(recipients: readonly string[], canonical: string): boolean {
  return recipients.includes(canonical) || recipients.includes(canonical.slice(canonical.indexOf('@') + 1));
}

/**
 * Returns an address or domain as a fence stores it: in lower case, its domain in ASCII. `@example.org` is the domain.
 * Undefined: it is neither.
 */
export function fenceEntry(text: string): string | undefined {
  const entry = text.trim();
  if (entry.lastIndexOf('@') <= 0) return asciiDomain(entry.replace(/^@/, ''));
  const canonical = canonicalAddress(entry);
  return addressArgument.safeParse(canonical).success ? canonical : undefined;
}

/** An address for comparison: as known recipients are compared, with its domain in ASCII. */
function canonicalAddress(address: string): string | undefined {
  const [local, domain, ...more] = normalAddress(address).split('@');
  if (local === undefined || local === '' || domain === undefined || more.length > 0) return undefined;
  const ascii = asciiDomain(domain);
  return ascii && `${local}@${ascii}`;
}

/** Whether `after` lets through anything that `before` does not. */
export function isWider(before: Fences, after: Fences): boolean {
  const { accounts, recipients, until } = before;
  return (
    (accounts !== null && !(after.accounts?.every((one) => accounts.includes(one)) ?? false)) ||
    (recipients !== null && !(after.recipients?.every((entry) => isListed(recipients, entry)) ?? false)) ||
    (until !== null && (after.until === null || after.until > until))
  );
}

const storedFences = z.strictObject({
  accounts: z.array(z.int()).nullable(),
  recipients: z.array(z.string()).nullable(),
  untilMs: z.int().nullable(),
});

/** The text in which fences are stored and signed. Null: none. */
export function fencesText({ accounts, recipients, until }: Fences): string | null {
  if (accounts === null && recipients === null && until === null) return null;
  return JSON.stringify({ accounts, recipients, untilMs: until?.getTime() ?? null });
}

/** @throws Error if `fencesText` did not write the text */
export function fencesIn(text: string): Fences {
  const { accounts, recipients, untilMs } = storedFences.parse(JSON.parse(text));
  return { accounts, recipients, until: untilMs === null ? null : new Date(untilMs) };
}
