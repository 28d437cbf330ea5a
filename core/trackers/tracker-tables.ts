import { owners } from '../owners/owner-state.ts';
import { flag, instant, integer, text } from '../state/column.ts';
import { table } from '../state/table.ts';

export const trackers = table(
  'trackers',
  {
    ownerId: text(),
    trackerId: integer(),
    requestId: text(),
    title: text(),
    keywords: text(),
    dueOn: text().orNull(),
    status: text(),
    addedByAgent: flag(),
    createdAt: instant(),
    resolvedAt: instant().orNull(),
    lastAutoLinkAt: instant().orNull(),
    summary: text(),
    nextAction: text(),
    importance: text(),
    summarySourceCount: integer(),
    /** 0: none. */
    lastMessageLinkId: integer(),
    summarisedLinkId: integer(),
  },
  {
    key: ['ownerId', 'trackerId'],
    unique: [['ownerId', 'requestId']],
    removedWith: owners,
    indexes: {
      trackers_by_state: { on: ['ownerId', { expression: "(status = 'resolved')" }, 'trackerId'] },
      trackers_waiting: {
        on: ['ownerId', 'trackerId'],
        where: "status <> 'resolved' AND keywords <> ''",
      },
      trackers_to_summarise: {
        on: ['ownerId', 'trackerId'],
        where: 'last_message_link_id > summarised_link_id',
      },
    },
  },
);

export const trackerLinks = table(
  'tracker_links',
  {
    ownerId: text(),
    linkId: integer(),
    trackerId: integer(),
    /** What a tracker has one link of. */
    target: text(),
    addedBy: text(),
    createdAt: instant(),
    kind: text(),
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
