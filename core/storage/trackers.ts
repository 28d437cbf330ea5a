import type { AnyChange, FactsOf, Judged, StoredTracker, TrackersFacts } from '../ports/store.ts';
import type {
  LinkContent,
  Tracker,
  TrackerFields,
  TrackerLink,
  TrackerStorage,
} from '../ports/tracker-storage.ts';
import type { WatchStorage } from '../ports/watch-storage.ts';

type Request<Verb extends 'createTracker' | 'setTrackerStatus' | 'linkToTracker'> = Parameters<
  TrackerStorage[Verb]
>[0];

const NO_SUMMARY = { text: '', nextAction: '', importance: 'normal', sourceCount: 0 } as const;

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
    summary: NO_SUMMARY,
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

/** Changes the fields that the owner saw. Saving what is already there wins too. */
export function editTracker(
  { trackers: [stored] }: TrackersFacts,
  { was, fields }: Parameters<TrackerStorage['editTracker']>[0],
): Judged<{ readonly won: boolean } | undefined> {
  if (stored === undefined) return { answer: undefined, changes: [] };
  if (hasFields(stored.tracker, fields)) return { answer: { won: true }, changes: [] };
  if (!hasFields(stored.tracker, was)) return { answer: { won: false }, changes: [] };
  const { title, keywords, dueOn } = fields;
  const tracker = { ...stored.tracker, title, keywords, dueOn };
  return { answer: { won: true }, changes: [{ type: 'save_tracker', stored: { ...stored, tracker } }] };
}

function hasFields(tracker: Tracker, { title, keywords, dueOn }: TrackerFields): boolean {
  return tracker.title === title && tracker.keywords === keywords && tracker.dueOn === dueOn;
}

/** Removes a link. What its message added to the summary goes with it. */
export function unlinkFromTracker(
  { stored, link, otherMessageLinkId }: FactsOf<'trackerLink'>,
  { createdAt }: Parameters<TrackerStorage['unlinkFromTracker']>[0],
): Judged<boolean> {
  const isSame = link?.createdAt.getTime() === createdAt.getTime();
  if (stored === undefined || link === undefined || !isSame) return { answer: false, changes: [] };
  const { ownerId } = stored.tracker;
  const removed = { type: 'remove_link', ownerId, linkId: link.linkId } as const;
  if (link.content.kind !== 'mail') return { answer: true, changes: [removed] };
  const tracker = { ...stored.tracker, summary: NO_SUMMARY };
  const after = { tracker, lastMessageLinkId: otherMessageLinkId, summarisedLinkId: 0 };
  return { answer: true, changes: [removed, { type: 'save_tracker', stored: after }] };
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
): { readonly added: AnyChange; readonly tracker: AnyChange[]; readonly stored: StoredTracker } {
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

/** Stores a summary, unless it covers less than the stored one, or a link that is gone. */
export function saveSummary(
  { trackers: [stored] }: TrackersFacts,
  { summary, upTo }: Parameters<WatchStorage['saveSummary']>[0],
): Judged<void> {
  const isStale = stored === undefined || stored.summarisedLinkId >= upTo || stored.lastMessageLinkId < upTo;
  if (isStale) return { answer: undefined, changes: [] };
  const after = { ...stored, tracker: { ...stored.tracker, summary }, summarisedLinkId: upTo };
  return { answer: undefined, changes: [{ type: 'save_tracker', stored: after }] };
}
