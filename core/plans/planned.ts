import type { Action, LightAction } from '../actions/action.ts';
import type { Gist } from '../actions/gist.ts';
import type { StoredAction } from '../actions/stored-action.ts';
import type { Result } from '../contract/result.ts';
import type { Hold } from '../safety/holds.ts';

/** What a write tool plans: the action that would run, and what the gate must know of it. */
export interface Planned<R = Result> {
  readonly action: Action<StoredAction, R>;
  readonly holds: readonly Hold[];
  /** What the owner's list shows of it. */
  readonly gist: Gist;
  /** What makes two requests the same, besides the tool: the resolved arguments. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Names of what it would change, such as `targetName` gives. */
  readonly targets: readonly string[];
}

/** @typeParam D what it answers when it runs at once */
export interface LightPlanned<R = Result, D = Result> extends Planned<R> {
  readonly action: LightAction<StoredAction, R, D>;
}
