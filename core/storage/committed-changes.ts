import type { Change, Store } from '../ports/store.ts';
import type { RowChange } from '../state/change.ts';

type CommitListener = (changes: readonly (Change | RowChange)[]) => void;

/** A store whose units report what they changed. */
interface ObservedStore {
  readonly store: Store;
  /** Calls `listener` with the changes of each unit of this process, once they are committed. @returns removes it */
  onCommit(listener: CommitListener): () => void;
}

export function observeCommits(store: Store): ObservedStore {
  const listeners = new Set<CommitListener>();
  const tell: CommitListener = (changes) => {
    if (changes.length > 0) for (const listener of listeners) listener(changes);
  };
  return {
    store: {
      ...store,
      async unit(commit, need, judge) {
        let changes: readonly (Change | RowChange)[] = [];
        const answer = await store.unit(commit, need, (facts, at) => {
          const judged = judge(facts, at);
          changes = judged.changes;
          return judged;
        });
        tell(changes);
        return answer;
      },
      async ownerUnit(commit, ownerId, queries, judge) {
        let changes: readonly RowChange[] = [];
        const answer = await store.ownerUnit(commit, ownerId, queries, (found, at) => {
          const judged = judge(found, at);
          changes = judged.changes;
          return judged;
        });
        tell(changes);
        return answer;
      },
    },
    onCommit(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
