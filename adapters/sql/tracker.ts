import type { StoredTracker } from '../../core/ports/store.ts';
import type { LinkContent, LinkedMessage, Tracker, TrackerLink } from '../../core/ports/tracker-storage.ts';
import { flag, instant, instantOrNull, integer, oneOf, type Row, text, textOrNull } from './row.ts';

export function readTracker(row: Row): Tracker {
  return {
    ownerId: text(row, 'owner_id'),
    trackerId: integer(row, 'tracker_id'),
    title: text(row, 'title'),
    keywords: text(row, 'keywords'),
    dueOn: textOrNull(row, 'due_on'),
    status: oneOf(row, 'status', ['open', 'waiting', 'resolved']),
    addedByAgent: flag(row, 'added_by_agent'),
    createdAt: instant(row, 'created_at_ms'),
    resolvedAt: instantOrNull(row, 'resolved_at_ms'),
    lastAutoLinkAt: instantOrNull(row, 'last_auto_link_at_ms'),
    summary: {
      text: text(row, 'summary'),
      nextAction: text(row, 'next_action'),
      importance: oneOf(row, 'importance', ['low', 'normal', 'important']),
      sourceCount: integer(row, 'summary_source_count'),
    },
  };
}

export function readStoredTracker(row: Row): StoredTracker {
  return {
    tracker: readTracker(row),
    lastMessageLinkId: integer(row, 'last_message_link_id'),
    summarisedLinkId: integer(row, 'summarised_link_id'),
  };
}

export function readLink(row: Row): TrackerLink {
  return {
    linkId: integer(row, 'link_id'),
    addedBy: oneOf(row, 'added_by', ['agent', 'auto', 'owner']),
    createdAt: instant(row, 'created_at_ms'),
    content: readContent(row),
  };
}

function readContent(row: Row): LinkContent {
  const kind = oneOf(row, 'kind', ['mail', 'event', 'note']);
  switch (kind) {
    case 'note':
      return { kind, note: text(row, 'note') };
    case 'event':
      return {
        kind,
        eventId: integer(row, 'event_id'),
        title: text(row, 'subject'),
        start: instant(row, 'start_ms'),
      };
    case 'mail':
      return { kind, message: readMessage(row) };
  }
}

export function readMessage(row: Row): LinkedMessage {
  return {
    accountId: integer(row, 'account_id'),
    place: { path: text(row, 'path'), uidValidity: text(row, 'uid_validity'), uid: integer(row, 'uid') },
    stableId: textOrNull(row, 'stable_id'),
    fingerprint: text(row, 'fingerprint'),
    from: text(row, 'sender'),
    subject: text(row, 'subject'),
    date: text(row, 'dated'),
    internalDate: instant(row, 'internal_date_ms'),
    sizeBytes: integer(row, 'size_bytes'),
    excerpt: text(row, 'excerpt'),
  };
}
