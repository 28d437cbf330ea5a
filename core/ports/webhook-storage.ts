import type { AttemptEnd, DeliveryState } from '../events/delivery.ts';
import type { EndpointHealth } from '../events/endpoint-health.ts';
import type { SubscribedType } from '../events/webhook-event.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { StoredEvent } from './stored-event.ts';

/** Webhook endpoints and what is delivered to them. Promises as those of Storage. */
export interface WebhookStorage {
  /**
   * Adds an endpoint to a key that is on. It is told of what happens from now on.
   * @param request  `seal` gets the new endpoint's id and returns its sealed secret
   */
  addEndpoint(request: {
    ownerId: string;
    credentialId: string;
    url: string;
    types: readonly SubscribedType[];
    seal: (endpointId: number) => string;
    signer: Signer;
    now: Date;
  }): Promise<
    | { readonly kind: 'added'; readonly endpoint: Endpoint }
    /** The owner has no such key that is on. */
    | { readonly kind: 'no_key' }
    /** The owner's plan allows no more. */
    | { readonly kind: 'too_many'; readonly most: number }
  >;

  /** All of the owner's, oldest first. */
  endpoints(ownerId: string): Promise<readonly Endpoint[]>;

  /** Deletes the endpoint with its deliveries. False: the owner has no such endpoint. */
  removeEndpoint(ownerId: string, endpointId: number): Promise<boolean>;

  /** Gives the endpoint a new secret; the one before it also signs until `overlapUntil`. Undefined: no such endpoint. */
  rotateEndpoint(request: {
    ownerId: string;
    endpointId: number;
    sealedSecret: string;
    overlapUntil: Date;
  }): Promise<Endpoint | undefined>;

  /** Switches a disabled endpoint on. It is told of what happens from now on. Undefined: no such endpoint. */
  enableEndpoint(ownerId: string, endpointId: number): Promise<Endpoint | undefined>;

  /** Files a `webhook.test` for the endpoint. Undefined: no such endpoint, or it is disabled. */
  testEndpoint(request: { ownerId: string; endpointId: number; now: Date }): Promise<DeliveryRef | undefined>;

  /** Owners with an attempt that is due, or with events that no endpoint was told of; at most `limit`. */
  ownersWithDeliveries(limit: number): Promise<readonly string[]>;

  /**
   * Files deliveries for the owner's new events, and begins attempts that are due, the longest due first. Each attempt
   * is leased; one whose lease lapses is due again. What an endpoint, its key or its permission no longer allows is
   * dropped.
   * @param request  `room`: how many attempts of an endpoint may begin now
   */
  beginAttempts(request: {
    ownerId: string;
    room: (endpointId: number) => number;
    leaseMs: number;
    signer: Signer;
    now: Date;
  }): Promise<readonly BegunAttempt[]>;

  /** Records how attempts of one owner ended. One whose fence is lost changes nothing. */
  endAttempts(request: {
    ownerId: string;
    ends: readonly EndedAttempt[];
    now: Date;
  }): Promise<readonly { readonly endpointId: number; readonly health: EndpointHealth }[]>;

  /** Newest first. */
  deliveries(query: {
    ownerId: string;
    endpointId: number;
    /** Only those of events with a smaller sequence number. */
    before: number | undefined;
    limit: number;
  }): Promise<{ readonly deliveries: readonly DeliveryRecord[]; readonly more: boolean }>;

  /** Makes an ended delivery due again, with all its attempts. False: no such delivery, or its endpoint is disabled. */
  redeliver(request: DeliveryRef & { readonly now: Date }): Promise<boolean>;
}

interface EndpointRef {
  readonly ownerId: string;
  readonly endpointId: number;
}

export interface DeliveryRef extends EndpointRef {
  /** The event's. */
  readonly sequence: number;
}

export interface Endpoint extends EndpointRef {
  readonly credentialId: string;
  readonly url: string;
  readonly types: readonly SubscribedType[];
  readonly sealedSecret: string;
  /** The secret before a rotation; null if there was none. */
  readonly previous: { readonly sealedSecret: string; readonly until: Date } | null;
  readonly health: EndpointHealth;
  readonly createdAt: Date;
}

export interface BegunAttempt {
  readonly endpoint: Endpoint;
  readonly event: StoredEvent;
  /** 1 to 6. */
  readonly attempt: number;
  readonly fence: number;
}

export interface EndedAttempt {
  readonly endpointId: number;
  readonly sequence: number;
  readonly fence: number;
  readonly end: AttemptEnd;
  /** 0 to 1, from the random source. */
  readonly jitter: number;
  readonly log: AttemptLog;
}

/** One attempt, for the owner. */
export interface AttemptLog {
  readonly at: Date;
  readonly durationMs: number;
  /** Null: no answer. */
  readonly status: number | null;
  /** The beginning of the answer's body, or why there is none. A stranger's text. */
  readonly text: string;
}

export interface DeliveryRecord {
  readonly event: StoredEvent;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When the next attempt is due, on the store's clock. Null: an attempt is under way, or none will follow. */
  readonly dueAt: Date | null;
  /** Oldest first. */
  readonly log: readonly AttemptLog[];
}
