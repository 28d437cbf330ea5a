import type { EventKey } from '../calendar/event.ts';
import type { Change, FactsOf, Judged, NumberedKey, StoredTracker, TrackersFacts } from '../ports/store.ts';
import type { LinkContent, Tracker, TrackerLink, TrackerStorage } from '../ports/tracker-storage.ts';
import type { WatchStorage } from '../ports/watch-storage.ts';

type Request<Verb extends 'createTracker' | 'setTrackerStatus' | 'linkToTracker'> = Parameters<
  TrackerStorage[Verb]
>[0];

/** Creates a tracker. A repeated request returns the existing tracker. */
export function createTracker(
  { existing, lastTrackerId }: FactsOf<'newTracker'>,
  { ownerId, requestId, title, keywords, dueOn, addedByAgent, now }: Request<'createTracker'>,
): Judged<Tracker> {
  if (existing !== undefined) return { answer: existing, changes: [] };
  const tracker: Tracker = {
    ownerId,
    trackerId: lastTrackerId + 1,
    title,
    keywords,
    dueOn,
    status: 'open',
    addedByAgent,
    createdAt: now,
    resolvedAt: null,
    lastAutoLinkAt: null,
    summary: { text: '', nextAction: '', importance: 'normal', sourceCount: 0 },
  };
  return { answer: tracker, changes: [{ type: 'add_tracker', tracker, requestId }] };
}

/** Sets a tracker's status. Entering `resolved` sets `resolvedAt`; leaving it clears it. */
export function setTrackerStatus(
  { trackers: [stored] }: TrackersFacts,
  { status, now }: Request<'setTrackerStatus'>,
): Judged<Tracker | undefined> {
  if (stored === undefined) return { answer: undefined, changes: [] };
  const resolvedAt = status === 'resolved' ? (stored.tracker.resolvedAt ?? now) : null;
  const tracker = { ...stored.tracker, status, resolvedAt };
  return { answer: tracker, changes: [{ type: 'save_tracker', stored: { ...stored, tracker } }] };
}

/** Links to a tracker once per target. A repeat returns the existing link. */
export function linkToTracker(
  facts: TrackersFacts,
  { target, addedBy, content, now }: Request<'linkToTracker'>,
): Judged<TrackerLink | undefined> {
  const [stored] = facts.trackers;
  const isOver = addedBy === 'auto' && stored?.tracker.status === 'resolved';
  if (stored === undefined || isOver) return { answer: undefined, changes: [] };
  const there = facts.links.find((one) => one.target === target);
  if (there !== undefined) return { answer: there.link, changes: [] };
  const link = { linkId: facts.lastLinkId + 1, addedBy, createdAt: now, content };
  const { added, tracker } = addLink(stored, target, link);
  return { answer: link, changes: [added, ...tracker] };
}

/** Adds a link. A message makes the tracker's summary due. */
export function addLink(
  stored: StoredTracker,
  target: string,
  link: TrackerLink & { readonly content: LinkContent },
): { readonly added: Change; readonly tracker: Change[]; readonly stored: StoredTracker } {
  const { ownerId, trackerId } = stored.tracker;
  const added = { type: 'add_link', ownerId, trackerId, target, link } as const;
  if (link.content.kind !== 'mail') return { added, tracker: [], stored };
  const isAuto = link.addedBy === 'auto';
  const after = {
    ...stored,
    tracker: isAuto ? { ...stored.tracker, lastAutoLinkAt: link.createdAt } : stored.tracker,
    lastMessageLinkId: link.linkId,
  };
  return { added, tracker: [{ type: 'save_tracker', stored: after }], stored: after };
}

/** Stores a summary, unless it covers less than the stored one. */
export function saveSummary(
  { trackers: [stored] }: TrackersFacts,
  { summary, upTo }: Parameters<WatchStorage['saveSummary']>[0],
): Judged<void> {
  if (stored === undefined || stored.summarisedLinkId >= upTo) return { answer: undefined, changes: [] };
  const after = { ...stored, tracker: { ...stored.tracker, summary }, summarisedLinkId: upTo };
  return { answer: undefined, changes: [{ type: 'save_tracker', stored: after }] };
}

/** Numbers an event at its first appearance, with the owner's next number. */
export function eventNumbers(
  { known, lastEventId }: FactsOf<'eventNumbers'>,
  ownerId: string,
  accountId: number,
  events: readonly EventKey[],
): Judged<readonly number[]> {
  const numbers = new Map(known.map(({ eventId, event }) => [nameOf(event), eventId]));
  const added: NumberedKey[] = [];
  const answer = events.map((event) => {
    const name = nameOf(event);
    const number = numbers.get(name) ?? lastEventId + added.length + 1;
    if (!numbers.has(name)) added.push({ eventId: number, event });
    numbers.set(name, number);
    return number;
  });
  return {
    answer,
    changes: added.map((numbered) => ({ type: 'add_event_number', ownerId, accountId, numbered })),
  };
}

function nameOf({ calendar, uid, recurrenceId }: EventKey): string {
  return JSON.stringify([calendar, uid, recurrenceId]);
}
