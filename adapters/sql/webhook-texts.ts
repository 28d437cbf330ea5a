import { WAIT_MAX_MS } from '../../core/events/delivery.ts';
import { EVENT_COLUMNS } from '../../core/events/event-state.ts';
import { deliveries, type webhookStatements } from '../../core/events/webhook-state.ts';
import { credentials } from '../../core/keys/key-state.ts';
import { columnList, type Dialect, type Texts } from './dialect.ts';

const { ownerId: _owner, ...OF_DELIVERY } = deliveries.columns;
const { sequence: _sequence, ...OF_EVENT } = EVENT_COLUMNS;
const DELIVERY = columnList(OF_DELIVERY, 'd');
const WITH_EVENT = `${DELIVERY}, ${columnList(OF_EVENT, 'v')}`;

interface Range {
  readonly after: string;
  readonly upTo: string;
}

/** In which ranges of `ready_ms` a delivery can be due, as `deliveryAfter` judges it. In the second, the clock was set back. */
const rangesOf = ({ storeNow }: Dialect): readonly Range[] => [
  { after: '-1', upTo: storeNow },
  { after: `${storeNow} + ${WAIT_MAX_MS}`, upTo: '9000000000000000000' },
];

/** A condition on a waiting delivery of the endpoint `e`. */
const isWaiting = (dialect: Dialect, { after, upTo }: Range) => {
  const { storeNow } = dialect;
  const latest = `${storeNow} + ${WAIT_MAX_MS}`;
  return `d.owner_id = e.owner_id AND d.endpoint_id = e.endpoint_id AND d.state = 'waiting'
      AND d.ready_ms > ${after} AND d.ready_ms <= ${upTo}
      AND (d.lease_until_ms <= ${storeNow} OR d.lease_until_ms > ${latest})
      AND (d.due_ms <= ${storeNow} OR d.due_ms > ${latest})`;
};

const waitingIn = (dialect: Dialect, range: Range) => `
  FROM ${dialect.prefix}deliveries d${dialect.by('deliveries_waiting')} WHERE ${isWaiting(dialect, range)}`;

export const WEBHOOK_TEXTS: Texts<typeof webhookStatements> = {
  keys_of_endpoints: ({ prefix }) => `
    SELECT ${columnList(credentials.columns)} FROM ${prefix}credentials WHERE owner_id = @owner_id
      AND (credential_id = @credential_id
        OR credential_id IN (SELECT credential_id FROM ${prefix}endpoints WHERE owner_id = @owner_id))`,
  events_behind: ({ prefix }) => `
    SELECT ${columnList(EVENT_COLUMNS)} FROM ${prefix}events WHERE owner_id = @owner_id
      AND sequence > (SELECT min(position) FROM ${prefix}endpoints WHERE owner_id = @owner_id AND disabled IS NULL)
    ORDER BY sequence LIMIT @limit`,
  due_deliveries: (dialect) => (dialect.name === 'sqlite' ? dueInSqlite(dialect) : dueInPostgres(dialect)),
  deliveries_by_event: ({ name, prefix }) =>
    name === 'sqlite'
      ? `SELECT ${DELIVERY} FROM json_each(@names) n
    CROSS JOIN deliveries d ON d.owner_id = @owner_id AND d.endpoint_id = n.value ->> 0 AND d.sequence = n.value ->> 1`
      : `SELECT ${DELIVERY} FROM json_array_elements(CAST(@names AS text)::json) n
    CROSS JOIN LATERAL (
      SELECT * FROM ${prefix}deliveries
      WHERE owner_id = @owner_id AND endpoint_id = (n ->> 0)::bigint AND sequence = (n ->> 1)::bigint LIMIT 1) d`,
  deliveries_of_endpoint: ({ prefix }) => `
    SELECT ${WITH_EVENT} FROM ${prefix}deliveries d
    JOIN ${prefix}events v ON v.owner_id = d.owner_id AND v.sequence = d.sequence
    WHERE d.owner_id = @owner_id AND d.endpoint_id = @endpoint_id AND d.sequence < @before
    ORDER BY d.sequence DESC LIMIT @limit`,
  owners_with_deliveries: (dialect) => `
    SELECT owner_id FROM (
      SELECT DISTINCT e.owner_id FROM ${dialect.prefix}endpoints e JOIN ${dialect.prefix}owners o ON o.owner_id = e.owner_id
      WHERE (e.disabled IS NULL AND e.position < o.last_event_sequence)
        OR ${rangesOf(dialect)
          .map((range) => `EXISTS (SELECT 1 ${waitingIn(dialect, range)})`)
          .join(' OR ')}) AS waiting
    ORDER BY owner_id <= @after, owner_id LIMIT @limit`,
};

/**
 * The first @limit waiting deliveries of each endpoint in each range, and others that are ready in the same millisecond as
 * the last of them. Looks up that millisecond first: a subquery with IN would cost ten times as much. CROSS JOIN: in this order.
 * Otherwise SQLite reads every delivery of the owner.
 */
function dueInSqlite(dialect: Dialect): string {
  const firsts = rangesOf(dialect).map(({ after, upTo }) => {
    const last = `coalesce((
      SELECT d.ready_ms ${waitingIn(dialect, { after, upTo })}
      ORDER BY d.ready_ms LIMIT 1 OFFSET @limit - 1), ${upTo})`;
    return `
    SELECT ${WITH_EVENT} FROM endpoints e
    CROSS JOIN deliveries d INDEXED BY deliveries_waiting ON ${isWaiting(dialect, { after, upTo: last })}
    CROSS JOIN events v ON v.owner_id = d.owner_id AND v.sequence = d.sequence
    WHERE e.owner_id = @owner_id AND @limit > 0`;
  });
  return `${firsts.join(' UNION ALL ')} ORDER BY due_ms, d.sequence`;
}

function dueInPostgres(dialect: Dialect): string {
  const { prefix } = dialect;
  const firsts = rangesOf(dialect).map(
    (range) => `(SELECT d.* ${waitingIn(dialect, range)} ORDER BY d.ready_ms LIMIT @limit)`,
  );
  return `
    SELECT ${WITH_EVENT} FROM ${prefix}endpoints e
    CROSS JOIN LATERAL (${firsts.join(' UNION ALL ')}) d
    JOIN ${prefix}events v ON v.owner_id = d.owner_id AND v.sequence = d.sequence
    WHERE e.owner_id = @owner_id ORDER BY d.due_ms, d.sequence`;
}
