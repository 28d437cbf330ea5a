import {
  effectiveMode,
  GROUPS,
  type Group,
  type Mode,
  type Modes,
  type Plan,
} from '../../../core/keys/permissions.ts';

/** What a program reads or does in a group, in words that follow "it". */
const READS: ReadonlyMap<Group, string> = new Map([
  ['mail:read', 'mail'],
  ['calendar:read', 'the calendar'],
  ['trackers:read', 'trackers'],
]);
const DOES: ReadonlyMap<Group, string> = new Map([
  ['mail:send', 'sends new mail'],
  ['mail:reply', 'replies to mail'],
  ['mail:manage', 'moves, labels or deletes mail'],
  ['mail:organize', 'marks mail as read or flagged'],
  ['calendar:write', 'changes the calendar'],
  ['trackers:write', 'changes trackers'],
  ['trackers:remove', 'resolves trackers'],
]);

/**
 * What a key with these modes may do, in up to three sentences: what it reads, what it does on its own, and before what it
 * asks. Modes that the plan holds back count as the plan says.
 */
export function modesInWords(modes: Modes, plan: Plan): string {
  const inMode = (mode: Mode, words: ReadonlyMap<Group, string>) =>
    GROUPS.filter((group) => effectiveMode(group, modes[group], plan) === mode).flatMap(
      (group) => words.get(group) ?? [],
    );
  const reads = inMode('on', READS);
  const does = inMode('direct', DOES);
  const asks = inMode('approval', DOES);
  const sentences = [
    ...(reads.length === 0 ? [] : [`It reads ${listed(reads, 'and')}.`]),
    ...(does.length === 0 ? [] : [`On its own, it ${listed(does, 'and')}.`]),
    ...(asks.length === 0 ? [] : [`It asks you before it ${listed(asks, 'or')}.`]),
  ];
  return sentences.length === 0 ? 'It may do nothing.' : sentences.join(' ');
}

function listed(parts: readonly string[], word: 'and' | 'or'): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} ${word} ${last}`;
}
