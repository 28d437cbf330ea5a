import { endpointUrl } from '../contract/endpoint-url.ts';
import { notFound } from '../contract/not-found.ts';
import { invalidArgument } from '../contract/schema.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { HOUR_MS } from '../time/durations.ts';
import { sealEndpointSecret } from './deliver-webhooks.ts';
import type { DeliveryRecord } from './delivery-storage.ts';
import type { DisabledReason } from './endpoint-health.ts';
import type { Endpoint } from './endpoint-storage.ts';
import { wireEndpointId } from './endpoint-storage.ts';
import { newEndpointSecret } from './signature.ts';
import { SUBSCRIBED_TYPES, type SubscribedType } from './webhook-event.ts';

/** The endpoints that receive the events of the owner's keys. */
export interface Webhooks {
  /** False without the port `webhookSender`. No endpoint can be added then. */
  readonly canSend: boolean;
  /**
   * @returns the endpoint's secret, shown this once
   * @throws ServiceError not_found (the key), invalid_arguments (`url`, or the plan allows no more endpoints)
   */
  add(endpoint: {
    ownerId: string;
    keyId: string;
    url: string;
    /** Default: all types that an endpoint can subscribe to. */
    types?: readonly SubscribedType[];
  }): Promise<{ endpointId: string; secret: string }>;
  /** Oldest first. */
  list(ownerId: string): Promise<readonly WebhookEndpoint[]>;
  /** Forgets its deliveries too. @throws ServiceError not_found */
  remove(ownerId: string, endpointId: string): Promise<void>;
  /** For 24 hours requests are signed with both secrets. @throws ServiceError not_found */
  rotateSecret(ownerId: string, endpointId: string): Promise<{ secret: string }>;
  /** Switches an endpoint on again that was disabled. @throws ServiceError not_found */
  enable(ownerId: string, endpointId: string): Promise<void>;
  /** Sends a `webhook.test`. @throws ServiceError not_found (or it is disabled) */
  sendTest(ownerId: string, endpointId: string): Promise<void>;
  /** Newest first. @param page `before`: only deliveries of events with a smaller sequence number */
  deliveries(
    ownerId: string,
    endpointId: string,
    page: { before?: number; limit: number },
  ): Promise<{ readonly deliveries: readonly DeliveryRecord[]; readonly more: boolean }>;
  /** Sends the event of an ended delivery again. @throws ServiceError not_found */
  redeliver(ownerId: string, endpointId: string, sequence: number): Promise<void>;
}

export interface WebhookEndpoint {
  /** `wh_` and its number. */
  readonly endpointId: string;
  readonly keyId: string;
  readonly url: string;
  readonly types: readonly SubscribedType[];
  readonly createdAt: Date;
  /** Until when the secret before a rotation signs as well; null if none does. */
  readonly overlapUntil: Date | null;
  /** Since when every attempt has failed; null if the last one did not. */
  readonly failingSince: Date | null;
  /** Why it is off; null if it is on. */
  readonly disabled: DisabledReason | null;
}

export const ROTATION_OVERLAP_MS = 24 * HOUR_MS;

export function createWebhooks(ports: Ports, keyring: Keyring): Webhooks {
  const { storage, clock, random } = ports;

  return {
    canSend: ports.webhookSender !== undefined,

    async add({ ownerId, keyId, url, types = SUBSCRIBED_TYPES }) {
      if (ports.webhookSender === undefined) {
        throw new Error(
          'Webhooks need the port webhookSender, such as httpsSender of countersign/webhook-sender.',
        );
      }
      const address = endpointUrl(url);
      if (address === undefined) {
        throw invalidArgument(
          'url',
          'url',
          'must be an address that begins with https://, without a password',
        );
      }
      if (types.length === 0) throw invalidArgument('types', 'length', 'must name at least one type');
      const secret = newEndpointSecret(random);
      const added = await storage.addEndpoint({
        ownerId,
        credentialId: keyId,
        url: address,
        types: SUBSCRIBED_TYPES.filter((type) => types.includes(type)),
        signer: keyring,
        seal: (endpointId) => sealEndpointSecret(keyring, ownerId, endpointId, secret),
        now: clock.now(),
      });
      if (added.kind === 'no_key') throw notFound('key');
      if (added.kind === 'too_many') {
        throw invalidArgument('url', 'limit', `cannot be added: the plan allows ${added.most} at a time`);
      }
      return { endpointId: wireEndpointId(added.endpoint.endpointId), secret };
    },

    list: async (ownerId) => (await storage.endpoints(ownerId)).map((one) => shown(one, clock.now())),

    async remove(ownerId, endpointId) {
      if (!(await storage.removeEndpoint(ownerId, numberOf(endpointId)))) throw notFound('endpoint');
    },

    async rotateSecret(ownerId, endpointId) {
      const number = numberOf(endpointId);
      const secret = newEndpointSecret(random);
      const rotated = await storage.rotateEndpoint({
        ownerId,
        endpointId: number,
        sealedSecret: sealEndpointSecret(keyring, ownerId, number, secret),
        overlapUntil: new Date(clock.now().getTime() + ROTATION_OVERLAP_MS),
      });
      if (rotated === undefined) throw notFound('endpoint');
      return { secret };
    },

    async enable(ownerId, endpointId) {
      const enabled = await storage.enableEndpoint(ownerId, numberOf(endpointId));
      if (enabled === undefined) throw notFound('endpoint');
    },

    async sendTest(ownerId, endpointId) {
      const filed = await storage.testEndpoint({
        ownerId,
        endpointId: numberOf(endpointId),
        now: clock.now(),
      });
      if (filed === undefined) throw notFound('endpoint');
    },

    deliveries: (ownerId, endpointId, { before, limit }) =>
      storage.deliveries({ ownerId, endpointId: numberOf(endpointId), before, limit }),

    async redeliver(ownerId, endpointId, sequence) {
      const ref = { ownerId, endpointId: numberOf(endpointId), sequence };
      if (!(await storage.redeliver({ ...ref, now: clock.now() }))) throw notFound('delivery');
    },
  };
}

/** Returns 0, which no endpoint has, if the text is not an endpoint id. */
function numberOf(endpointId: string): number {
  const [, digits = '0'] = /^wh_(\d{1,9})$/.exec(endpointId) ?? [];
  return Number(digits);
}

function shown(endpoint: Endpoint, now: Date): WebhookEndpoint {
  const { endpointId, credentialId, url, types, createdAt, previous, health } = endpoint;
  const { failingSinceMs, disabled } = health;
  return {
    endpointId: wireEndpointId(endpointId),
    keyId: credentialId,
    url,
    types,
    createdAt,
    overlapUntil: previous !== null && previous.until > now ? previous.until : null,
    failingSince: failingSinceMs === null ? null : new Date(failingSinceMs),
    disabled,
  };
}
