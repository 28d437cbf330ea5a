import type { AnyChange, Store } from '../ports/store.ts';
import type { Verdict } from '../state/store.ts';

type CommitListener = (changes: readonly AnyChange[]) => void;

/** A store whose units report what they changed. */
interface ObservedStore {
  readonly store: Store;
  /** Calls `listener` with the changes of each unit of this process, once they are committed. @returns removes it */
  onCommit(listener: CommitListener): () => void;
}

export function observeCommits(store: Store): ObservedStore {
  const listeners = new Set<CommitListener>();

  /** @param unit  passes each verdict through `noted`. It may judge several times: the last verdict counts */
  async function observed<Answer>(
    unit: (noted: <Each extends Verdict<Answer, AnyChange>>(verdict: Each) => Each) => Promise<Answer>,
  ): Promise<Answer> {
    let changes: readonly AnyChange[] = [];
    const answer = await unit((verdict) => {
      changes = verdict.changes;
      return verdict;
    });
    if (changes.length > 0) for (const listener of listeners) listener(changes);
    return answer;
  }

  return {
    store: {
      ...store,
      unit: (commit, need, judge) =>
        observed((noted) => store.unit(commit, need, (facts, at) => noted(judge(facts, at)))),
      countersUnit: (commit, lock, queries, judge) =>
        observed((noted) =>
          store.countersUnit(commit, lock, queries, (found, at) => noted(judge(found, at))),
        ),
      ownerUnit: (commit, ownerId, queries, judge) =>
        observed((noted) =>
          store.ownerUnit(commit, ownerId, queries, (found, at) => noted(judge(found, at))),
        ),
    },
    onCommit(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
