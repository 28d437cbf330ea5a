import { letterForm } from '../text/letter-form.ts';
import type { MessagePlace } from './listed-message.ts';
import type { MessageRow } from './message-row.ts';

/**
 * Some programs give everything that they send the same Message-ID. Of messages that share one, only those stay that a
 * second fact joins to the message that was asked for: the subject, apart from what replies and lists add to it, or
 * the Date field of such a message, whose copy may come from a list. Where nothing tells which message of an id is
 * meant, all of them stay.
 * @param rows  a conversation, found by ids
 * @param asked  the place of the message that was asked for
 */
export function withoutNamesakes(rows: readonly MessageRow[], asked: MessagePlace): readonly MessageRow[] {
  const begun = rows.find(({ place }) => isSame(place, asked));
  if (begun === undefined) return rows;
  const subject = baseSubject(begun);
  const joined = new Set(rows.filter((row) => baseSubject(row) === subject));
  const joinedDates = new Map<string, Set<string>>();
  for (const row of joined) {
    if (row.messageId === null) continue;
    const dates = joinedDates.get(row.messageId) ?? new Set();
    joinedDates.set(row.messageId, dates.add(row.dateField));
  }
  return rows.filter((row) => {
    const dates = joinedDates.get(row.messageId ?? '');
    return dates === undefined || joined.has(row) || (row.dateField !== '' && dates.has(row.dateField));
  });
}

function isSame(a: MessagePlace, b: MessagePlace): boolean {
  return a.path === b.path && a.uidValidity === b.uidValidity && a.uid === b.uid;
}

/** `Re:`, `AW:`, `Fwd[2]:` and their kind in any language, and the name of a list in brackets. */
const ADDED = /^(?:\p{L}{1,5}(?:\[\d+\])?\s*[:：]|\[[^[\]]*\]|\s)+/u;

/** The base subject (RFC 5256 2.1), roughly: equal for all messages of most conversations. */
function baseSubject({ subject }: MessageRow): string {
  return letterForm(subject.replace(ADDED, '')).replace(/\s+/g, ' ').trim();
}
