import { activityStorage } from '../activity/activity-storage.ts';
import { eventNumberStorage } from '../calendar/event-number-storage.ts';
import { PER_ENDPOINT_MAX } from '../events/attempt-room.ts';
import { eventStorage } from '../events/event-storage.ts';
import { noticeStorage } from '../notices/notice-storage.ts';
import { ownerStorage } from '../owners/owner-storage.ts';
import { passwordStorage } from '../owners/password-storage.ts';
import { secondStepStorage } from '../owners/second-step-storage.ts';
import { sessionStorage } from '../owners/session-storage.ts';
import type { CredentialRef } from '../ports/call-storage.ts';
import type { Storage } from '../ports/storage.ts';
import type { Store } from '../ports/store.ts';
import { readStorage } from '../provenance/read-storage.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Random } from '../secrets/random.ts';
import { requestId } from '../secrets/record-ids.ts';
import { TABLES_OF_OWNERS } from '../service/all-tables.ts';
import { reportServer, takeCheck } from './account-health.ts';
import {
  activateAccount,
  addAccount,
  changeFolderRoles,
  changeSettings,
  editAccount,
  removeAccount,
} from './accounts.ts';
import { admit } from './admit.ts';
import { claim, renew } from './claims.ts';
import { observeCommits } from './committed-changes.ts';
import {
  addCredential,
  pause,
  resume,
  revoke,
  revokeBySecret,
  rotate,
  setFences,
  setModes,
} from './credentials.ts';
import { cancel, decide } from './decide.ts';
import { file, filingNeed } from './file.ts';
import { finishCall, finishedWithClaim } from './finish.ts';
import { addPendingGrant, leaseGrant, replaceGrant, saveGrant, takePendingGrant } from './grants.ts';
import { expire, reclaim } from './recover.ts';
import { followedUp, followUpLater, settle, start } from './run.ts';
import { addSignIn, refreshSignIn } from './sign-ins.ts';
import { isAltered } from './signed-rows.ts';
import { credentialAt } from './standing.ts';
import {
  createTracker,
  editTracker,
  linkToTracker,
  saveSummary,
  setTrackerStatus,
  unlinkFromTracker,
} from './trackers.ts';
import { advanceInbox, leaseInboxes, releaseInboxes } from './watching.ts';
import {
  addEndpoint,
  enableEndpoint,
  moveDeliveries,
  redeliver,
  removeEndpoint,
  rotateEndpoint,
  testEndpoint,
} from './webhooks.ts';

/** The most events per unit for which deliveries are filed. Each may concern every endpoint, or only one. */
const NEWS_AT_ONCE = 2 * PER_ENDPOINT_MAX;

/**
 * Builds core's storage on a database without rules. Each verb names the facts that it needs, the pure function that
 * decides on them, and whether the result must survive a power loss. A record is durable if somebody acts on it: an
 * action's start and end, a decision, a revoked key.
 * @param random  source of the ids of events and requests
 */
