import { owners } from '../owners/owner-state.ts';
import { flag, instant, integer, listOf, oneOf, text } from '../state/column.ts';
import { select, statements } from '../state/query.ts';
import { type RowOf, table } from '../state/table.ts';

export const trackers = table(
  'trackers',
  {
    ownerId: text(),
    trackerId: integer(),
    /** Of the request that created it. */
    requestId: text(),
    title: text(),
    keywords: text(),
    dueOn: text().orNull(),
    status: oneOf(['open', 'waiting', 'resolved']),
    isResolved: flag(),
    /** New mail may belong to it: it is not resolved, and has keywords. */
    takesMail: flag(),
    addedByAgent: flag(),
    createdAt: instant(),
    resolvedAt: instant().orNull(),
    lastAutoLinkAt: instant().orNull(),
    summary: text(),
    nextAction: text(),
    importance: oneOf(['low', 'normal', 'important']),
    summarySourceCount: integer(),
    /** The newest link of a message. 0: there is none. */
    lastMessageLinkId: integer(),
    /** The newest link that the summary includes. 0: there is none. */
    summarisedLinkId: integer(),
  },
  {
    key: ['ownerId', 'trackerId'],
    unique: [['ownerId', 'requestId']],
    removedWith: owners,
    indexes: {
      trackers_by_state: { on: ['ownerId', 'isResolved', 'trackerId'] },
      trackers_waiting: { on: ['ownerId', 'trackerId'], where: 'takes_mail' },
      trackers_to_summarise: {
        on: ['ownerId', 'trackerId'],
        where: 'last_message_link_id > summarised_link_id',
      },
    },
  },
);
export type TrackerRow = RowOf<typeof trackers>;

export const trackerLinks = table(
  'tracker_links',
  {
    ownerId: text(),
    linkId: integer(),
    trackerId: integer(),
    /** What a tracker has one link of. */
    target: text(),
    addedBy: oneOf(['agent', 'auto', 'owner']),
    createdAt: instant(),
    kind: oneOf(['mail', 'event', 'note']),
    note: text().orNull(),
    eventId: integer().orNull(),
    /** Of a message, or the title of an event. */
    subject: text().orNull(),
    start: instant().orNull(),
    accountId: integer().orNull(),
    path: text().orNull(),
    uidValidity: text().orNull(),
    uid: integer().orNull(),
    stableId: text().orNull(),
    fingerprint: text().orNull(),
    sender: text().orNull(),
    dated: text().orNull(),
    internalDate: instant().orNull(),
    sizeBytes: integer().orNull(),
    excerpt: text().orNull(),
  },
  {
    key: ['ownerId', 'linkId'],
    unique: [['ownerId', 'trackerId', 'target']],
    removedWith: trackers,
    indexes: {
      links_of_tracker: { on: ['ownerId', 'trackerId', 'linkId'] },
      links_of_messages: { on: ['ownerId', 'trackerId', 'linkId'], where: "kind = 'mail'" },
    },
  },
);
export type LinkRow = RowOf<typeof trackerLinks>;

export const trackerByKey = select(trackers, { by: ['ownerId', 'trackerId'] });
export const trackersAmong = select(trackers, { by: ['ownerId'], among: 'trackerId' });
export const trackerOfRequest = select(trackers, { by: ['ownerId', 'requestId'] });
export const linkByKey = select(trackerLinks, { by: ['ownerId', 'linkId'] });
export const linkOfTarget = select(trackerLinks, { by: ['ownerId', 'trackerId', 'target'] });

const { ownerId, trackerId, keywords, createdAt } = trackers.columns;
const { linkId, target } = trackerLinks.columns;

export const trackerStatements = statements({
  /** Newest first, with numbers below `before`. */
  trackers_of_owner: {
    params: { ownerId, isResolved: flag(), before: trackerId, limit: integer() },
    columns: trackers.columns,
  },
  count_trackers: { params: { ownerId, isResolved: flag() }, columns: { total: integer() } },
  /** 0: the owner has none. */
  last_tracker: { params: { ownerId }, columns: { lastId: trackerId } },
  /** Those that new mail may belong to. */
  waiting_trackers: { params: { ownerId }, columns: { trackerId, keywords, createdAt } },
  /** Whose summary lacks messages. One of every owner comes before a second one of any owner. */
  trackers_to_summarise: { params: { limit: integer() }, columns: trackers.columns },
  /** The newest messages of each of those trackers, newest first. */
  messages_to_summarise: {
    params: { messages: integer(), limit: integer() },
    columns: trackerLinks.columns,
  },
  /** Newest first, with numbers up to `upTo`. */
  links_of_tracker: {
    params: { ownerId, trackerId, upTo: linkId, limit: integer() },
    columns: trackerLinks.columns,
  },
  count_links: { params: { ownerId, trackerId }, columns: { total: integer() } },
  /** 0: the owner has none. */
  last_link: { params: { ownerId }, columns: { lastId: linkId } },
  /** The newest link of a message, except this one. 0: there is none. */
  other_message_link: { params: { ownerId, trackerId, linkId }, columns: { lastId: linkId } },
  /** Which of these trackers have a link of which of these targets. */
  linked_targets: {
    params: { ownerId, trackerIdList: listOf(trackerId), targetList: listOf(target) },
    columns: { trackerId, target },
  },
});
