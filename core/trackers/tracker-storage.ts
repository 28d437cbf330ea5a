import type { MessageRow } from '../mail/message-row.ts';
import { insert, type RowChange, remove, update } from '../state/change.ts';
import { all, first, single, unknownValue } from '../state/query.ts';
import { type Commit, type StateStore, unchanged, type Verdict } from '../state/store.ts';
import {
  type LinkRow,
  linkByKey,
  linkOfTarget,
  type TrackerRow,
  trackerByKey,
  trackerLinks,
  trackerOfRequest,
  trackerStatements,
  trackers,
} from './tracker-state.ts';

export type TrackerStatus = 'open' | 'waiting' | 'resolved';

/** What the owner and agents write of a tracker. */
export interface TrackerFields {
  readonly title: string;
  /** Comma-separated. Empty: nothing is linked automatically. */
  readonly keywords: string;
  /** YYYY-MM-DD. */
  readonly dueOn: string | null;
}

export interface Tracker extends TrackerFields {
  readonly ownerId: string;
  /** Counted per owner, from 1. */
  readonly trackerId: number;
  readonly status: TrackerStatus;
  readonly addedByAgent: boolean;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
  /** When the keywords last linked new or sent mail. */
  readonly lastAutoLinkAt: Date | null;
  readonly summary: TrackerSummary;
}

/** A summary of the linked messages, from a summarizer. */
export interface TrackerSummary {
  /** Untrusted text. Empty if no message is linked. */
  readonly text: string;
  /** Untrusted text. Empty if the messages ask for nothing. */
  readonly nextAction: string;
  readonly importance: 'low' | 'normal' | 'important';
  /** Number of messages that it summarizes. */
  readonly sourceCount: number;
}

export interface TrackerLink {
  /** Counted per owner, from 1. */
  readonly linkId: number;
  /** `auto`: linked by the tracker's keywords. */
  readonly addedBy: 'agent' | 'auto' | 'owner';
  readonly createdAt: Date;
  readonly content: LinkContent;
}

export type LinkContent =
  | { readonly kind: 'mail'; readonly message: LinkedMessage }
  | { readonly kind: 'event'; readonly eventId: number; readonly title: string; readonly start: Date }
  | { readonly kind: 'note'; readonly note: string };

/** A message as it was when it was linked. */
export interface LinkedMessage
  extends Pick<
    MessageRow,
    'place' | 'stableId' | 'fingerprint' | 'from' | 'subject' | 'date' | 'internalDate' | 'sizeBytes'
  > {
  readonly accountId: number;
  /** The beginning of its text, for the summary. */
  readonly excerpt: string;
}

export type WaitingTracker = Pick<Tracker, 'trackerId' | 'keywords' | 'createdAt'>;

export interface DueSummary {
  readonly tracker: Tracker;
  /** Newest link first. */
  readonly messages: readonly LinkedMessage[];
  /** The newest link that the summary will include. */
  readonly upTo: number;
}

/** Trackers, their links, and their summaries. */
export type TrackerStorage = ReturnType<typeof trackerStorage>;

