import { readWithin } from '../accounts/read-message.ts';
import type { SearchQuery } from '../ports/mail-reading.ts';
import type { LookUpContext } from './context.ts';

/** The words of a search. */
export function searchWords(q: string): string[] {
  return q.split(/\s+/u).filter((word) => word !== '');
}

/** A message that cannot be read counts as a match: a search is never silently shorter. */
export function saysWord({ ports, owner, signal }: LookUpContext): SearchQuery['contains'] {
  return async (source, word) => {
    const reading = await readWithin(ports, { ownerId: owner.ownerId, signal }, 'search', { source, word });
    return reading.kind === 'unreadable' || reading.value;
  };
}
