import { createHash } from 'node:crypto';
import type { ApprovalSummary } from '../../../core/requests/approval-views.ts';
import { mayBeDecidedTogether } from '../../../core/requests/decided-together.ts';
import type { Severity } from '../../../core/safety/finding.ts';

type Several = readonly [ApprovalSummary, ...ApprovalSummary[]];

/** An item of the list of requests that wait. */
export type ListItem =
  | { readonly kind: 'one'; readonly summary: ApprovalSummary }
  /** At least two of the same kind and key, without findings: the owner can decide them together. */
  | { readonly kind: 'together'; readonly id: string; readonly summaries: Several }
  /** At least two replies of one key in one conversation. */
  | { readonly kind: 'thread'; readonly summaries: Several };

/**
 * Arranges the requests that wait: the riskiest first, then the soonest to expire. An item of several stands where its
 * first request would. Pure.
 */
export function arrangedRequests(waiting: readonly ApprovalSummary[]): ListItem[] {
  const groups = new Map<string, [ApprovalSummary, ...ApprovalSummary[]]>();
  for (const summary of waiting.toSorted(byRisk)) {
    const group = groups.get(groupKey(summary));
    if (group === undefined) groups.set(groupKey(summary), [summary]);
    else group.push(summary);
  }
  return [...groups.values()].map((summaries): ListItem => {
    const [summary] = summaries;
    if (summaries.length === 1) return { kind: 'one', summary };
    const id = togetherId(summary);
    return id === undefined ? { kind: 'thread', summaries } : { kind: 'together', id, summaries };
  });
}

/** The requests that the owner can decide together under this id, in the order of the list. */
export function requestsTogether(waiting: readonly ApprovalSummary[], id: string): ApprovalSummary[] {
  return waiting.toSorted(byRisk).filter((summary) => togetherId(summary) === id);
}

/**
 * The name of the requests that can be decided together with this one: of the same key, tool and destination. Undefined
 * if it is decided by itself.
 */
export function togetherId({ approval, gist, findings }: ApprovalSummary): string | undefined {
  if (gist.kind !== 'targets' && gist.kind !== 'tracker') return undefined;
  if (!mayBeDecidedTogether(approval, findings)) return undefined;
  const to = gist.kind === 'targets' ? gist.into : gist.status;
  const name = JSON.stringify([approval.credentialId, approval.tool, gist.kind, to ?? null]);
  return createHash('sha256').update(name).digest('base64url').slice(0, 16);
}

/**
 * The item that opens after a decision: the one that followed the decided request, or else the first. Undefined:
 * nothing waits.
 */
export function nextItem(
  items: readonly ListItem[],
  decided: ApprovalSummary | undefined,
): ListItem | undefined {
  const behind = decided && items.find((item) => byRisk(firstOf(item), decided) > 0);
  return behind ?? items[0];
}

/** The page of an item. */
export function pathOf(item: ListItem): string {
  return item.kind === 'together'
    ? `/approvals/together/${item.id}`
    : `/approvals/${firstOf(item).approval.id}`;
}

function firstOf(item: ListItem): ApprovalSummary {
  return item.kind === 'one' ? item.summary : item.summaries[0];
}

/** The same for all requests of one item. */
function groupKey(summary: ApprovalSummary): string {
  const { approval, gist } = summary;
  const together = togetherId(summary);
  if (together !== undefined) return `together ${together}`;
  if (gist.kind !== 'message' || gist.thread === undefined) return `one ${approval.id}`;
  return `thread ${JSON.stringify([approval.credentialId, approval.accountId, gist.thread])}`;
}

const RANKS: Record<Severity, number> = { red: 0, amber: 1, info: 2 };

function rank({ findings }: ApprovalSummary): number {
  return findings.reduce((highest, { severity }) => Math.min(highest, RANKS[severity]), RANKS.info);
}

function byRisk(one: ApprovalSummary, other: ApprovalSummary): number {
  return (
    rank(one) - rank(other) ||
    one.approval.expiresAt.getTime() - other.approval.expiresAt.getTime() ||
    (one.approval.id < other.approval.id ? -1 : 1)
  );
}