export function trackerStorage({ unit, look }: StateStore) {
  return {
    /**
     * Adds an open tracker. The same `requestId` of an owner adds only one tracker: a repeat after a crash returns the
     * existing one.
     */
    createTracker: (request: NewTracker): Promise<Tracker> => {
      const { ownerId, requestId } = request;
      const facts = {
        existing: first(trackerOfRequest, { ownerId, requestId }),
        last: single(trackerStatements.last_tracker, { ownerId }),
      };
      return unit('relaxed', { ownerId }, facts, ({ existing, last }) =>
        existing === undefined ? create(last.lastId + 1, request) : unchanged(trackerIn(existing)),
      );
    },

    /**
     * Trackers of the owner, newest first. `active`: open and waiting.
     * @param query `before`: only trackers with a smaller number
     * @returns `total`: the number of trackers on all pages
     */
    async trackers(query: {
      ownerId: string;
      state: 'active' | 'resolved';
      before: number | undefined;
      limit: number;
    }): Promise<{ readonly trackers: readonly Tracker[]; readonly total: number; readonly more: boolean }> {
      const { ownerId, state, before = Number.MAX_SAFE_INTEGER, limit } = query;
      const of = { ownerId, isResolved: state === 'resolved' };
      // One row beyond the limit shows whether there are more.
      const { found, count } = await look({
        found: all(trackerStatements.trackers_of_owner, { ...of, before, limit: limit + 1 }),
        count: single(trackerStatements.count_trackers, of),
      });
      const more = found.length > limit;
      return { trackers: found.slice(0, limit).map(trackerIn), total: count.total, more };
    },

    /**
     * One tracker with a page of its links, newest first. Undefined: the owner has no such tracker.
     * @param query `upTo`: only links with this number or a smaller one; `limit` may be 0
     * @returns `total`: the number of links on all pages
     */
    async tracker(query: {
      ownerId: string;
      trackerId: number;
      upTo: number | undefined;
      limit: number;
    }): Promise<
      | {
          readonly tracker: Tracker;
          readonly links: readonly TrackerLink[];
          readonly total: number;
          readonly more: boolean;
        }
      | undefined
    > {
      const { ownerId, trackerId, upTo = Number.MAX_SAFE_INTEGER, limit } = query;
      const of = { ownerId, trackerId };
      const { found, links, count } = await look({
        found: first(trackerByKey, of),
        links: all(trackerStatements.links_of_tracker, { ...of, upTo, limit: limit + 1 }),
        count: single(trackerStatements.count_links, of),
      });
      return (
        found && {
          tracker: trackerIn(found),
          links: links.slice(0, limit).map(linkIn),
          total: count.total,
          more: links.length > limit,
        }
      );
    },

    /**
     * Changes the status to any status, even to the same one. Entering `resolved` sets `resolvedAt`; leaving clears it.
     * Undefined: the owner has no such tracker.
     */
    setTrackerStatus: (
      request: TrackerKey & { status: TrackerStatus; now: Date },
    ): Promise<Tracker | undefined> =>
      onTracker('relaxed', request, (tracker) => tracker && setStatus(tracker, request)),

    /**
     * Adds a link. A tracker has one link per `target`: a repeat returns the existing one, unchanged. Linking a message
     * makes the tracker's summary due. Undefined: the owner has no such tracker, or it is resolved and the link is `auto`.
     */
    linkToTracker: (request: NewLink): Promise<TrackerLink | undefined> => {
      const { ownerId, trackerId, target } = request;
      const facts = {
        tracker: first(trackerByKey, { ownerId, trackerId }),
        existing: first(linkOfTarget, { ownerId, trackerId, target }),
        last: single(trackerStatements.last_link, { ownerId }),
      };
      return unit('relaxed', { ownerId }, facts, ({ tracker, existing, last }) => {
        const isOver = request.addedBy === 'auto' && tracker?.status === 'resolved';
        if (tracker === undefined || isOver) return unchanged(undefined);
        return existing === undefined ? addLink(last.lastId + 1, request) : unchanged(linkIn(existing));
      });
    },

    /**
     * Changes the fields, if they are still as in `was`. Undefined: the owner has no such tracker.
     * @returns `won`: whether they are now as in `fields`
     */
    editTracker: (
      request: TrackerKey & { was: TrackerFields; fields: TrackerFields },
    ): Promise<{ readonly won: boolean } | undefined> =>
      onTracker('durable', request, (tracker) => tracker && edit(tracker, request)),

    /**
     * Removes a link. If it is of a message, the summary becomes empty, and is due if other messages are linked.
     * @param link `createdAt`: the number of a removed link may be used again
     * @returns whether the tracker had this link
     */
    unlinkFromTracker: (request: TrackerKey & { linkId: number; createdAt: Date }): Promise<boolean> => {
      const { ownerId, trackerId, linkId, createdAt } = request;
      const facts = {
        link: first(linkByKey, { ownerId, linkId }),
        other: single(trackerStatements.other_message_link, { ownerId, trackerId, linkId }),
      };
      return unit('durable', { ownerId }, facts, ({ link, other }) => {
        const isSame = link?.trackerId === trackerId && link.createdAt.getTime() === createdAt.getTime();
        return isSame ? unlink(link, other.lastId) : unchanged(false);
      });
    },

    /** The active trackers of an owner that have keywords. */
    async waitingTrackers(ownerId: string): Promise<readonly WaitingTracker[]> {
      return (await look({ found: all(trackerStatements.waiting_trackers, { ownerId }) })).found;
    },

    /**
     * Trackers whose summary lacks messages. One of every owner comes before a second one of any owner.
     * @param query  `messages`: the most to return per tracker, newest first
     */
    async summariesDue(query: { messages: number; limit: number }): Promise<readonly DueSummary[]> {
      const { messages, limit } = query;
      const { due, links } = await look({
        due: all(trackerStatements.trackers_to_summarise, { limit }),
        links: all(trackerStatements.messages_to_summarise, { messages, limit }),
      });
      return due.map((row) => {
        const isOf = (link: LinkRow) => link.ownerId === row.ownerId && link.trackerId === row.trackerId;
        return {
          tracker: trackerIn(row),
          messages: links.filter(isOf).map(messageIn),
          upTo: row.lastMessageLinkId,
        };
      });
    },

    /** Saves a summary. It becomes due again once messages are linked after `upTo`. */
    saveSummary: async (request: TrackerKey & { summary: TrackerSummary; upTo: number }): Promise<void> => {
      await onTracker('relaxed', request, (tracker) => tracker && summarise(tracker, request));
    },
  };

  /** Undefined: the owner has no such tracker. */
  function onTracker<Answer>(
    commit: Commit,
    { ownerId, trackerId }: TrackerKey,
    judge: (tracker: TrackerRow | undefined) => Verdict<Answer> | undefined,
  ): Promise<Answer | undefined> {
    const facts = { tracker: first(trackerByKey, { ownerId, trackerId }) };
    return unit(commit, { ownerId }, facts, ({ tracker }) => judge(tracker) ?? unchanged(undefined));
  }
}

