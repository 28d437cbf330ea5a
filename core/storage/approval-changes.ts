import type { Change, Store } from '../ports/store.ts';

/** A store, and the approvals that units of this process change in it. */
interface ObservedApprovals {
  readonly store: Store;
  /** Calls `listener` with the id of each changed approval, once the change is committed. @returns removes it */
  onApprovalChange(listener: (approvalId: string) => void): () => void;
}

export function observeApprovals(store: Store): ObservedApprovals {
  const listeners = new Set<(approvalId: string) => void>();
  return {
    store: {
      ...store,
      async unit(commit, need, judge) {
        let changes: readonly Change[] = [];
        const answer = await store.unit(commit, need, (facts, at) => {
          const judged = judge(facts, at);
          changes = judged.changes;
          return judged;
        });
        for (const change of changes) {
          if (change.type !== 'save_approval') continue;
          for (const listener of listeners) listener(change.approval.id);
        }
        return answer;
      },
    },
    onApprovalChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
