import * as z from 'zod';
import { DELIVERY_STATES } from '../../core/events/delivery.ts';
import { DISABLED_REASONS } from '../../core/events/endpoint-health.ts';
import { EVENT_COLUMNS as EVENTS_COLUMNS, events } from '../../core/events/event-state.ts';
import { type StoredEvent, storedEvent } from '../../core/events/event-storage.ts';
import { SUBSCRIBED_TYPES } from '../../core/events/webhook-event.ts';
import type { EndpointsFacts, StoredDelivery, StoredEndpoint } from '../../core/ports/store.ts';
import type { AttemptLog, DeliveryRecord, Endpoint } from '../../core/ports/webhook-storage.ts';
import type { Values } from '../../core/state/change.ts';
import { readRow } from '../../core/state/query.ts';
import { readCredential, readOverrides, readPlan } from './credential.ts';
import { columnList } from './dialect.ts';
import { instant, integer, integerOrNull, oneOf, type Row, text, textOrNull, texts } from './row.ts';

/** Of an event `v`. */
export const EVENT_COLUMNS = columnList(EVENTS_COLUMNS, 'v');

export function readEvent(row: Row): StoredEvent {
  return storedEvent(readRow({ ...events, columns: EVENTS_COLUMNS }, row));
}

/** Of a delivery `d`. */
export const DELIVERY_COLUMNS =
  'd.endpoint_id, d.sequence, d.state, d.attempts, d.due_ms, d.fence, d.lease_until_ms, d.log';

export const ENDPOINT_COLUMNS = `
  owner_id, endpoint_id, credential_id, url, types, sealed_secret, sealed_previous, previous_until_ms,
  failing_since_ms, disabled, position, created_at_ms`;

export function readEndpointsFacts(
  owner: Row,
  endpoints: readonly Row[],
  credentials: readonly Row[],
): EndpointsFacts {
  return {
    plan: readPlan(owner),
    limits: readOverrides(owner),
    lastEndpointId: integer(owner, 'last_endpoint_id'),
    lastSequence: integer(owner, 'last_event_sequence'),
    endpoints: endpoints.map(readStoredEndpoint),
    credentials: credentials.map(readCredential),
  };
}

function readStoredEndpoint(row: Row): StoredEndpoint {
  return { endpoint: readEndpoint(row), position: integer(row, 'position') };
}

export function readEndpoint(row: Row): Endpoint {
  const previous = textOrNull(row, 'sealed_previous');
  const types = texts(row, 'types');
  return {
    ownerId: text(row, 'owner_id'),
    endpointId: integer(row, 'endpoint_id'),
    credentialId: text(row, 'credential_id'),
    url: text(row, 'url'),
    types: SUBSCRIBED_TYPES.filter((type) => types.includes(type)),
    sealedSecret: text(row, 'sealed_secret'),
    previous: previous === null ? null : { sealedSecret: previous, until: instant(row, 'previous_until_ms') },
    health: {
      failingSinceMs: integerOrNull(row, 'failing_since_ms'),
      disabled: row.disabled === null ? null : oneOf(row, 'disabled', DISABLED_REASONS),
    },
    createdAt: instant(row, 'created_at_ms'),
  };
}

export function readDelivery(row: Row): StoredDelivery {
  return {
    endpointId: integer(row, 'endpoint_id'),
    sequence: integer(row, 'sequence'),
    delivery: {
      state: oneOf(row, 'state', DELIVERY_STATES),
      attempts: integer(row, 'attempts'),
      dueMs: integer(row, 'due_ms'),
      fence: integer(row, 'fence'),
      leaseUntilMs: integer(row, 'lease_until_ms'),
    },
    log: readLog(row),
  };
}

/** @param row  the delivery's, with its event */
export function readDueDelivery(row: Row) {
  return { ...readDelivery(row), event: readEvent(row) };
}

/** The same, as the owner sees it. */
export function readDeliveryRecord(row: Row): DeliveryRecord {
  const { event, delivery, log } = readDueDelivery(row);
  const { state, attempts, dueMs, leaseUntilMs } = delivery;
  const isIdle = state === 'waiting' && leaseUntilMs === 0;
  return { event, state, attempts, dueAt: isIdle ? new Date(dueMs) : null, log };
}

const attemptLogs = z.array(
  z.object({
    at_ms: z.int(),
    duration_ms: z.number(),
    status: z.int().nullable(),
    text: z.string(),
  }),
);

function readLog(row: Row): readonly AttemptLog[] {
  const logs = attemptLogs.parse(JSON.parse(text(row, 'log')));
  return logs.map(({ at_ms, duration_ms, ...rest }) => ({
    at: new Date(at_ms),
    durationMs: duration_ms,
    ...rest,
  }));
}

function logText(log: readonly AttemptLog[]): string {
  return JSON.stringify(
    log.map(({ at, durationMs, status, text: body }) => ({
      at_ms: at.getTime(),
      duration_ms: Math.round(durationMs),
      status,
      text: body,
    })),
  );
}

export function endpointKey({ ownerId, endpointId }: { ownerId: string; endpointId: number }): Values {
  return { owner_id: ownerId, endpoint_id: endpointId };
}

/** What changes of an endpoint, apart from its position. */
export function endpointColumns({ sealedSecret, previous, health }: Endpoint): Values {
  return {
    sealed_secret: sealedSecret,
    sealed_previous: previous?.sealedSecret ?? null,
    previous_until_ms: previous?.until.getTime() ?? null,
    failing_since_ms: health.failingSinceMs,
    disabled: health.disabled,
  };
}

export function deliveryRow(
  ownerId: string,
  { endpointId, sequence, delivery, log }: StoredDelivery,
): Values {
  return {
    owner_id: ownerId,
    endpoint_id: endpointId,
    sequence,
    state: delivery.state,
    attempts: delivery.attempts,
    due_ms: delivery.dueMs,
    fence: delivery.fence,
    lease_until_ms: delivery.leaseUntilMs,
    log: logText(log),
  };
}
