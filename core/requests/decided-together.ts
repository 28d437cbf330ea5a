import type { Group } from '../keys/permissions.ts';
import type { NamedFinding } from '../safety/finding.ts';

/** Moves, labels, flags and changes of trackers. Sends, replies and events are decided one by one. */
const GROUPS: ReadonlySet<Group> = new Set<Group>([
  'mail:manage',
  'mail:organize',
  'trackers:write',
  'trackers:remove',
]);

/** How many requests the owner can decide in one go. Each is a field of a form, which has at most 100. */
export const TOGETHER_MAX = 50;

/**
 * Whether the owner may decide the request together with others. A request with a finding that is more than a note is
 * decided by itself. Pure.
 */
export function mayBeDecidedTogether(
  { group }: { readonly group: Group },
  findings: readonly Pick<NamedFinding, 'severity'>[],
): boolean {
  return GROUPS.has(group) && findings.every(({ severity }) => severity === 'info');
}
