import type { VNode } from 'preact';
import type { ApprovalContent, ShownFinding } from '../../../../core/requests/approval-views.ts';

/** The parts of a request's page that depend on its kind of action. */
export interface ActionParts {
  /** What would happen, to whom or what. */
  readonly sentence: VNode;
  /** The agent's text, and what the owner should see without a further tap. Null: the sentence says it all. */
  readonly body: VNode | null;
  /** Further rows under *Details*. Null: none. */
  readonly facts: VNode | null;
}

export type ShownContent = Extract<ApprovalContent, { kind: 'shown' }>;

/** What all kinds of actions are shown with. */
export interface Showing {
  readonly shown: ShownContent;
  readonly findings: readonly ShownFinding[];
  /** The owner's time zone. */
  readonly zone: string;
}
