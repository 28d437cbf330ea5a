import type { AccessChange } from '../gate/access-change.ts';
import type { Change } from '../ports/store.ts';

/** Notes what happened to the owner's own access, for a notice and a line on the dashboard. */
export function accessChange(ownerId: string, what: AccessChange, storeNowMs: number): Change {
  return { type: 'save_access_change', ownerId, what, at: new Date(storeNowMs) };
}