export function createStorage(database: Store, random: Random): Storage {
  const { store, onCommit } = observeCommits(database);
  const { unit } = store;
  const approval = (ownerId: string, approvalId: string, withPlan = false) =>
    ({ kind: 'approval', ownerId, approvalId, withPlan }) as const;
  const followUpOf = ({ ownerId, approvalId }: { ownerId: string; approvalId: string }) =>
    ({ kind: 'held', ownerId, followUp: approvalId }) as const;
  const tracker = (ownerId: string, trackerId: number, targets: readonly string[] = []) =>
    ({ kind: 'trackers', ownerId, trackerIds: [trackerId], targets }) as const;
  const accountsOf = (ownerId: string) => ({ kind: 'accounts', ownerId }) as const;
  const pendingGrantsOf = (ownerId: string) => ({ kind: 'pendingGrants', ownerId }) as const;
  const endpointsOf = (ownerId: string, credentialId: string | null = null) =>
    ({ kind: 'endpoints', ownerId, credentialId }) as const;
  const key = ({ ownerId, credentialId }: { ownerId: string; credentialId: string }) =>
    ({ kind: 'credential', ownerId, credentialId }) as const;

  return {
    ...lookups(store),
    ...activityStorage(store),
    ...eventStorage(store, onCommit),
    ...ownerStorage(store, TABLES_OF_OWNERS),
    ...sessionStorage(store),
    ...passwordStorage(store),
    ...secondStepStorage(store),
    ...noticeStorage(store),
    ...readStorage(store),
    ...eventNumberStorage(store),
    onApprovalChange: (listener) =>
      onCommit((changes) => {
        for (const change of changes) {
          if (!('type' in change)) continue;
          if (change.type !== 'add_approval' && change.type !== 'save_approval') continue;
          listener(change.approval.id, change.approval.ownerId);
        }
      }),

    admit: (r) =>
      unit('relaxed', { kind: 'caller', ...credentialRef(r) }, (facts, at) => admit(facts, r, at)),
    claim: (r) => {
      const { ownerId, credentialId, key } = r;
      const newId = requestId(random);
      return unit('relaxed', { kind: 'claim', ownerId, credentialId, key }, (facts, at) =>
        claim(facts, r, at, newId),
      );
    },
    renew: (held, leaseMs) =>
      unit('relaxed', { kind: 'held', ...held }, (facts, at) => renew(facts, held, leaseMs, at)),
    finish: (end) => {
      if (end.claim === null) return store.apply(end.caller.ownerId, finishCall(end));
      const { caller, claim: ended } = end;
      const { ownerId, credentialId } = caller;
      return unit('relaxed', { kind: 'claim', ownerId, credentialId, key: ended.key }, (facts) => ({
        answer: undefined,
        changes: finishedWithClaim(facts, end, ended),
      }));
    },

    file: (r) => unit('durable', { kind: 'filing', ...filingNeed(r) }, (facts, at) => file(facts, r, at)),
    decide: (r) =>
      unit('durable', approval(r.ownerId, r.approvalId, r.decision.type === 'approve'), (facts, at) =>
        decide(facts, r, at, random),
      ),
    cancel: (r) => unit('durable', approval(r.ownerId, r.approvalId), (facts) => cancel(facts, r, random)),
    start: (r) => unit('durable', approval(r.ownerId, r.approvalId), (facts) => start(facts, r, random)),
    settle: (r) =>
      unit('durable', approval(r.ownerId, r.approvalId), (facts, at) => settle(facts, r, at, random)),
    followedUp: (r) => unit('relaxed', followUpOf(r), (facts) => followedUp(facts, r)),
    followUpLater: (r) => unit('relaxed', followUpOf(r), (facts, at) => followUpLater(facts, r, at)),
    reclaim: (r) =>
      unit('durable', { kind: 'due', running: r.running, limit: r.limit }, (facts, at) =>
        reclaim(facts, r, at, random),
      ),
    expire: (now) => unit('durable', { kind: 'overdue', now }, (facts) => expire(facts, now, random)),
    rememberRecipients: (ownerId, accountId, addresses, now) =>
      store.apply(ownerId, [
        { type: 'remember_recipients', ownerId, accountId, addresses, isSend: false, now },
      ]),

    addCredential: (r) => unit('durable', key(r), (facts) => addCredential(facts, r)),
    rotate: (r) => unit('durable', key(r), (facts) => rotate(facts, r)),
    revoke: async (r) => (await unit('durable', key(r), (facts) => revoke(facts, r, random))).credential,
    async revokeBySecret(r) {
      const found = await store.credentialOfSecret(r.secretHash);
      if (found === undefined) return false;
      return unit('durable', key(found), (facts) => revokeBySecret(facts, r, random));
    },
    addSignIn: (r) => unit('durable', key(r), (facts) => addSignIn(facts, r, random)),
    refreshSignIn: (r) => unit('durable', key(r), (facts) => refreshSignIn(facts, r, random)),
    setModes: (r) => unit('durable', key(r), (facts) => setModes(facts, r, random)),
    pause: (r) => unit('durable', key(r), (facts) => pause(facts, r, random)),
    resume: (r) => unit('durable', key(r), (facts) => resume(facts, r)),
    setFences: (r) => unit('durable', key(r), (facts) => setFences(facts, r)),

    addAccount: (r) => unit('durable', accountsOf(r.ownerId), (facts) => addAccount(facts, r)),
    changeFolderRoles: (r) => unit('durable', accountsOf(r.ownerId), (facts) => changeFolderRoles(facts, r)),
    editAccount: (r) => unit('durable', accountsOf(r.ownerId), (facts) => editAccount(facts, r)),
    changeSettings: (r) => unit('durable', accountsOf(r.ownerId), (facts) => changeSettings(facts, r)),
    reportServer: (r) =>
      unit('relaxed', { kind: 'health', ownerId: r.ownerId, accountId: r.accountId }, (facts) =>
        reportServer(facts, r),
      ),
    takeCheck: (r) =>
      unit('durable', { kind: 'health', ownerId: r.ownerId, accountId: r.accountId }, (facts) =>
        takeCheck(facts, r),
      ),
    activateAccount: (ownerId, accountId) =>
      unit('durable', accountsOf(ownerId), (facts) => activateAccount(facts, ownerId, accountId)),
    removeAccount: (r) => unit('durable', accountsOf(r.ownerId), (facts) => removeAccount(facts, r, random)),

    leaseGrant: (r) => unit('relaxed', accountsOf(r.ownerId), (facts, at) => leaseGrant(facts, r, at)),
    saveGrant: (r) => unit('durable', accountsOf(r.ownerId), (facts) => saveGrant(facts, r)),
    replaceGrant: (r) => unit('durable', accountsOf(r.ownerId), (facts) => replaceGrant(facts, r)),
    addPendingGrant: (r) => unit('relaxed', pendingGrantsOf(r.ownerId), (facts) => addPendingGrant(facts, r)),
    takePendingGrant: (r) =>
      unit('durable', pendingGrantsOf(r.ownerId), (facts) => takePendingGrant(facts, r)),

    createTracker: (r) =>
      unit('relaxed', { kind: 'newTracker', ownerId: r.ownerId, requestId: r.requestId }, (facts) =>
        createTracker(facts, r),
      ),
    setTrackerStatus: (r) =>
      unit('relaxed', tracker(r.ownerId, r.trackerId), (facts) => setTrackerStatus(facts, r)),
    editTracker: (r) => unit('durable', tracker(r.ownerId, r.trackerId), (facts) => editTracker(facts, r)),
    unlinkFromTracker: (r) =>
      unit(
        'durable',
        { kind: 'trackerLink', ownerId: r.ownerId, trackerId: r.trackerId, linkId: r.linkId },
        (facts) => unlinkFromTracker(facts, r),
      ),
    linkToTracker: (r) =>
      unit('relaxed', tracker(r.ownerId, r.trackerId, [r.target]), (facts) => linkToTracker(facts, r)),
    saveSummary: (r) => unit('relaxed', tracker(r.ownerId, r.trackerId), (facts) => saveSummary(facts, r)),
    addEndpoint: (r) =>
      unit('durable', endpointsOf(r.ownerId, r.credentialId), (facts) => addEndpoint(facts, r)),
    removeEndpoint: (ownerId, endpointId) =>
      unit('durable', endpointsOf(ownerId), (facts) => removeEndpoint(facts, ownerId, endpointId)),
    rotateEndpoint: (r) => unit('durable', endpointsOf(r.ownerId), (facts) => rotateEndpoint(facts, r)),
    enableEndpoint: (ownerId, endpointId) =>
      unit('durable', endpointsOf(ownerId), (facts) => enableEndpoint(facts, endpointId)),
    testEndpoint: (r) =>
      unit('relaxed', endpointsOf(r.ownerId), (facts, at) => testEndpoint(facts, r, at, random)),
    moveDeliveries: (r) => {
      const { ownerId, ends: refs } = r;
      // Reads about as much as can start now.
      const limit = Math.min(r.limit, NEWS_AT_ONCE);
      const perEndpoint = Math.min(r.limit, PER_ENDPOINT_MAX);
      return unit('relaxed', { kind: 'webhooks', ownerId, refs, limit, perEndpoint }, (facts, at) =>
        moveDeliveries(facts, r, at),
      );
    },
    redeliver: (r) => unit('relaxed', { kind: 'delivery', ...r }, (facts, at) => redeliver(facts, r, at)),

    leaseInboxes: (r) =>
      unit('relaxed', { kind: 'watching', ownerId: r.ownerId }, (facts, at) => leaseInboxes(facts, r, at)),
    releaseInboxes: (ownerId, held) =>
      unit('relaxed', { kind: 'watching', ownerId }, (facts) => releaseInboxes(facts, ownerId, held)),
    advanceInbox: (r) => {
      const { ownerId, accountId, reader, received, links } = r;
      const identities = received.map(({ identity }) => identity);
      const trackerIds = [...new Set(links.map(({ trackerId }) => trackerId))];
      const targets = [...new Set(links.map(({ target }) => target))];
      const need = { kind: 'inbox', ownerId, accountId, reader, identities, trackerIds, targets } as const;
      return unit('relaxed', need, (facts) => advanceInbox(facts, r, random));
    },
  };
}

function credentialRef(ref: CredentialRef): CredentialRef {
  return 'secretHash' in ref
    ? { secretHash: ref.secretHash }
    : { ownerId: ref.ownerId, credentialId: ref.credentialId };
}

/** The verbs that need no rules. The store answers them directly. */
function lookups(store: Store) {
  const {
    unit: _unit,
    ownerUnit: _owner,
    countersUnit: _counters,
    execute: _execute,
    otherWork: _work,
    look: _look,
    apply: _apply,
    credentialOfSecret: _secret,
    ...plain
  } = store;
  return {
    ...plain,
    async credentials(ownerId: string, signer: Signer) {
      const { credentials, secrets, storeNowMs } = await store.credentials(ownerId);
      const now = new Date(storeNowMs);
      return credentials.map((credential) => {
        const own = secrets.filter(({ credentialId }) => credentialId === credential.credentialId);
        return credentialAt(credential, isAltered(credential, own, signer), now);
      });
    },
  };
}
