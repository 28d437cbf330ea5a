import { type Approval, editOf } from '../approvals/approval.ts';
import { errorName, type Log } from '../ports/log.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { STORED } from '../secrets/stored-purposes.ts';

/** What the owner wrote about a request, sealed for storage for its owner and its approval, like plans. */

export interface DecisionNotes {
  /** The line that explains a rejection. Null: there is none. */
  readonly note: string | null;
  /** What the owner changed before approving. Null: nothing. */
  readonly diff: string | null;
}

export type OpenWords = (approval: Approval) => DecisionNotes;

type Ref = Pick<Approval, 'ownerId' | 'id'>;

/** @param note  the line that explains a rejection */
export function sealNote(keyring: Keyring, of: Ref, note: string): string {
  return keyring.seal(STORED.rejectionNote, contextOf(of), note);
}

/** @param diff  what the owner changed before approving */
export function sealDiff(keyring: Keyring, of: Ref, diff: string): string {
  return keyring.seal(STORED.editDiff, contextOf(of), diff);
}

/** @param text  the text of the plan that was asked for */
export function sealAsked(keyring: Keyring, of: Ref, text: string): string {
  return keyring.seal(STORED.askedPlan, contextOf(of), text);
}

/** @throws Error if it was not sealed for this approval, or its key is not in the ring */
export function openAsked(keyring: Keyring, of: Ref, sealed: string): string {
  return keyring.open(STORED.askedPlan, contextOf(of), sealed);
}

/** Words that cannot be opened are left out: they must not keep anybody from reading the rest. The log says so. */
export function ownerWordsOf(keyring: Keyring, log: Log): OpenWords {
  return (approval) => {
    const rejection = approval.state === 'rejected' ? approval.rejection : null;
    const open = (purpose: string, sealed: string | null) => {
      if (sealed === null) return null;
      try {
        return keyring.open(purpose, contextOf(approval), sealed);
      } catch (error) {
        log.error("the owner's words could not be read", { approval: approval.id, ...errorName(error) });
        return null;
      }
    };
    return {
      note: open(STORED.rejectionNote, rejection?.sealedNote ?? null),
      diff: open(STORED.editDiff, editOf(approval)?.sealedDiff ?? null),
    };
  };
}

function contextOf({ ownerId, id }: Ref): string {
  return `${ownerId}\n${id}`;
}
