import * as z from 'zod';
import { flag, instant, integer, json, oneOf, text } from '../state/column.ts';
import { commands, statements } from '../state/query.ts';
import { type RowOf, table } from '../state/table.ts';
import { EVENT_TYPES, SUBSCRIBED_TYPES } from './webhook-event.ts';

const data = z.record(z.string(), z.unknown());

export const events = table(
  'events',
  {
    ownerId: text(),
    /** Counted per owner, from 1. */
    sequence: integer(),
    /** `evt_` and 22 characters. */
    eventId: text(),
    type: oneOf(EVENT_TYPES),
    /** The key whose endpoints receive it. '': the endpoints of every key of the owner. */
    credentialId: text(),
    createdAt: instant(),
    data: json((value) => data.parse(value)),
    /** In the stream of its type. NULL: no listener has needed it yet. */
    position: integer().orNull(),
  },
  {
    key: ['ownerId', 'sequence'],
    indexes: {
      events_by_time: { on: ['createdAt'] },
      events_unnumbered: { on: ['type', 'ownerId', 'sequence'], where: 'position IS NULL' },
      events_by_position: { on: ['type', 'position'], where: 'position IS NOT NULL', isUnique: true },
    },
  },
);
export type EventRow = Omit<RowOf<typeof events>, 'ownerId' | 'position'>;

/** The order in which listeners get the events of all owners. */
export const eventStreams = table(
  'event_streams',
  {
    type: oneOf(SUBSCRIBED_TYPES),
    streamId: text(),
    lastPosition: integer(),
    erasedPosition: integer(),
  },
  { key: ['type'] },
);

const { position, ownerId, ...content } = events.columns;

/** What a reader of events needs. */
export const EVENT_COLUMNS = content;

export const eventStatements = statements({
  /** An owner's events behind a sequence number, oldest first. */
  events_after: { params: { ownerId, sequence: integer(), limit: integer() }, columns: EVENT_COLUMNS },
  /** Events with a position behind this one, oldest first. */
  events_of_stream: {
    params: { type: text(), position: integer(), limit: integer() },
    columns: { ...EVENT_COLUMNS, ownerId, position: integer() },
  },
  event_stream: {
    params: { type: text() },
    columns: {
      streamId: text(),
      lastPosition: integer(),
      erasedPosition: integer(),
      /** Whether events wait for a position. */
      hasUnnumbered: flag(),
    },
  },
});

const { type, eventId, credentialId, createdAt } = events.columns;

export const eventCommands = commands({
  /** Inserts the event with the owner's next sequence number. */
  append_event: { ownerId, eventId, type, credentialId, createdAt, data: events.columns.data },
  /** Gives the next positions to events that have none, in the order of owners and sequence numbers. */
  number_events: { type },
});
