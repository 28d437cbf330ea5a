import * as z from 'zod';
import { credentials } from '../keys/key-state.ts';
import { owners } from '../owners/owner-state.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { flag, instant, integer, json, oneOf, sealed, text } from '../state/column.ts';
import { select, statements } from '../state/query.ts';
import { table } from '../state/table.ts';
import { DELIVERY_STATES, type Delivery } from './delivery.ts';
import { DISABLED_REASONS } from './endpoint-health.ts';
import { EVENT_COLUMNS } from './event-state.ts';
import { SUBSCRIBED_TYPES, type SubscribedType } from './webhook-event.ts';

/** One attempt, as the owner sees it. */
export interface AttemptLog {
  readonly at: Date;
  readonly durationMs: number;
  /** Null: no response. */
  readonly status: number | null;
  /** Why there was no answer; empty if there was one. */
  readonly text: string;
}

const storedTypes = z.array(z.string());

function typesIn(value: unknown): readonly SubscribedType[] {
  const types = storedTypes.parse(value);
  return SUBSCRIBED_TYPES.filter((type) => types.includes(type));
}

const storedLog = z.array(
  z.object({ at_ms: z.int(), duration_ms: z.number(), status: z.int().nullable(), text: z.string() }),
);

function logIn(value: unknown): readonly AttemptLog[] {
  return storedLog.parse(value).map(({ at_ms, duration_ms, ...rest }) => ({
    at: new Date(at_ms),
    durationMs: duration_ms,
    ...rest,
  }));
}

function formOfLog(log: readonly AttemptLog[]): z.input<typeof storedLog> {
  return log.map(({ at, durationMs, status, text: said }) => ({
    at_ms: at.getTime(),
    duration_ms: Math.round(durationMs),
    status,
    text: said,
  }));
}

export const endpoints = table(
  'endpoints',
  {
    ownerId: text(),
    endpointId: integer(),
    credentialId: text(),
    url: text(),
    types: json(typesIn),
    /** It is on, and for new mail. */
    takesMail: flag(),
    sealedSecret: sealed(STORED.endpointSecret),
    sealedPrevious: sealed(STORED.endpointSecret).orNull(),
    previousUntil: instant().orNull(),
    failingSince: instant().orNull(),
    disabled: oneOf(DISABLED_REASONS).orNull(),
    /** The newest event that was looked at. */
    position: integer(),
    createdAt: instant(),
  },
  { key: ['ownerId', 'endpointId'] },
);

export const deliveries = table(
  'deliveries',
  {
    ownerId: text(),
    endpointId: integer(),
    /** The event's. */
    sequence: integer(),
    state: oneOf(DELIVERY_STATES),
    attempts: integer(),
    dueMs: integer(),
    fence: integer(),
    leaseUntilMs: integer(),
    /** The later of the two: from then on, an attempt can start. */
    readyMs: integer(),
    /** Oldest first. */
    log: json(logIn, formOfLog),
  },
  {
    key: ['ownerId', 'endpointId', 'sequence'],
    indexes: {
      deliveries_waiting: {
        on: ['ownerId', 'endpointId', 'readyMs'],
        where: "state = 'waiting'",
      },
    },
  },
);

/** The row of a delivery. @param of  the delivery's key, and its log */
export function deliveryRow<Of extends object>(
  of: Of,
  { state, attempts, dueMs, fence, leaseUntilMs }: Delivery,
) {
  return { ...of, state, attempts, dueMs, fence, leaseUntilMs, readyMs: Math.max(dueMs, leaseUntilMs) };
}

export const endpointsOfOwner = select(endpoints, { by: ['ownerId'], order: ['endpointId'] });

/** What decides about the endpoints of an owner. */
export const ownerOfEndpoints = select(owners, {
  by: ['ownerId'],
  only: ['plan', 'limits', 'lastEndpointId', 'lastEventSequence'],
});

const { ownerId, ...delivery } = deliveries.columns;
const withEvent = { ...delivery, ...EVENT_COLUMNS };

export const webhookStatements = statements({
  /** The keys of the owner's endpoints, and this one. */
  keys_of_endpoints: { params: { ownerId, credentialId: text() }, columns: credentials.columns },
  /** Events behind the enabled endpoint that is furthest behind, oldest first. */
  events_behind: { params: { ownerId, limit: integer() }, columns: EVENT_COLUMNS },
  /** Of each endpoint, waiting deliveries that are due and not leased, the longest due first. */
  due_deliveries: { params: { ownerId, limit: integer() }, columns: withEvent },
  /** `names`: JSON of pairs of endpoint and sequence. */
  deliveries_by_event: { params: { ownerId, names: text() }, columns: delivery },
  /** Newest first. */
  deliveries_of_endpoint: {
    params: { ownerId, endpointId: integer(), before: integer(), limit: integer() },
    columns: withEvent,
  },
  /** In a fixed circle, which starts behind the owner `after`. */
  owners_with_deliveries: { params: { after: text(), limit: integer() }, columns: { ownerId } },
});
