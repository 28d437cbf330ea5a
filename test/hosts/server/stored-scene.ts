import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { type SandboxMail, sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { sealGrant } from '../../../core/accounts/grant.ts';
import { sealSettings } from '../../../core/accounts/mail-call.ts';
import type { Outcome } from '../../../core/call/outcome.ts';
import { sealAsked, sealDiff } from '../../../core/execution/sealed-words.ts';
import { NO_FENCES, REACHES_NOTHING } from '../../../core/keys/fences.ts';
import { PRESETS } from '../../../core/keys/permissions.ts';
import { sealRefreshed } from '../../../core/keys/sign-in/refreshed-tokens.ts';
import { sealTarget } from '../../../core/notices/sealed-target.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { WebhookSender } from '../../../core/ports/webhook-sender.ts';
import { createKeyring, type Keyring } from '../../../core/secrets/keyring.ts';
import { STORED } from '../../../core/secrets/stored-purposes.ts';
import { createService } from '../../../core/service/create-service.ts';
import type { Service } from '../../../core/service/service.ts';
import { HOUR_MS } from '../../../core/time/durations.ts';
import { addChannel } from '../../contracts/storage/notice-scene.ts';
import { aSession } from '../../contracts/storage/session-scene.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import { callWith, silentLog, testClock } from '../../open-service.ts';
import { eventually } from '../../until.ts';
import { addApp } from '../dashboard/authenticator-app.ts';

/** A database as a server leaves it: with requests that wait, requests that were under way, and a delivery that is due. */

const OWNER = { email: 'grace@example.org', password: 'correct horse battery staple' };
const STRANGER = 'stranger@example.org';

/** A service on a stored database, with a mailbox of the sandbox and a receiver of webhooks that always fails. */
export interface StoredService {
  readonly service: Service;
  readonly mail: SandboxMail;
}

export function openStored(storage: Storage, secretKeys: readonly Uint8Array[]): StoredService {
  const mail = sandboxMail();
  const webhookSender: WebhookSender = {
    post: async () => ({ kind: 'answered', status: 500, retryAfter: null }),
    close: async () => undefined,
  };
  const service = createService({
    ...{ storage, mail, webhookSender, secretKeys, log: silentLog, clock: testClock() },
    reader: inlineReader(),
    random: (bytes) => randomBytes(bytes),
    baseUrl: 'http://127.0.0.1:8787',
    dashboardUrl: 'http://127.0.0.1:8788',
  });
  return { service, mail };
}

export interface Filled {
  /** Still runs, on the storage. */
  readonly service: Service;
  readonly ownerId: string;
  readonly apiKey: string;
  /** Ids of requests. */
  readonly waiting: string;
  readonly approved: string;
  readonly started: string;
}

export async function fillDatabase(storage: Storage, secretKeys: readonly Uint8Array[]): Promise<Filled> {
  const { service } = openStored(storage, secretKeys);
  const keyring = createKeyring(secretKeys, randomBytes);
  const { ownerId } = await service.owners.create(OWNER);
  await service.accounts.connect({ ownerId, email: OWNER.email, settings: { of: 'the sandbox' } });
  const { apiKey, keyId } = await service.keys.create({ ownerId, name: 'agent', preset: 'full' });
  await service.webhooks.add({ ownerId, keyId, url: 'https://hooks.example.org/' });
  const ask = async (subject: string) =>
    idOf(await callWith(service, apiKey, 'send_email', { to: [STRANGER], subject, body: 'Text' }));
  const [waiting, approved] = [await ask('Waits'), await ask('Approved')];
  const [started, rejected] = [await ask('Started'), await ask('Rejected')];
  for (const approvalId of [approved, started]) {
    // As a process does that is killed before it sends.
    const digest = (await storage.approval(ownerId, approvalId))?.digest ?? '';
    const by = { signer: keyring, ownerId, approvalId, leaseMs: HOUR_MS, now: new Date() };
    const decision = { type: 'approve', digest, reach: REACHES_NOTHING, edited: undefined } as const;
    const decided = await storage.decide({ ...by, decision });
    const fence = decided?.approval.fence ?? 0;
    if (approvalId === approved) continue;
    expect(await storage.start({ ...by, fence, reach: REACHES_NOTHING, relocated: [] })).toBe(true);
  }
  await service.approvals.reject(ownerId, rejected);
  service.start();
  await eventually(async () => expect(await deliveriesOf(storage, ownerId)).toEqual(DUE));
  return { service, ownerId, apiKey, waiting, approved, started };
}

function idOf(outcome: Outcome): string {
  if (outcome.status !== 'pending_approval') throw new Error(JSON.stringify(outcome));
  return outcome.approval.id;
}

/** What `deliveriesOf` returns: the decisions were posted once, and are to be posted again. */
export const DUE = Array.from({ length: 3 }, () => ['waiting', 500]);

/** Returns the state of each delivery, and the receiver's first answer. */
export async function deliveriesOf(storage: Storage, ownerId: string) {
  const { deliveries } = await storage.deliveries({ ownerId, endpointId: 1, before: undefined, limit: 10 });
  return deliveries.map(({ state, log }) => [state, log[0]?.status]);
}

/** The session of an owner with a password. */
async function addSession(storage: Storage, ownerId: string, keyring: Keyring): Promise<void> {
  const passwordHash = 'hash';
  await storage.setPassword(ownerId, passwordHash, keyring);
  const now = new Date();
  const session = aSession(ownerId, 'ses_1', { createdAt: now, authenticatedAt: now, lastUsedAt: now });
  const expiresAt = new Date(now.getTime() + HOUR_MS);
  await storage.addSession({ session, tokenHash: 'token', passwordHash, expiresAt, signer: keyring });
}

/** An account that signs in at its provider, and a sign-in that has begun there. */
async function addGrants(storage: Storage, ownerId: string, keyring: Keyring): Promise<void> {
  const now = new Date();
  const tokens = { refreshToken: 'refresh', accessToken: 'access', obtainedAtMs: 0, expiresAtMs: 0 };
  await storage.addAccount({
    ...{ ownerId, label: '', email: 'work@example.org', signature: '', folderRoles: USUAL_ROLES, now },
    seal: (accountId) => sealSettings(keyring, ownerId, accountId, { of: 'the sandbox' }),
    sealGrant: (accountId) => sealGrant(keyring, ownerId, accountId, { providerId: 'example', ...tokens }),
  });
  const sealed = keyring.seal(STORED.pendingGrant, ownerId, 'what for');
  const expiresAt = new Date(now.getTime() + HOUR_MS);
  await storage.addPendingGrant({ ownerId, pending: { stateHash: 'state', sealed, expiresAt }, now });
}

/** The sign-in of an assistant that has used its first refresh token. */
async function addRefreshedSignIn(storage: Storage, ownerId: string, keyring: Keyring): Promise<void> {
  const [now, expiresAt] = [new Date(), new Date(Date.now() + HOUR_MS)];
  const of = { ownerId, credentialId: 'key_signed_in', signer: keyring, now };
  const tokensOf = (n: number) => ({
    accessHash: `access ${n}`,
    accessExpiresAt: expiresAt,
    refreshHash: `refresh ${n}`,
  });
  const { modes } = PRESETS.full;
  const consent = { name: 'assistant', modes, fences: NO_FENCES, expiresAt };
  await storage.addSignIn({ ...of, ...consent, tokens: tokensOf(1) });
  const used = { ...of, refreshHash: 'refresh 1' };
  const texts = { accessToken: 'access', refreshToken: 'refresh', accessEndsMs: expiresAt.getTime() };
  const sealedTokens = sealRefreshed(texts, used, keyring);
  await storage.refreshSignIn({ ...used, tokens: tokensOf(2), sealedTokens });
}

/** Adds a value to every column that needs the secret key. */
export async function sealEverything(
  storage: Storage,
  { service, ownerId, apiKey }: Filled,
  key: Uint8Array,
): Promise<void> {
  const keyring = createKeyring([key], randomBytes);
  await addSession(storage, ownerId, keyring);
  await addApp({ service, clock: testClock() }, ownerId);
  const channel = { ownerId, channelId: 'ntc_1' };
  const target = { kind: 'ntfy', server: 'https://ntfy.sh', topic: 'topic', token: null } as const;
  const sealedTarget = sealTarget(keyring, channel, target);
  await addChannel(storage, ownerId, { ...channel, sealedTarget });
  await addGrants(storage, ownerId, keyring);
  await addRefreshedSignIn(storage, ownerId, keyring);
  await service.webhooks.rotateSecret(ownerId, 'wh_1');
  await callWith(service, apiKey, 'list_unread', {});
  const send = (subject: string, idempotencyKey?: string) =>
    callWith(service, apiKey, 'send_email', { to: [STRANGER], subject, body: subject }, idempotencyKey);
  const rejected = idOf(await send('Rejected with a note', 'key'));
  await service.approvals.reject(ownerId, rejected, { reason: 'other', note: 'No.' });
  const of = { ownerId, id: idOf(await send('Changed')) };
  const sealedPlan = (await storage.plan(ownerId, of.id)) ?? '';
  const sealedGist = (await storage.gists(ownerId, [of.id])).get(of.id) ?? '';
  const digest = (await storage.approval(ownerId, of.id))?.digest ?? '';
  const edit = { requestHash: digest, sealedDiff: sealDiff(keyring, of, 'The change') };
  const edited = { digest, sealedPlan, sealedGist, sealedAsked: sealAsked(keyring, of, 'The plan'), edit };
  await storage.decide({
    ...{ signer: keyring, ownerId, approvalId: of.id, leaseMs: HOUR_MS, now: new Date() },
    decision: { type: 'approve', digest, reach: REACHES_NOTHING, edited },
  });
  await service.recover();
}
