import type { AttemptEnd, DeliveryState } from '../events/delivery.ts';
import type { EndpointHealth } from '../events/endpoint-health.ts';
import type { StoredEvent } from '../events/event-storage.ts';
import type { SubscribedType } from '../events/webhook-event.ts';
import type { Signer } from '../secrets/keyring.ts';

/** Webhook endpoints and their deliveries. Makes the same promises as Storage. */
export interface WebhookStorage {
  /**
   * Adds an endpoint to an active key. It receives events from now on.
   * @param request  `seal` receives the new endpoint's id and returns its sealed secret
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
    /** The owner has no such active key. */
    | { readonly kind: 'no_key' }
    /** The owner's plan does not allow more endpoints. */
    | { readonly kind: 'too_many'; readonly most: number }
  >;

  /** All endpoints of the owner, oldest first. */
  endpoints(ownerId: string): Promise<readonly Endpoint[]>;

  /** Deletes the endpoint with its deliveries. False: the owner has no such endpoint. */
  removeEndpoint(ownerId: string, endpointId: number): Promise<boolean>;

  /** Gives the endpoint a new secret. The previous one also signs until `overlapUntil`. Undefined: no such endpoint. */
  rotateEndpoint(request: {
    ownerId: string;
    endpointId: number;
    sealedSecret: string;
    overlapUntil: Date;
  }): Promise<Endpoint | undefined>;

  /** Enables a disabled endpoint. It receives events from now on. Undefined: no such endpoint. */
  enableEndpoint(ownerId: string, endpointId: number): Promise<Endpoint | undefined>;

  /** Files a `webhook.test` for the endpoint. Undefined: no such endpoint, or it is disabled. */
  testEndpoint(request: { ownerId: string; endpointId: number; now: Date }): Promise<DeliveryRef | undefined>;

  /**
   * Owners with a due attempt, or with events whose deliveries are not filed yet; at most `limit`. They come in a fixed
   * circle, which starts behind the owner `after`. '' starts at its beginning.
   */
  ownersWithDeliveries(query: { after: string; limit: number }): Promise<readonly string[]>;

  /**
   * Records how attempts of the owner ended, files deliveries for new events and starts due attempts, the longest due
   * first. Ends and starts share one unit, because under load the next attempts start as others end.
   *
   * An end with a lost fence changes nothing. Each attempt that starts is leased, and is due again if its lease ends
   * first. Drops deliveries that the endpoint, its key or its permission no longer allows, and those of new mail in an
   * account that was removed.
   * @param request  `limit`: how many attempts may start now; `room`: how many of them per endpoint, at most
   *   PER_ENDPOINT_MAX
   */
  moveDeliveries(request: {
    ownerId: string;
    ends: readonly EndedAttempt[];
    limit: number;
    room: (endpointId: number) => number;
    leaseMs: number;
    signer: Signer;
    now: Date;
  }): Promise<{
    readonly begun: readonly BegunAttempt[];
    /** Something was started, filed or dropped: there may be more that can be. */
    readonly hasMore: boolean;
    /** Of the endpoints of `ends`. */
    readonly healths: readonly { readonly endpointId: number; readonly health: EndpointHealth }[];
  }>;

  /** Newest first. */
  deliveries(query: {
    ownerId: string;
    endpointId: number;
    /** Only deliveries of events with a smaller sequence number. */
    before: number | undefined;
    limit: number;
  }): Promise<{ readonly deliveries: readonly DeliveryRecord[]; readonly more: boolean }>;

  /** Makes an ended delivery due again, with all attempts. False: no such delivery, or its endpoint is disabled. */
  redeliver(request: DeliveryRef & { readonly now: Date }): Promise<boolean>;
}

export interface EndpointRef {
  readonly ownerId: string;
  readonly endpointId: number;
}

export interface DeliveryRef extends EndpointRef {
  /** The sequence number of the event. */
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
  /** Not kept for an interrupted attempt. */
  readonly log: AttemptLog;
}

/** One attempt, as the owner sees it. */
export interface AttemptLog {
  readonly at: Date;
  readonly durationMs: number;
  /** Null: no response. */
  readonly status: number | null;
  /** Why there was no answer; empty if there was one. */
  readonly text: string;
}

export interface DeliveryRecord {
  readonly event: StoredEvent;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When the next attempt is due, by the store's clock. Null: an attempt is under way, or none will follow. */
  readonly dueAt: Date | null;
  /** Oldest first. */
  readonly log: readonly AttemptLog[];
}
