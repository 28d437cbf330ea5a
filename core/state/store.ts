import type { RowChange } from './change.ts';
import type { EraseBefore } from './erase-before.ts';
import type { Queries, Query, ResultsOf } from './query.ts';

/**
 * `durable`: survives a loss of power before it resolves. `relaxed`: complete or absent after a crash, but a loss of power
 * may undo the newest units, and several may be committed together.
 */
export type Commit = 'durable' | 'relaxed';

/** The answer of a verb, and the changes to write for it, in this order. */
export interface Verdict<Answer> {
  readonly answer: Answer;
  readonly changes: readonly RowChange[];
}

/** Whose rows a unit may write. */
export type Lock =
  | { readonly ownerId: string }
  /** The owner of this secret of a key. */
  | { readonly secretHash: string }
  /** Rows of nobody: these two numbers in their order, which name no row, then the owner if there is one. */
  | { readonly numbers: readonly [number, number]; readonly ownerId: string | null };

/** The verdict that writes nothing. */
export function unchanged<Answer>(answer: Answer): Verdict<Answer> {
  return { answer, changes: [] };
}

/**
 * What core needs of a database. It contains no rules: core's verbs decide on the rows that it loads, and list the changes
 * that it applies. A call that cannot reach the database throws `ServiceError('temporarily_unavailable')`; it never returns an
 * empty result instead.
 */
export interface StateStore {
  /**
   * Runs one atomic unit: takes the lock, loads the results of `queries`, and applies all changes that `judge` returns, or
   * none. Nobody else writes rows of the same owner in between.
   * @param judge  pure. It may be called again if the transaction has to be repeated
   * @returns the answer of `judge`, once its changes are committed
   */
  unit<Asked extends Queries, Answer>(
    commit: Commit,
    lock: Lock,
    queries: Asked,
    judge: (found: ResultsOf<Asked>, storeNowMs: number) => Verdict<Answer>,
  ): Promise<Answer>;

  /**
   * The same, for work that is due, of several owners: locks those of `owners` that nobody else has, and waits only if there is
   * none. Work of a busy owner is done the next time.
   * @param queries  of the owners that are locked, and of the store's clock since then
   */
  dueUnit<Asked extends Queries, Answer>(
    commit: Commit,
    owners: Query<readonly { readonly ownerId: string }[]>,
    queries: (ownerIds: readonly string[], storeNow: Date) => Asked,
    judge: (found: ResultsOf<Asked>, storeNowMs: number) => Verdict<Answer>,
  ): Promise<Answer>;

  /** Applies changes of one owner that need no facts, as one atomic, relaxed unit. */
  apply(ownerId: string, changes: readonly RowChange[]): Promise<void>;

  /**
   * Runs changes that lock what they need themselves, as one durable unit.
   * @returns how many rows each of them changed
   */
  execute(changes: readonly RowChange[]): Promise<readonly number[]>;

  /** Resolves when other work of the process has had its turn. */
  otherWork(): Promise<void>;

  /**
   * Erases what is older, of each kind at most a few hundred rows per call, so that calls wait milliseconds at most.
   * @returns whether more may be left to erase
   */
  erase(before: EraseBefore): Promise<boolean>;

  close(): Promise<void>;

  /** Loads the results of queries as they are at one moment. Changes nothing. */
  look<Asked extends Queries>(queries: Asked): Promise<ResultsOf<Asked>>;
}
