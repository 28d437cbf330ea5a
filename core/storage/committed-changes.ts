import type { Change, Store } from '../ports/store.ts';

type CommitListener = (changes: readonly Change[]) => void;

/** A store whose units report what they changed. */
interface ObservedStore {
  readonly store: Store;
  /** Calls `listener` with the changes of each unit of this process, once they are committed. @returns removes it */
  onCommit(listener: CommitListener): () => void;
}

export function observeCommits(store: Store): ObservedStore {
  const listeners = new Set<CommitListener>();
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
        if (changes.length > 0) for (const listener of listeners) listener(changes);
        return answer;
      },
    },
    onCommit(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
