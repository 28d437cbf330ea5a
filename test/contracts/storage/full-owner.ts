import type { Storage } from '../../../core/ports/storage.ts';
import { usedDomainKeys } from '../../../core/safety/domain-keys.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import { addChannel } from './notice-scene.ts';
import {
  addOwner,
  admitted,
  approve,
  ask,
  at,
  DIRECT,
  execute,
  finish,
  type Key,
  LEASE_MS,
  NOON,
  reject,
  run,
  SIGNER,
  start,
} from './scene.ts';
import { anApp } from './second-steps.ts';
import { aSession, PASSWORD_HASH } from './session-scene.ts';
import { addTracker, linkedMessage } from './trackers.ts';
import { advance } from './watch-scene.ts';
import { addEndpoint, begun, happening } from './webhook-scene.ts';

/** Adds an owner with something of everything, with ids that another owner may have as well. */
export async function addFullOwner(storage: Storage, secretHash: string) {
  const ownerId = await addOwner(storage);
  const key: Key = { ownerId, credentialId: 'key_same', secretHash };
  const expiresAt = at(90 * 86_400_000);
  await storage.addCredential({
    signer: SIGNER,
    ...key,
    kind: 'pat',
    name: 'n',
    modes: DIRECT,
    expiresAt,
    now: NOON,
  });
  await storage.addAccount({
    ownerId,
    label: 'l',
    email: 'l@x.org',
    signature: '',
    seal: () => 's',
    sealGrant: () => 'g',
    folderRoles: USUAL_ROLES,
    now: NOON,
  });
  await storage.reportServer({
    ...{ ownerId, accountId: 1, revision: 1, server: 'reading' },
    ...{ state: 'working', reason: null, now: NOON },
  });
  const pending = { stateHash: 'same', sealed: 's', expiresAt };
  await storage.addPendingGrant({ ownerId, pending, now: NOON });
  await addTracker(storage, ownerId);
  const message = linkedMessage(secretHash);
  const links = [{ trackerId: 1, target: 'message:same', message }];
  await advance(storage, ownerId, 'links', { links });
  await storage.eventNumbers(ownerId, 1, [{ calendar: 'c', uid: secretHash, recurrenceId: null }]);
  await storage.rememberRecipients(ownerId, 1, [`known-to-${secretHash}@x.org`], NOON);
  const claimed = await storage.claim({ ...key, key: 'k', fingerprint: 'f', leaseMs: LEASE_MS, now: NOON });
  if (claimed.kind !== 'won') throw new Error(claimed.kind);
  const waiting = await ask(storage, key, {
    approvalId: 'apr_waiting',
    requestHash: 'waiting',
    targets: ['t'],
  });
  const approved = (await approve(storage, await ask(storage, key, { approvalId: 'apr_approved' }))).approval;
  const running = await run(storage, key, { approvalId: 'apr_running' });
  await start(storage, running, NOON, ['mark']);
  const done = await execute(storage, key, { approvalId: 'apr_done' }, { followUp: true });
  await reject(storage, await ask(storage, key, { approvalId: 'apr_rejected', requestHash: 'rejected' }));
  const shown = { readId: 'read', hashes: 'h', phrases: 'p', sealed: secretHash };
  await finish(storage, key, await admitted(storage, key), { read: shown });
  await storage.setPassword(ownerId, PASSWORD_HASH, SIGNER);
  await storage.changeSecondStep(ownerId, anApp(secretHash), SIGNER);
  const session = aSession(ownerId, 'ses_same');
  const token = { tokenHash: `token of ${secretHash}`, passwordHash: PASSWORD_HASH, expiresAt };
  await storage.addSession({ signer: SIGNER, session, ...token });
  await storage.takeProof({ ownerId, sessionId: session.id, nonce: 'used' });
  await addChannel(storage, ownerId);
  await addEndpoint(storage, key);
  await happening(storage, key);
  await begun(storage, ownerId);
  await storage.addCheckpoints({ ownerId, limit: 100, signer: SIGNER, now: NOON });
  return { key, waiting, approved, running, done, fence: claimed.fence };
}

/** Reads everything that can be read of an owner. */
export async function readEverything(
  storage: Storage,
  ownerId: string,
  secretHash: string,
): Promise<unknown> {
  const { approvals } = await storage.approvals({
    ownerId,
    credentialId: undefined,
    state: 'all',
    after: undefined,
    limit: 100,
  });
  const plans = await Promise.all(approvals.map(({ id }) => storage.plan(ownerId, id)));
  return {
    owner: await storage.owner(ownerId),
    accounts: await storage.accounts(ownerId),
    health: await storage.accountHealth(ownerId),
    credentials: await storage.credentials(ownerId, SIGNER),
    approvals,
    plans,
    gists: await storage.gists(ownerId, ['apr_waiting', 'apr_running', 'apr_done']),
    events: await storage.events({ ownerId, afterId: 0, limit: 100 }),
    activity: await storage.activity({ ownerId, limit: 100 }),
    known: await storage.knownRecipients(ownerId, 1, ['known-to-one@x.org', 'known-to-two@x.org']),
    domains: await storage.knownDomains(ownerId, 1, usedDomainKeys(['x.org'])),
    reads: await storage.reads({ ownerId, after: new Date(0), limit: 100 }),
    sources: await storage.readSources(ownerId, ['read']),
    trackers: await storage.trackers({ ownerId, state: 'active', before: undefined, limit: 100 }),
    tracker: await storage.tracker({ ownerId, trackerId: 1, upTo: undefined, limit: 100 }),
    waiting: await storage.waitingTrackers(ownerId),
    inboxes: (await storage.inboxesToWatch(true)).filter((inbox) => inbox.ownerId === ownerId),
    event: await storage.event(ownerId, 1),
    secondStep: (await storage.secondStep(ownerId))?.secondStep ?? null,
    sessions: await storage.sessions(ownerId, SIGNER, NOON),
    session: await storage.session(`token of ${secretHash}`, SIGNER, NOON),
    channels: await storage.noticeChannels(ownerId),
    endpoints: await storage.endpoints(ownerId),
    deliveries: await storage.deliveries({ ownerId, endpointId: 1, before: undefined, limit: 100 }),
    relocated: await storage.relocatedAmong(ownerId, ['mark']),
    checkpoints: await storage.checkpoints(ownerId),
  };
}

/** What `readEverything` returns of an owner who has nothing, except `owner`. */
export const NOTHING = {
  accounts: [],
  health: [],
  credentials: [],
  approvals: [],
  plans: [],
  gists: new Map(),
  events: [],
  activity: [],
  known: new Map(),
  reads: [],
  sources: [],
  domains: new Map(),
  secondStep: null,
  trackers: { trackers: [], total: 0, more: false },
  tracker: undefined,
  waiting: [],
  inboxes: [],
  event: undefined,
  sessions: [],
  session: undefined,
  channels: [],
  endpoints: [],
  deliveries: { deliveries: [], more: false },
  relocated: new Set(),
  checkpoints: [],
};
