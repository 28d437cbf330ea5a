import { createHash } from 'node:crypto';
import { notFound } from '../contract/not-found.ts';
import { invalidArgument, line } from '../contract/schema.ts';
import type { Ports } from '../ports/ports.ts';
import type { Signer } from '../secrets/keyring.ts';
import { credentialId } from '../secrets/record-ids.ts';
import { DAY_MS, HOUR_MS } from '../time/durations.ts';
import {
  changedModes,
  checkFenceSize,
  fencedAccounts,
  lifetimeMs,
  modesOfPreset,
} from './chosen-permissions.ts';
import {
  isAccessToken,
  isApiKey,
  KEY_DAYS_DEFAULT,
  newApiKey,
  ROTATION_OVERLAP_HOURS,
  secretHash,
} from './credential.ts';
import { type Fences, fenceEntry } from './fences.ts';
import type { CredentialUse } from './key-storage.ts';
import type { Credential } from './live-key.ts';
import type { Modes, Preset } from './permissions.ts';

export interface Keys {
  /**
   * @param key  `days`: 1 to 180, default 90; `modes`: changes to the preset; `requestId`: the same one creates only one
   *   key, default: none
   * @returns the key, which is shown only this once
   * @throws ServiceError not_found (the owner), invalid_arguments, also for a `requestId` that has created a key before
   */
  create(key: {
    ownerId: string;
    name: string;
    preset: Preset;
    modes?: Partial<Modes>;
    fences?: FencesRequest;
    days?: number;
    requestId?: string | undefined;
  }): Promise<{ keyId: string; apiKey: string }>;
  /** Newest first, including revoked ones. */
  list(ownerId: string): Promise<readonly Credential[]>;
  /** The last call and the waiting requests of each key and sign-in that is not revoked, by its id. */
  use(ownerId: string): Promise<ReadonlyMap<string, CredentialUse>>;
  /**
   * Creates a new key for 90 days; the old one works for 24 more hours.
   * @param seenExpiresAt  when the key expired as the owner saw it. Default: any
   * @throws ServiceError not_found, also if the key expires at another time by now
   */
  rotate(ownerId: string, keyId: string, seenExpiresAt?: Date): Promise<{ apiKey: string }>;
  /** @throws ServiceError not_found */
  revoke(ownerId: string, keyId: string): Promise<void>;
  /** @throws ServiceError not_found, invalid_arguments (a mode that does not apply to the group) */
  setModes(ownerId: string, keyId: string, modes: Partial<Modes>): Promise<void>;
  /**
   * Until `resume`, the key may only describe itself, and read and withdraw its own requests. Waiting requests keep
   * waiting: what the owner approves from now on runs, what was approved before and has not started does not.
   * @throws ServiceError not_found
   */
  pause(ownerId: string, keyId: string): Promise<void>;
  /** @throws ServiceError not_found */
  resume(ownerId: string, keyId: string): Promise<void>;
  /**
   * Replaces the fences of the key. They also apply to requests that wait.
   * @throws ServiceError not_found (the key or an account), invalid_arguments
   */
  setFences(ownerId: string, keyId: string, fences: FencesRequest): Promise<void>;
  /** Revokes the live key, or the sign-in with the access token, that was found in a URL. */
  revokeLeaked(secret: string): Promise<void>;
}

/**
 * Fences as an owner enters them. A missing one, or null, is no fence. `recipients`: addresses, or domains, which do not
 * include their subdomains. `until` is in the future.
 */
export type FencesRequest = Partial<Fences>;

const keyName = line({ min: 1, max: 100, description: '' });

