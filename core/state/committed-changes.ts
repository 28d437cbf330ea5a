import type { RowChange } from './change.ts';
import type { StateStore, Verdict } from './store.ts';

/** Calls a listener with the changes of each unit of this process, once they are committed. @returns removes it */
export type OnCommit = (listener: CommitListener) => () => void;
type CommitListener = (changes: readonly RowChange[]) => void;

/** A store whose units report what they changed. */
interface ObservedStore {
  readonly store: StateStore;
  readonly onCommit: OnCommit;
}

export function observeCommits(store: StateStore): ObservedStore {
  const listeners = new Set<CommitListener>();

  /** @param unit  passes each verdict through `noted`. It may judge several times: the last verdict counts */
  async function observed<Answer>(
    unit: (noted: <Each extends Verdict<Answer>>(verdict: Each) => Each) => Promise<Answer>,
  ): Promise<Answer> {
    let changes: readonly RowChange[] = [];
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
      unit: (commit, lock, queries, judge) =>
        observed((noted) => store.unit(commit, lock, queries, (found, at) => noted(judge(found, at)))),
      dueUnit: (commit, owners, queries, judge) =>
        observed((noted) => store.dueUnit(commit, owners, queries, (found, at) => noted(judge(found, at)))),
    },
    onCommit(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
