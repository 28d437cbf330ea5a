import { effectiveMode, GROUPS, type Group, type Modes, type Plan } from '../../core/gate/permissions.ts';

/** What a program does in a group, after "it". */
const DOES: Readonly<Record<Group, string>> = {
  'mail:read': 'reads mail',
  'mail:send': 'sends new mail',
  'mail:reply': 'replies to mail',
  'mail:manage': 'moves, labels or deletes mail',
  'mail:organize': 'marks mail as read or flagged',
  'calendar:read': 'reads the calendar',
  'calendar:write': 'changes the calendar',
  'trackers:read': 'reads trackers',
  'trackers:write': 'changes trackers',
  'trackers:remove': 'resolves trackers',
};

/**
 * What a key with these modes does, in a sentence or two: what it does on its own, and before what it asks. Modes that the
 * plan holds back count as the plan says.
 */
export function modesInWords(modes: Modes, plan: Plan): string {
  const inMode = (...wanted: readonly string[]) =>
    GROUPS.filter((group) => wanted.includes(effectiveMode(group, modes[group], plan))).map(
      (group) => DOES[group],
    );
  const free = inMode('on', 'direct');
  const asks = inMode('approval');
  if (free.length + asks.length === 0) return 'It may do nothing.';
  const sentences = [
    ...(free.length === 0 ? [] : [`On its own, it ${listed(free, 'and')}.`]),
    ...(asks.length === 0 ? [] : [`It asks you before it ${listed(asks, 'or')}.`]),
  ];
  return sentences.join(' ');
}

function listed(parts: readonly string[], word: 'and' | 'or'): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} ${word} ${last}`;
}
