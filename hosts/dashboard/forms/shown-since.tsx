import { PROVING_FIELD } from '../owners/prove-owner.ts';
import type { OwnerVisit } from '../visit.ts';
import { SHOWN_FIELD, SHOWN_FOR_MS } from './shown-field.ts';
import { readSignedTime, signedTime } from './signed-time.ts';

/**
 * A second tap, meant for the page before, must decide nothing on the page that has just opened. Each form that decides
 * says when its page was shown, by the store's clock, so this holds without JavaScript and on several hosts.
 */

/** Part of each form that decides what its page shows. */
export function ShownSince({ visit }: { visit: OwnerVisit }) {
  const { requests, query } = visit;
  const proving = query.get(PROVING_FIELD);
  return (
    <>
      <input type="hidden" name={SHOWN_FIELD} value={shownMark(visit, requests.storeNowMs)} />
      {proving === null ? null : <input type="hidden" name={PROVING_FIELD} value={proving} />}
    </>
  );
}

/** @param atMs  when the page about these requests was shown */
export function shownMark(visit: Pick<OwnerVisit, 'token' | 'param'>, atMs: number): string {
  return signedTime(aboutOf(visit), atMs);
}

/** Whether the page of this form was shown long enough before the form came. */
export function wasShown(visit: Pick<OwnerVisit, 'token' | 'param' | 'fields' | 'requests'>): boolean {
  const atMs = readSignedTime(aboutOf(visit), visit.fields.get(SHOWN_FIELD));
  return atMs !== undefined && visit.requests.storeNowMs - atMs >= SHOWN_FOR_MS;
}

function aboutOf({ token, param }: Pick<OwnerVisit, 'token' | 'param'>) {
  return { token, about: `shown ${param}` };
}

export const TOO_EARLY =
  'The page had been open for less than a second, so the press may have been meant for the page before. Read it, then decide.';