interface TrackerKey {
  readonly ownerId: string;
  readonly trackerId: number;
}

interface NewTracker extends TrackerFields {
  readonly ownerId: string;
  readonly requestId: string;
  readonly addedByAgent: boolean;
  readonly now: Date;
}

interface NewLink extends TrackerKey {
  readonly target: string;
  readonly addedBy: TrackerLink['addedBy'];
  readonly content: LinkContent;
  readonly now: Date;
}

const NO_SUMMARY = { text: '', nextAction: '', importance: 'normal', sourceCount: 0 } as const;

function create(
  trackerId: number,
  { ownerId, requestId, title, keywords, dueOn, addedByAgent, now }: NewTracker,
): Verdict<Tracker> {
  const row: TrackerRow = {
    ...{ ownerId, trackerId, requestId, title, keywords, dueOn, addedByAgent },
    status: 'open',
    ...derivedColumns({ status: 'open', keywords }),
    createdAt: now,
    resolvedAt: null,
    lastAutoLinkAt: null,
    ...summaryColumns(NO_SUMMARY),
    lastMessageLinkId: 0,
    summarisedLinkId: 0,
  };
  return { answer: trackerIn(row), changes: [insert(trackers, row)] };
}

function setStatus(
  tracker: TrackerRow,
  { status, now }: { readonly status: TrackerStatus; readonly now: Date },
): Verdict<Tracker> {
  const values = {
    status,
    ...derivedColumns({ status, keywords: tracker.keywords }),
    resolvedAt: status === 'resolved' ? (tracker.resolvedAt ?? now) : null,
  };
  return { answer: trackerIn({ ...tracker, ...values }), changes: [updated(tracker, values)] };
}

/** Changes the fields that the owner saw. Saving what is already there wins too. */
function edit(
  tracker: TrackerRow,
  { was, fields }: { readonly was: TrackerFields; readonly fields: TrackerFields },
): Verdict<{ readonly won: boolean }> {
  if (hasFields(tracker, fields)) return unchanged({ won: true });
  if (!hasFields(tracker, was)) return unchanged({ won: false });
  const { title, keywords, dueOn } = fields;
  const values = { title, keywords, dueOn, ...derivedColumns({ status: tracker.status, keywords }) };
  return { answer: { won: true }, changes: [updated(tracker, values)] };
}

/** What look-ups need to know of a tracker. */
function derivedColumns({ status, keywords }: Pick<TrackerRow, 'status' | 'keywords'>) {
  const isResolved = status === 'resolved';
  return { isResolved, takesMail: !isResolved && keywords !== '' };
}

function hasFields(tracker: TrackerRow, { title, keywords, dueOn }: TrackerFields): boolean {
  return tracker.title === title && tracker.keywords === keywords && tracker.dueOn === dueOn;
}

function addLink(
  linkId: number,
  { ownerId, trackerId, target, addedBy, content, now }: NewLink,
): Verdict<TrackerLink> {
  const link = { linkId, addedBy, createdAt: now, content };
  const added = addedLink({ ownerId, trackerId }, target, link);
  const isMessage = content.kind === 'mail';
  return {
    answer: link,
    changes: isMessage ? [added, withNewMessage({ ownerId, trackerId }, link)] : [added],
  };
}

export function addedLink(
  { ownerId, trackerId }: TrackerKey,
  target: string,
  { linkId, addedBy, createdAt, content }: TrackerLink,
): RowChange {
  const of = { ownerId, linkId, trackerId, target, addedBy, createdAt };
  return insert(trackerLinks, { ...of, ...NO_CONTENT, ...contentColumns(content) });
}

/** A tracker with a link of a message, its newest one: its summary is due. */
export function withNewMessage(
  tracker: TrackerKey,
  { linkId, addedBy, createdAt }: Pick<TrackerLink, 'linkId' | 'addedBy' | 'createdAt'>,
): RowChange {
  const linked = addedBy === 'auto' ? { lastAutoLinkAt: createdAt } : {};
  return updated(tracker, { ...linked, lastMessageLinkId: linkId });
}

