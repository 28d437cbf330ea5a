import { randomUUID } from 'node:crypto';
import type { Approval } from '../../../core/approvals/approval.ts';
import type { BegunAttempt } from '../../../core/events/delivery-storage.ts';
import { NO_FENCES } from '../../../core/keys/fences.ts';
import type { Account } from '../../../core/ports/account.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import { shown } from './message-handles.ts';
import { aChannel, addChannel } from './notice-scene.ts';
import {
  activity,
  addOwner,
  addOwnerAndKey,
  admitted,
  approve,
  ask,
  at,
  DIRECT,
  DONE,
  erasing,
  execute,
  filing,
  HELD,
  type Key,
  LAPSED_MS,
  LEASE_MS,
  NOON,
  reclaim,
  run,
  SIGNER,
  settle,
  start,
} from './scene.ts';
import { anApp } from './second-steps.ts';
import { aSession, begin, PASSWORD_HASH } from './session-scene.ts';
import { advance, leased } from './watch-scene.ts';
import { addEndpoint, begun, end } from './webhook-scene.ts';

/** Every verb of the Storage port, and an owner for whom each has something to do. */

/** An owner with something of everything. */
export interface EveryVerbScene {
  readonly key: Key;
  /** Another owner, without any rows. */
  readonly idleOwnerId: string;
  readonly account: Account;
  readonly slotId: string;
  readonly waiting: Approval;
  readonly approved: Approval;
  readonly started: Approval;
  readonly executed: Approval;
  readonly trackerId: number;
  readonly attempt: BegunAttempt;
  readonly refreshHash: string;
}

const LATE = at(100 * 86_400_000);
const CLAIM = { key: 'k', fence: 1 };
const SESSION = { sessionId: 'ses_1' };
const MESSAGE = {
  accountId: 1,
  place: { path: 'INBOX', uidValidity: '1', uid: 1 },
  stableId: null,
  fingerprint: 'f',
  from: 'a@x.org',
  subject: 's',
  date: 'd',
  internalDate: NOON,
  sizeBytes: 1,
  excerpt: 'e',
};

export async function everyVerbScene(storage: Storage): Promise<EveryVerbScene> {
  const key = await addOwnerAndKey(storage);
  const { ownerId } = key;
  const account = await storage.addAccount({
    ...{ ownerId, label: 'l', email: 'l@x.org', signature: '', now: NOON },
    seal: () => 'sealed',
    sealGrant: () => 'grant',
    folderRoles: USUAL_ROLES,
  });
  await storage.leaseGrant({ ownerId, accountId: account.accountId, leaseMs: LAPSED_MS });
  await storage.messageHandles(ownerId, [shown('a', [1], account.accountId)], NOON);
  const pending = { stateHash: 'begun', sealed: 's', expiresAt: at(1000) };
  await storage.addPendingGrant({ ownerId, pending, now: NOON });
  await storage.claim({ ...key, key: CLAIM.key, fingerprint: 'f', leaseMs: LEASE_MS, now: NOON });
  const { slotId } = await admitted(storage, key);
  const started = await run(storage, key, { leaseMs: LAPSED_MS });
  await start(storage, started);
  const tracker = {
    ownerId,
    requestId: 'r',
    title: 't',
    keywords: 'atlas',
    dueOn: null,
    addedByAgent: true,
    now: NOON,
  };
  const { trackerId } = await storage.createTracker(tracker);
  const link = { ownerId, trackerId, target: 'm', addedBy: 'agent', now: NOON } as const;
  await storage.linkToTracker({ ...link, content: { kind: 'mail', message: MESSAGE } });
  await leased(storage, ownerId);
  await storage.setPassword(ownerId, PASSWORD_HASH, SIGNER);
  await begin(storage, aSession(ownerId, SESSION.sessionId));
  await begin(storage, aSession(ownerId, 'another'));
  const executed = await execute(
    storage,
    key,
    {},
    { followUp: true, leaseMs: LAPSED_MS, recipients: ['a@x.org'] },
  );
  await addEndpoint(storage, key);
  await storage.testEndpoint({ ownerId, endpointId: 1, now: NOON });
  const [attempt] = await begun(storage, ownerId);
  if (attempt === undefined) throw new Error('no attempt was begun');
  await storage.testEndpoint({ ownerId, endpointId: 1, now: NOON });
  await addChannel(storage, ownerId);
  const code = { mac: 'right', untilMs: LATE.getTime(), triesLeft: 2 };
  await addChannel(storage, ownerId, { channelId: 'ntc_2', code });
  const idleOwnerId = await addOwner(storage);
  await storage.changeSecondStep(idleOwnerId, anApp(), SIGNER);
  const signIn = tokens();
  await storage.addSignIn({
    ...{ ownerId, credentialId: 'key_4', name: 'n', modes: DIRECT, fences: NO_FENCES, signer: SIGNER },
    ...{ tokens: signIn, expiresAt: LATE, now: NOON },
  });
  return {
    key,
    idleOwnerId,
    account,
    slotId,
    waiting: await ask(storage, key, { targets: ['target'] }),
    approved: await run(storage, key),
    started,
    executed,
    trackerId,
    attempt,
    refreshHash: signIn.refreshHash,
  };
}

