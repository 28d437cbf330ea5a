import { EVENT_COLUMNS, type eventCommands, type eventStatements } from '../../core/events/event-state.ts';
import { columnList, type Dialect, type Texts } from './dialect.ts';

/** How many events get their positions per transaction. */
const NUMBERED_AT_ONCE = 1000;

export const EVENT_TEXTS: Texts<typeof eventStatements & typeof eventCommands> = {
  events_after: ({ prefix }) => `
    SELECT ${columnList(EVENT_COLUMNS)} FROM ${prefix}events
    WHERE owner_id = @owner_id AND sequence > @sequence ORDER BY sequence LIMIT @limit`,
  events_of_stream: ({ prefix }) => `
    SELECT owner_id, position, ${columnList(EVENT_COLUMNS)} FROM ${prefix}events
    WHERE type = @type AND position > @position ORDER BY position LIMIT @limit`,
  event_stream: ({ prefix }) => `
    SELECT stream_id, last_position, erased_position,
      EXISTS (SELECT 1 FROM ${prefix}events e WHERE e.type = s.type AND e.position IS NULL) AS has_unnumbered
    FROM ${prefix}event_streams s WHERE type = @type`,
  append_event: ({ name, prefix }) => {
    const counted = `UPDATE ${prefix}owners SET last_event_sequence = last_event_sequence + 1 WHERE owner_id = @owner_id`;
    const inserted = (from: string) => `
      INSERT INTO ${prefix}events (owner_id, sequence, event_id, type, credential_id, created_at_ms, data)
      SELECT owner_id, last_event_sequence, CAST(@event_id AS text), CAST(@type AS text), CAST(@credential_id AS text),
        CAST(@created_at_ms AS bigint), CAST(@data AS text)
      FROM ${from}`;
    return name === 'sqlite'
      ? [counted, inserted('owners WHERE owner_id = @owner_id')]
      : `WITH next AS (${counted} RETURNING owner_id, last_event_sequence) ${inserted('next')}`;
  },
  number_events: (dialect) => (dialect.name === 'sqlite' ? numberInSqlite() : numberInPostgres(dialect)),
};

function numberInSqlite(): readonly string[] {
  return [
    `UPDATE events SET position = (SELECT last_position FROM event_streams WHERE type = @type) + news.place
    FROM (
      SELECT owner_id, sequence, row_number() OVER (ORDER BY owner_id, sequence) AS place
      FROM events WHERE type = @type AND position IS NULL ORDER BY owner_id, sequence LIMIT ${NUMBERED_AT_ONCE}) AS news
    WHERE events.owner_id = news.owner_id AND events.sequence = news.sequence`,
    `UPDATE event_streams SET last_position = max(last_position, coalesce(
      (SELECT max(position) FROM events WHERE type = @type AND position IS NOT NULL), 0))
    WHERE type = @type`,
  ];
}

function numberInPostgres({ prefix }: Dialect): readonly string[] {
  return [
    // Held until the positions are committed, so that no later position is ever visible before an earlier one.
    `SELECT 1 FROM ${prefix}event_streams WHERE type = @type FOR UPDATE`,
    `WITH news AS (
      SELECT owner_id, sequence, row_number() OVER (ORDER BY owner_id, sequence) AS place
      FROM ${prefix}events WHERE type = @type AND position IS NULL
      ORDER BY owner_id, sequence LIMIT ${NUMBERED_AT_ONCE}),
    numbered AS (
      UPDATE ${prefix}events v SET position = s.last_position + news.place
      FROM news, ${prefix}event_streams s
      WHERE s.type = @type AND v.owner_id = news.owner_id AND v.sequence = news.sequence)
    UPDATE ${prefix}event_streams SET last_position = last_position + (SELECT count(*) FROM news)
    WHERE type = @type`,
  ];
}