/** Removes a link. What its message added to the summary goes with it. @param otherLinkId  the newest of another message */
function unlink(link: LinkRow, otherLinkId: number): Verdict<boolean> {
  const { ownerId, linkId } = link;
  const removed = remove(trackerLinks, { ownerId, linkId });
  if (link.kind !== 'mail') return { answer: true, changes: [removed] };
  const values = {
    ...summaryColumns(NO_SUMMARY),
    lastMessageLinkId: otherLinkId,
    summarisedLinkId: 0,
  };
  return { answer: true, changes: [removed, updated(link, values)] };
}

/** Saves a summary, unless it covers less than the stored one, or a link that is gone. */
function summarise(
  tracker: TrackerRow,
  { summary, upTo }: { readonly summary: TrackerSummary; readonly upTo: number },
): Verdict<undefined> {
  if (tracker.summarisedLinkId >= upTo || tracker.lastMessageLinkId < upTo) return unchanged(undefined);
  const values = { ...summaryColumns(summary), summarisedLinkId: upTo };
  return { answer: undefined, changes: [updated(tracker, values)] };
}

function updated({ ownerId, trackerId }: TrackerKey, values: Partial<TrackerRow>): RowChange {
  return update(trackers, { ownerId, trackerId }, values);
}

function trackerIn({
  requestId: _request,
  isResolved: _resolved,
  takesMail: _takes,
  lastMessageLinkId: _last,
  summarisedLinkId: _summarised,
  summary,
  nextAction,
  importance,
  summarySourceCount,
  ...tracker
}: TrackerRow): Tracker {
  return {
    ...tracker,
    summary: { text: summary, nextAction, importance, sourceCount: summarySourceCount },
  };
}

function summaryColumns({ text, nextAction, importance, sourceCount }: TrackerSummary) {
  return { summary: text, nextAction, importance, summarySourceCount: sourceCount };
}

function linkIn(row: LinkRow): TrackerLink {
  const { linkId, addedBy, createdAt } = row;
  return { linkId, addedBy, createdAt, content: contentIn(row) };
}

function contentIn(row: LinkRow): LinkContent {
  const { kind } = row;
  switch (kind) {
    case 'note':
      return { kind, note: stated(row, 'note') };
    case 'event':
      return {
        kind,
        eventId: stated(row, 'eventId'),
        title: stated(row, 'subject'),
        start: stated(row, 'start'),
      };
    case 'mail':
      return { kind, message: messageIn(row) };
  }
}

function messageIn(row: LinkRow): LinkedMessage {
  const place = {
    path: stated(row, 'path'),
    uidValidity: stated(row, 'uidValidity'),
    uid: stated(row, 'uid'),
  };
  return {
    accountId: stated(row, 'accountId'),
    place,
    stableId: row.stableId,
    fingerprint: stated(row, 'fingerprint'),
    from: stated(row, 'sender'),
    subject: stated(row, 'subject'),
    date: stated(row, 'dated'),
    internalDate: stated(row, 'internalDate'),
    sizeBytes: stated(row, 'sizeBytes'),
    excerpt: stated(row, 'excerpt'),
  };
}

/** The value of a column that links of this kind have. */
function stated<Property extends keyof LinkRow>(
  row: LinkRow,
  property: Property,
): NonNullable<LinkRow[Property]> {
  return row[property] ?? unknown(property);
}

function unknown(property: string): never {
  throw unknownValue(property);
}

const NO_CONTENT = {
  ...{
    note: null,
    eventId: null,
    subject: null,
    start: null,
    accountId: null,
    path: null,
    uidValidity: null,
  },
  ...{ uid: null, stableId: null, fingerprint: null, sender: null, dated: null, internalDate: null },
  ...{ sizeBytes: null, excerpt: null },
} as const;

function contentColumns(content: LinkContent): Pick<LinkRow, 'kind'> & Partial<LinkRow> {
  switch (content.kind) {
    case 'note':
      return content;
    case 'event': {
      const { kind, eventId, title, start } = content;
      return { kind, eventId, subject: title, start };
    }
    case 'mail': {
      const { place, from, date, accountId, stableId, fingerprint, ...said } = content.message;
      const { subject, internalDate, sizeBytes, excerpt } = said;
      return {
        ...{
          kind: content.kind,
          accountId,
          stableId,
          fingerprint,
          subject,
          internalDate,
          sizeBytes,
          excerpt,
        },
        ...{ path: place.path, uidValidity: place.uidValidity, uid: place.uid },
        ...{ sender: from, dated: date },
      };
    }
  }
}
