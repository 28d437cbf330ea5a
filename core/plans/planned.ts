import type { Action, LightAction } from '../actions/action.ts';
import type { ActionGist } from '../actions/gist.ts';
import type { StoredAction } from '../actions/stored-action.ts';
import type { Result } from '../contract/result.ts';
import type { NamedText } from '../provenance/taken-values.ts';
import type { Finding } from '../safety/finding.ts';

/** The plan of a write tool: the action to run, and what the gate needs to know about it. */
export interface Planned<R = Result> {
  readonly action: Action<StoredAction, R>;
  readonly findings: readonly Finding[];
  /** What the agent wrote, and what it passes on. Absent: nothing that others read. */
  readonly texts?: readonly NamedText[];
  /** The senders of the message that a reply answers, normalised. */
  readonly answered?: readonly string[];
  /** What the owner's list shows of it. */
  readonly gist: ActionGist;
  /** The arguments after resolving. Two requests with the same tool and the same arguments are the same request. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The names of what it changes, as `targetName` returns them. */
  readonly targets: readonly string[];
}

/** @typeParam D the tool's result if it runs immediately */
export interface LightPlanned<R = Result, D = Result> extends Planned<R> {
  readonly action: LightAction<StoredAction, R, D>;
}

/** A plan with the agent's own words about why it asks. Null: it gave none. */
export type Purposed<P extends Planned> = P & { readonly purpose: string | null };