const tokens = () => ({ accessHash: randomUUID(), accessExpiresAt: LATE, refreshHash: randomUUID() });
const ROWS = { address: 1, newcomers: 2, repeaters: 3 };

/** Calls every verb of the port with something to do. */
export const VERBS: Record<
  Exclude<keyof Storage, 'close' | 'onApprovalChange' | 'onEvent'>,
  (storage: Storage, scene: EveryVerbScene) => Promise<unknown>
> = {
  healthy: (s) => s.healthy(),
  admit: (s, { key }) => s.admit({ signer: SIGNER, ...key, slotId: 'another', leaseMs: LEASE_MS, now: NOON }),
  claim: (s, { key }) => s.claim({ ...key, key: 'k2', fingerprint: 'f', leaseMs: LEASE_MS, now: NOON }),
  renew: (s, { key: { ownerId, credentialId }, slotId, approved, executed }) =>
    s.renew(
      {
        ...{ ownerId, slotId, claim: { ...CLAIM, credentialId }, followUp: executed.id },
        approval: { id: approved.id, fence: 1 },
      },
      2 * LEASE_MS,
    ),
  finish: (s, { key, slotId }) =>
    s.finish({
      ...{ caller: key, slotId, claim: { ...CLAIM, sealedOutcome: 'sealed' }, activity: activity(key) },
      now: NOON,
    }),
  file: (s, { key }) => s.file(filing(key, { call: HELD, claim: CLAIM, targets: ['another'] })),
  decide: (s, { waiting }) => approve(s, waiting),
  cancel: (s, { key, waiting }) => s.cancel({ ...key, approvalId: waiting.id, now: NOON }),
  start: (s, { approved }) => start(s, approved),
  settle: (s, { started }) => settle(s, started, DONE, { followUp: true, recipients: ['b@x.org'] }),
  followedUp: (s, { key: { ownerId }, executed }) => s.followedUp({ ownerId, approvalId: executed.id }),
  followUpLater: (s, { key: { ownerId }, executed }) =>
    s.followUpLater({ ownerId, approvalId: executed.id, retryMs: LEASE_MS, error: null }),
  reclaim: (s) => reclaim(s),
  expire: (s) => s.expire(LATE),
  addEndpoint: (s, { key }) => addEndpoint(s, key),
  endpoints: (s, { key: { ownerId } }) => s.endpoints(ownerId),
  removeEndpoint: (s, { key: { ownerId } }) => s.removeEndpoint(ownerId, 1),
  rotateEndpoint: (s, { key: { ownerId } }) =>
    s.rotateEndpoint({ ownerId, endpointId: 1, sealedSecret: 'new', overlapUntil: LATE }),
  enableEndpoint: (s, { key: { ownerId } }) => s.enableEndpoint(ownerId, 1),
  testEndpoint: (s, { key: { ownerId } }) => s.testEndpoint({ ownerId, endpointId: 1, now: NOON }),
  ownersWithDeliveries: (s) => s.ownersWithDeliveries({ after: '', limit: 10 }),
  moveDeliveries: (s, { attempt }) => end(s, attempt, 204),
  deliveries: (s, { key: { ownerId } }) =>
    s.deliveries({ ownerId, endpointId: 1, before: undefined, limit: 10 }),
  redeliver: (s, { key: { ownerId } }) => s.redeliver({ ownerId, endpointId: 1, sequence: 1, now: NOON }),
  erase: (s) => s.erase(erasing({}, LATE)),
  alteredDecisions: (s, { key: { ownerId } }) => s.alteredDecisions(ownerId, SIGNER),
  approval: (s, { key: { ownerId }, waiting }) => s.approval(ownerId, waiting.id),
  approvals: (s, { key }) => s.approvals({ ...key, state: 'all', after: undefined, limit: 10 }),
  openApprovals: (s, { key: { ownerId } }) => s.openApprovals([ownerId]),
  plan: (s, { key: { ownerId }, waiting }) => s.plan(ownerId, waiting.id),
  askedPlan: (s, { key: { ownerId }, waiting }) => s.askedPlan(ownerId, waiting.id),
  gists: (s, { key: { ownerId }, waiting }) => s.gists(ownerId, [waiting.id]),
  knownRecipients: (s, { key: { ownerId } }) => s.knownRecipients(ownerId, 1, ['a@x.org']),
  rememberRecipients: (s, { key: { ownerId } }) => s.rememberRecipients(ownerId, 1, ['c@x.org'], NOON),
  relocatedAmong: (s, { key: { ownerId } }) => s.relocatedAmong(ownerId, ['mark']),
  accountHealth: (s, { key: { ownerId } }) => s.accountHealth(ownerId),
  editAccount: (s, { key: { ownerId } }) =>
    s.editAccount({ ownerId, accountId: 1, label: 'l', displayName: 'n', signature: 's' }),
  changeSettings: (s, { key: { ownerId } }) =>
    s.changeSettings({ ownerId, accountId: 1, sealedSettings: 'others' }),
  reportServer: (s, { key: { ownerId } }) =>
    s.reportServer({
      ...{ ownerId, accountId: 1, revision: 1, server: 'reading' },
      ...{ state: 'password_refused', reason: 'r', now: NOON },
    }),
  accountsToCheck: (s) => s.accountsToCheck({ now: NOON, limit: 1 }),
  takeCheck: (s, { key: { ownerId } }) =>
    s.takeCheck({ ownerId, accountId: 1, idleMs: 1, jitterMs: 0, now: NOON }),
  changeFolderRoles: (s, { key: { ownerId } }) =>
    s.changeFolderRoles({
      ownerId,
      accountId: 1,
      change: { type: 'made', role: 'archive', path: 'Archive' },
    }),
  reads: (s, { key: { ownerId } }) => s.reads({ ownerId, after: NOON, limit: 10 }),
  rememberRead: (s, { key }) =>
    s.rememberRead({
      ...key,
      read: { readId: 'later', hashes: '', phrases: '', sealed: 'sealed' },
      now: NOON,
    }),
  isRepeat: (s, { key: { ownerId } }) => s.isRepeat({ ownerId, requestHash: 'request', now: NOON }),
  readSources: (s, { key: { ownerId } }) => s.readSources(ownerId, ['read']),
  knownDomains: (s, { key: { ownerId } }) => s.knownDomains(ownerId, 1, [1]),
  events: (s, { key: { ownerId } }) => s.events({ ownerId, afterId: 0, limit: 10 }),
  eventStream: (s) => s.eventStream('approval.decided'),
  numberEvents: (s) => s.numberEvents('approval.decided'),
  eventsAfter: (s) => s.eventsAfter({ type: 'approval.decided', after: 0, limit: 10 }),
  activity: (s, { key: { ownerId } }) => s.activity({ ownerId, limit: 10 }),
  addCredential: (s, { key: { ownerId } }) =>
    s.addCredential({
      signer: SIGNER,
      ...{ ownerId, credentialId: 'key_2', kind: 'pat', name: 'n', modes: DIRECT, secretHash: randomUUID() },
      ...{ expiresAt: LATE, now: NOON },
    }),
  rotate: (s, { key }) =>
    s.rotate({
      signer: SIGNER,
      ...key,
      secretHash: randomUUID(),
      expiresAt: LATE,
      overlapMs: 1000,
      now: NOON,
    }),
  revoke: (s, { key }) => s.revoke({ signer: SIGNER, ...key, now: NOON }),
  revokeBySecret: (s, { key }) => s.revokeBySecret({ secretHash: key.secretHash, signer: SIGNER, now: NOON }),
  addSignIn: (s, { key: { ownerId } }) =>
    s.addSignIn({
      ...{ ownerId, credentialId: 'key_3', name: 'n', modes: DIRECT, fences: NO_FENCES, signer: SIGNER },
      ...{ tokens: tokens(), expiresAt: LATE, now: NOON },
    }),
  refreshSignIn: (s, { key: { ownerId }, refreshHash }) =>
    s.refreshSignIn({
      ...{
        ownerId,
        credentialId: 'key_4',
        refreshHash,
        tokens: tokens(),
        sealedTokens: 's',
        signer: SIGNER,
        now: NOON,
      },
    }),
  setModes: (s, { key }) =>
    s.setModes({ signer: SIGNER, ...key, modes: { ...DIRECT, 'mail:send': 'off' }, now: NOON }),
  pause: (s, { key }) => s.pause({ signer: SIGNER, ...key, now: NOON }),
  resume: (s, { key }) => s.resume({ signer: SIGNER, ...key, now: NOON }),
  setFences: (s, { key }) => s.setFences({ signer: SIGNER, ...key, fences: NO_FENCES, now: NOON }),
  credentials: (s, { key: { ownerId } }) => s.credentials(ownerId, SIGNER),
  addOwner: (s) => addOwner(s),
  ownersWithoutCheckpoint: (s) => s.ownersWithoutCheckpoint(),
  addCheckpoints: (s, { key: { ownerId } }) =>
    s.addCheckpoints({ ownerId, limit: 10, signer: SIGNER, now: NOON }),
  checkpoints: (s, { key: { ownerId } }) => s.checkpoints(ownerId),
  numberedActivity: (s, { key: { ownerId } }) =>
    s.numberedActivity({ ownerId, afterId: 0, upToId: 10, limit: 10 }),
  credentialUse: (s, { key: { ownerId } }) => s.credentialUse(ownerId),
  owner: (s, { key: { ownerId } }) => s.owner(ownerId),
  owners: (s) => s.owners({ after: '', limit: 10 }),
  openSetup: (s) => s.openSetup({ secretHash: 'setup', expiresAt: LATE }),
  isSetupOpen: (s) => s.isSetupOpen({ secretHash: 'setup', now: NOON }),
  ownerByEmail: (s, { key: { ownerId } }) => s.ownerByEmail(`${ownerId}@example.org`),
  updateOwner: (s, { key: { ownerId } }) =>
    s.updateOwner({ signer: SIGNER, ownerId, email: 'new@x.org', passwordHash: 'new' }),
  // The other owner has an action under way.
  removeOwner: (s, { idleOwnerId }) => s.removeOwner(idleOwnerId),
  ownerByPasskeyHandle: (s) => s.ownerByPasskeyHandle('handle'),
  secondStep: (s, { key: { ownerId } }) => s.secondStep(ownerId),
  changeSecondStep: (s, { idleOwnerId }) => s.changeSecondStep(idleOwnerId, anApp('another'), SIGNER),
  takeSecondStep: (s, { idleOwnerId }) =>
    s.takeSecondStep({
      signer: SIGNER,
      ...{ ownerId: idleOwnerId, proof: { kind: 'none' }, deviceHash: null, newDeviceHash: 'new', now: NOON },
    }),
  setPassword: (s, { key: { ownerId } }) => s.setPassword(ownerId, 'hash', SIGNER),
  addSession: (s, { key: { ownerId } }) => begin(s, aSession(ownerId, randomUUID())),
  session: (s) => s.session(SESSION.sessionId, SIGNER, NOON),
  alteredAccess: (s, { key: { ownerId } }) => s.alteredAccess(ownerId, SIGNER),
  sessions: (s, { key: { ownerId } }) => s.sessions(ownerId, SIGNER, NOON),
  useSession: (s, { key: { ownerId } }) => s.useSession({ ownerId, ...SESSION, now: LATE }),
  confirmSession: (s, { key: { ownerId } }) =>
    s.confirmSession({ signer: SIGNER, ownerId, ...SESSION, proofKey: 'new', now: LATE }),
  takeProof: (s, { key: { ownerId } }) => s.takeProof({ ownerId, ...SESSION, nonce: randomUUID() }),
  endSession: (s, { key: { ownerId } }) => s.endSession(ownerId, SESSION.sessionId),
  endOtherSessions: (s, { key: { ownerId } }) => s.endOtherSessions(ownerId, SESSION.sessionId),
  takePasswordTry: (s, { key: { ownerId } }) =>
    s.takePasswordTry({
      signer: SIGNER,
      ...{ email: `${ownerId}@example.org`, rows: ROWS, deviceHash: null, now: NOON },
    }),
  passwordMatched: (s, { key: { ownerId } }) =>
    s.passwordMatched({
      signer: SIGNER,
      ...{ ownerId, passwordHash: PASSWORD_HASH, rows: ROWS, counted: ['address', 'newcomers'] },
      ...{ deviceHash: 'device', now: NOON },
    }),
  addAccount: (s, { account }) =>
    s.addAccount({
      ...{ ...account, email: 'm@x.org', folderRoles: USUAL_ROLES, now: NOON },
      seal: () => 'sealed',
    }),
  accounts: (s, { key: { ownerId } }) => s.accounts(ownerId),
  activateAccount: (s, { key: { ownerId } }) => s.activateAccount(ownerId, 1),
  removeAccount: (s, { key: { ownerId } }) =>
    s.removeAccount({ ownerId, accountId: 1, targetsBegin: 'target', now: NOON }),
  createTracker: (s, { key: { ownerId } }) =>
    s.createTracker({
      ...{ ownerId, requestId: 'r2', title: 't', keywords: '', dueOn: null, addedByAgent: true, now: NOON },
    }),
  trackers: (s, { key: { ownerId } }) =>
    s.trackers({ ownerId, state: 'active', before: undefined, limit: 1 }),
  tracker: (s, { key: { ownerId }, trackerId }) =>
    s.tracker({ ownerId, trackerId, upTo: undefined, limit: 1 }),
  setTrackerStatus: (s, { key: { ownerId }, trackerId }) =>
    s.setTrackerStatus({ ownerId, trackerId, status: 'resolved', now: NOON }),
  editTracker: (s, { key: { ownerId }, trackerId }) =>
    s.editTracker({
      ...{ ownerId, trackerId },
      was: { title: 't', keywords: 'atlas', dueOn: null },
      fields: { title: 'new', keywords: '', dueOn: null },
    }),
  unlinkFromTracker: (s, { key: { ownerId }, trackerId }) =>
    s.unlinkFromTracker({ ownerId, trackerId, linkId: 1, createdAt: NOON }),
  linkToTracker: (s, { key: { ownerId }, trackerId }) =>
    s.linkToTracker({
      ...{ ownerId, trackerId, target: 'n', addedBy: 'agent', now: NOON },
      content: { kind: 'note', note: 'n' },
    }),
  eventNumbers: (s, { key: { ownerId } }) =>
    s.eventNumbers(ownerId, 1, [{ calendar: 'c', uid: randomUUID(), recurrenceId: null }]),
  event: (s, { key: { ownerId } }) => s.event(ownerId, 1),
  messageHandles: (s, { key: { ownerId } }) => s.messageHandles(ownerId, [shown('b', [2])], NOON),
  handledMessages: (s, { key: { ownerId } }) => s.handledMessages(ownerId, [1]),
  replaceHandledMessages: (s, { key: { ownerId } }) =>
    s.replaceHandledMessages(ownerId, [{ accountId: 1, handle: 1, sealed: 'moved' }]),
  inboxesToWatch: (s) => s.inboxesToWatch(true),
  leaseInboxes: (s, { key: { ownerId } }) => leased(s, ownerId, { held: new Map([[1, 1]]) }),
  leaseGrant: (s, { key: { ownerId } }) => s.leaseGrant({ ownerId, accountId: 1, leaseMs: 1000 }),
  saveGrant: (s, { key: { ownerId } }) =>
    s.saveGrant({ ownerId, accountId: 1, fence: 2, sealed: 'g', withdrawnAt: null }),
  replaceGrant: (s, { key: { ownerId } }) => s.replaceGrant({ ownerId, accountId: 1, sealed: 'g' }),
  addPendingGrant: (s, { key: { ownerId } }) =>
    s.addPendingGrant({
      ownerId,
      pending: { stateHash: randomUUID(), sealed: 's', expiresAt: at(1000) },
      now: NOON,
    }),
  takePendingGrant: (s, { key: { ownerId } }) =>
    s.takePendingGrant({ ownerId, stateHash: 'begun', now: NOON }),
  releaseInboxes: (s, { key: { ownerId } }) => s.releaseInboxes(ownerId, new Map([[1, 1]])),
  waitingTrackers: (s, { key: { ownerId } }) => s.waitingTrackers(ownerId),
  advanceInbox: (s, { key: { ownerId }, trackerId }) =>
    advance(s, ownerId, 'links', { fence: 1, links: [{ trackerId, target: 'm2', message: MESSAGE }] }),
  accessChanges: (s, { key: { ownerId } }) => s.accessChanges(ownerId),
  confirmAccessChanges: (s, { idleOwnerId }) => s.confirmAccessChanges(idleOwnerId, at(9e12)),
  noticeSettings: (s, { key: { ownerId } }) => s.noticeSettings(ownerId),
  setNoticeSettings: (s, { key: { ownerId } }) => s.setNoticeSettings(ownerId, { delayMin: 1, quiet: null }),
  noticeChannels: (s, { key: { ownerId } }) => s.noticeChannels(ownerId),
  addNoticeChannel: (s, { key: { ownerId } }) =>
    s.addNoticeChannel({ channel: aChannel(ownerId, { channelId: 'ntc_3' }), most: 10 }),
  removeNoticeChannel: (s, { key: { ownerId } }) => s.removeNoticeChannel(ownerId, 'ntc_1'),
  confirmNoticeChannel: (s, { key: { ownerId } }) =>
    s.confirmNoticeChannel({ ownerId, channelId: 'ntc_2', codeMac: 'wrong', now: NOON }),
  ownerLooked: (s, { key: { ownerId } }) => s.ownerLooked(ownerId),
  ownersToNotify: (s) => s.ownersToNotify({ after: '', limit: 10, now: at(3_600_000) }),
  claimNotice: (s, { key: { ownerId } }) => s.claimNotice({ ownerId, now: at(3_600_000) }),
  endNotice: (s, { key: { ownerId } }) =>
    s.endNotice({ ownerId, channelId: 'ntc_1', end: { kind: 'gone' }, now: NOON }),
  summariesDue: (s) => s.summariesDue({ messages: 1, limit: 1 }),
  saveSummary: (s, { key: { ownerId }, trackerId }) =>
    s.saveSummary({
      ...{ ownerId, trackerId, upTo: 1 },
      summary: { text: 's', nextAction: '', importance: 'normal', sourceCount: 1 },
    }),
};
