import type { Change, FactsOf, Judged, StoredTracker } from '../ports/store.ts';
import type { WatchStorage } from '../ports/watch-storage.ts';
import { addLink } from './trackers.ts';

/** Advances the position of an inbox and links the messages found. False: its position is no longer `from`. */
export function watched(
  facts: FactsOf<'inbox'>,
  { ownerId, accountId, from, to, links, now }: Parameters<WatchStorage['watched']>[0],
): Judged<boolean> {
  const { hasAccount, position } = facts;
  const isMoved = position?.uidValidity !== from?.uidValidity || position?.uid !== from?.uid;
  if (!hasAccount || isMoved) return { answer: false, changes: [] };
  const changes: Change[] = [{ type: 'save_position', ownerId, accountId, position: to }];
  const trackers = new Map(facts.trackers.map((stored) => [stored.tracker.trackerId, stored]));
  const linkedTargets = new Set(facts.links.map(({ trackerId, target }) => `${trackerId} ${target}`));
  let linkId = facts.lastLinkId;
  const changed = new Map<number, StoredTracker>();
  for (const { trackerId, target, message } of links) {
    const before = trackers.get(trackerId);
    const name = `${trackerId} ${target}`;
    if (before === undefined || before.tracker.status === 'resolved' || linkedTargets.has(name)) continue;
    linkId += 1;
    const content = { kind: 'mail', message } as const;
    const { added, stored } = addLink(before, target, { linkId, addedBy: 'auto', createdAt: now, content });
    changes.push(added);
    linkedTargets.add(name);
    trackers.set(trackerId, stored);
    changed.set(trackerId, stored);
  }
  for (const stored of changed.values()) changes.push({ type: 'save_tracker', stored });
  return { answer: true, changes };
}

/** Forgets the position of a watched inbox once no tracker of its owner needs it. */
export function forgetUnwatched(inboxes: FactsOf<'unwatched'>): Judged<void> {
  return {
    answer: undefined,
    changes: inboxes.map((inbox) => ({ type: 'forget_position', ...inbox })),
  };
}