export function createKeys({ storage, clock, random }: Ports, signer: Signer): Keys {
  const fencesOf = async (ownerId: string, request: FencesRequest): Promise<Fences> => {
    const { accounts = null, recipients = null, until = null } = request;
    if (recipients !== null) checkFenceSize('recipients', recipients);
    if (until !== null && until <= clock.now())
      throw invalidArgument('until', 'range', 'must be in the future');
    return {
      accounts: await fencedAccounts(storage, ownerId, accounts),
      recipients: recipients && [...new Set(recipients.map(entryOf))].sort(),
      until,
    };
  };
  const keyOf = async (ownerId: string, keyId: string) => {
    const key = (await storage.credentials(ownerId, signer)).find((one) => one.credentialId === keyId);
    if (key === undefined) throw notFound('key');
    return key;
  };
  return {
    async create({ ownerId, name, preset, modes = {}, fences = {}, days = KEY_DAYS_DEFAULT, requestId }) {
      if (!keyName.safeParse(name).success)
        throw invalidArgument('name', 'length', 'must be one line of 1 to 100 characters');
      const daysMs = lifetimeMs(days);
      const chosen = changedModes(modesOfPreset(preset), modes);
      if ((await storage.owner(ownerId)) === undefined) throw notFound('owner');
      const now = clock.now();
      const apiKey = newApiKey(random);
      const added = await storage.addCredential({
        ownerId,
        credentialId: requestId === undefined ? credentialId(random) : idOfRequest(ownerId, requestId),
        kind: 'pat',
        name,
        modes: chosen,
        fences: await fencesOf(ownerId, fences),
        secretHash: secretHash(apiKey),
        expiresAt: new Date(now.getTime() + daysMs),
        signer,
        now,
      });
      if (added === undefined) throw invalidArgument('requestId', 'unique', 'has created a key before');
      return { keyId: added.credentialId, apiKey };
    },
    async list(ownerId) {
      return storage.credentials(ownerId, signer);
    },
    use: (ownerId) => storage.credentialUse(ownerId),
    async rotate(ownerId, keyId, seenExpiresAt) {
      const now = clock.now();
      const apiKey = newApiKey(random);
      const rotated = await storage.rotate({
        ownerId,
        credentialId: keyId,
        secretHash: secretHash(apiKey),
        expiresAt: new Date(now.getTime() + KEY_DAYS_DEFAULT * DAY_MS),
        overlapMs: ROTATION_OVERLAP_HOURS * HOUR_MS,
        seenExpiresAt,
        signer,
        now,
      });
      if (rotated === undefined) throw notFound('key');
      return { apiKey };
    },
    async revoke(ownerId, keyId) {
      const revoked = await storage.revoke({ ownerId, credentialId: keyId, signer, now: clock.now() });
      if (revoked === undefined) throw notFound('key');
    },
    async setModes(ownerId, keyId, modes) {
      const key = await keyOf(ownerId, keyId);
      const now = clock.now();
      const set = await storage.setModes({
        ownerId,
        credentialId: keyId,
        modes: changedModes(key.modes, modes),
        signer,
        now,
      });
      if (set === undefined) throw notFound('key');
    },
    async pause(ownerId, keyId) {
      const paused = await storage.pause({ ownerId, credentialId: keyId, signer, now: clock.now() });
      if (paused === undefined) throw notFound('key');
    },
    async resume(ownerId, keyId) {
      const resumed = await storage.resume({ ownerId, credentialId: keyId, signer, now: clock.now() });
      if (resumed === undefined) throw notFound('key');
    },
    async setFences(ownerId, keyId, request) {
      const fences = await fencesOf(ownerId, request);
      const now = clock.now();
      const set = await storage.setFences({ ownerId, credentialId: keyId, fences, signer, now });
      if (set === undefined) throw notFound('key');
    },
    async revokeLeaked(secret) {
      if (!isApiKey(secret) && !isAccessToken(secret)) return;
      await storage.revokeBySecret({ secretHash: secretHash(secret), signer, now: clock.now() });
    },
  };
}

/** The id of the key that a request creates, which is the same whenever the request comes again. */
function idOfRequest(ownerId: string, requestId: string): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify([ownerId, requestId]))
    .digest();
  return credentialId((length) => bytes.subarray(0, length));
}

function entryOf(text: string, index: number): string {
  const entry = fenceEntry(text);
  if (entry === undefined) {
    throw invalidArgument(`recipients[${index}]`, 'format', 'must be an address or a domain');
  }
  return entry;
}
