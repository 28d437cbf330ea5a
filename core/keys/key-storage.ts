import { type Approval, transition } from '../approvals/approval.ts';
import { approvalOf, approvalStatements } from '../approvals/approval-state.ts';
import { cancelWaiting, writesOfEnd } from '../approvals/move-storage.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Random } from '../secrets/random.ts';
import { insert, type RowChange, update } from '../state/change.ts';
import { all, clockStatements, first, single } from '../state/query.ts';
import { type StateStore, unchanged, type Verdict } from '../state/store.ts';
import { type Fences, NO_FENCES } from './fences.ts';
import {
  credentialById,
  credentialOfSecret,
  credentials,
  keyStatements,
  type StoredCredential,
  type StoredSecret,
  secrets,
  secretsOfCredential,
  secretsOfOwner,
} from './key-state.ts';
import { type Credential, credentialAt, isOn } from './live-key.ts';
import type { Modes } from './permissions.ts';
import { isAltered, isCredentialIntact, signedCredential, signedSecret } from './signed-rows.ts';

export interface CredentialUse {
  /** When its last call ended. Null: no call is in the activity. */
  readonly lastCallAt: Date | null;
  /** How many of its requests are pending. */
  readonly waiting: number;
}

/** A credential, and who changes it. */
interface Ref {
  ownerId: string;
  credentialId: string;
  signer: Signer;
  now: Date;
}

interface NewKey extends Ref {
  kind: 'pat';
  name: string;
  modes: Modes;
  /** Default: none. */
  fences?: Fences;
  secretHash: string;
  expiresAt: Date;
}

interface Rotation extends Ref {
  secretHash: string;
  expiresAt: Date;
  overlapMs: number;
  /** Default: any. */
  seenExpiresAt?: Date | undefined;
}

/** Keys and their secrets; sign-ins are credentials too. */
export type CredentialStorage = ReturnType<typeof credentialStorage>;

/** @param random  source of the ids of events */
export function credentialStorage({ unit, look }: StateStore, random: Random) {
  return {
    /** Undefined: the owner has a credential with this id, and nothing is added. */
    addCredential: (request: NewKey): Promise<Credential | undefined> =>
      onCredential(request, (facts) => addCredential(facts, request)),

    /**
     * Adds a secret to a key. Earlier ones end after `overlapMs`, or sooner at their own time. Undefined: no live key, an
     * altered one, or one that does not expire at `seenExpiresAt` any more, because it was rotated.
     */
    rotate: (request: Rotation): Promise<Credential | undefined> =>
      onCredential(request, (facts) => rotate(facts, request)),

    /**
     * Revokes the credential and cancels its pending requests (`credential_off`). An altered credential is signed again,
     * as revoked.
     */
    async revoke(request: Ref): Promise<Credential | undefined> {
      return (await onCredential(request, (facts) => revoked(facts, request, random))).credential;
    },

    /** The same for the credential with this secret, live or in its overlap. False: there is none. */
    async revokeBySecret(request: { secretHash: string; signer: Signer; now: Date }): Promise<boolean> {
      const { secretHash, signer, now } = request;
      const { found } = await look({ found: first(credentialOfSecret, { secretHash }) });
      if (found === undefined) return false;
      return onCredential({ ...found, signer, now }, (facts) => {
        const secret = facts?.secrets.find((one) => one.secretHash === secretHash);
        if (secret === undefined || secret.expiresAt <= now) return unchanged(false);
        const { answer, changes } = revoked(facts, request, random);
        return { answer: answer.won, changes };
      });
    },

    /**
     * Sets the modes, raises the revision, and cancels pending requests in groups that are now off (`permission_off`).
     * Undefined: no such live credential, or it is altered.
     */
    setModes: (request: Ref & { modes: Modes }): Promise<Credential | undefined> =>
      onChangeable(request, ({ credential, pending }) => {
        const { modes, now } = request;
        const changed = { ...credential, modes, revision: credential.revision + 1 };
        const waiting = pending.filter(
          ({ credentialId, group }) => credentialId === credential.credentialId && modes[group] === 'off',
        );
        return saved(changed, request, cancelWaiting(waiting, 'permission_off', now, random));
      }),

    /**
     * Pauses the credential. Its pending requests keep waiting. Those that are approved and have not started end
     * (`credential_paused`), so what runs from now on was approved after the pause. A paused one stays unchanged.
     * Undefined: no such live credential, or it is altered.
     */
    pause: (request: Ref): Promise<Credential | undefined> =>
      onChangeable(request, ({ credential, unstarted }) => {
        const { now } = request;
        if (credential.pausedAt !== null) return asItIs(credential, now);
        const ends = unstarted.flatMap((approval) => {
          const ended = transition(approval, { type: 'pause' }, now);
          return ended === undefined ? [] : writesOfEnd(approval, ended, now, random);
        });
        return saved({ ...credential, pausedAt: now }, request, ends);
      }),

    /** Ends the pause. Undefined: no such live credential, or it is altered. */
    resume: (request: Ref): Promise<Credential | undefined> =>
      onChangeable(request, ({ credential }) =>
        credential.pausedAt === null
          ? asItIs(credential, request.now)
          : saved({ ...credential, pausedAt: null }, request, []),
      ),

    /**
     * Sets the fences and raises the revision. Requests outside them keep waiting, and cannot be approved.
     * Undefined: no such live credential, or it is altered.
     */
    setFences: (request: Ref & { fences: Fences }): Promise<Credential | undefined> =>
      onChangeable(request, ({ credential }) =>
        saved({ ...credential, fences: request.fences, revision: credential.revision + 1 }, request, []),
      ),

    /** All credentials of the owner, newest first, including revoked ones. */
    async credentials(ownerId: string, signer: Signer): Promise<readonly Credential[]> {
      const found = await look({
        credentials: all(keyStatements.credentials_of_owner, { ownerId }),
        secrets: all(secretsOfOwner, { ownerId }),
        clock: single(clockStatements.clock, {}),
      });
      return found.credentials.map((credential) => {
        const own = found.secrets.filter(({ credentialId }) => credentialId === credential.credentialId);
        return credentialAt(credential, isAltered(credential, own, signer), found.clock.now);
      });
    },

    /** The use of each credential that is not revoked, by its id. */
    async credentialUse(ownerId: string): Promise<ReadonlyMap<string, CredentialUse>> {
      const { found } = await look({ found: all(keyStatements.credential_use, { ownerId }) });
      return new Map(
        found.map(({ credentialId, lastCall: lastCallAt, waiting }) => [
          credentialId,
          { lastCallAt, waiting },
        ]),
      );
    },
  };

  function onCredential<Answer>(
    ref: Ref,
    judge: (facts: CredentialFacts | undefined) => Verdict<Answer>,
  ): Promise<Answer> {
    return unit('durable', { ownerId: ref.ownerId }, credentialQueries(ref), (found) =>
      judge(credentialFacts(found)),
    );
  }

  /** Changes a credential that is not revoked. Signing an altered row again would make a change from outside look like the owner's. */
  function onChangeable(
    ref: Ref,
    judge: (facts: CredentialFacts) => Verdict<Credential>,
  ): Promise<Credential | undefined> {
    return onCredential<Credential | undefined>(ref, (facts) => {
      const isChangeable =
        facts?.credential.revokedAt === null && !isAltered(facts.credential, facts.secrets, ref.signer);
      return facts !== undefined && isChangeable ? judge(facts) : NOTHING;
    });
  }
}

/** What verbs of a credential decide on. */
export interface CredentialFacts {
  readonly credential: StoredCredential;
  readonly secrets: readonly StoredSecret[];
  /** The owner's pending approvals. */
  readonly pending: readonly Approval[];
  /** The credential's approved approvals that have not started. */
  readonly unstarted: readonly Approval[];
}

export function credentialQueries({ ownerId, credentialId }: { ownerId: string; credentialId: string }) {
  const of = { ownerId, credentialId };
  return {
    credential: first(credentialById, of),
    secrets: all(secretsOfCredential, of),
    pending: all(approvalStatements.pending_of_owner, { ownerId }),
    unstarted: all(approvalStatements.unstarted, of),
  };
}

/** Undefined: the owner has no such credential. */
export function credentialFacts(found: {
  readonly credential: StoredCredential | undefined;
  readonly secrets: readonly StoredSecret[];
  readonly pending: readonly Parameters<typeof approvalOf>[0][];
  readonly unstarted: readonly Parameters<typeof approvalOf>[0][];
}): CredentialFacts | undefined {
  const { credential, secrets: own, pending, unstarted } = found;
  return (
    credential && {
      credential,
      secrets: own,
      pending: pending.map(approvalOf),
      unstarted: unstarted.map(approvalOf),
    }
  );
}

const NOTHING = { answer: undefined, changes: [] } as const;

function addCredential(facts: CredentialFacts | undefined, request: NewKey): Verdict<Credential | undefined> {
  if (facts !== undefined) return NOTHING;
  const { ownerId, credentialId, secretHash, expiresAt, signer, now } = request;
  const { kind, name, modes, fences = NO_FENCES } = request;
  const named = { ownerId, credentialId, kind, name, modes, fences, pausedAt: null };
  const times = { createdAt: now, expiresAt, overlapUntil: null, revokedAt: null };
  const credential = signedCredential({ ...named, revision: 1, ...times }, signer);
  const secret = signedSecret({ ownerId, credentialId, secretHash, expiresAt, sealedTokens: null }, signer);
  return {
    answer: credentialAt(credential, false, now),
    changes: [insert(credentials, credential), insert(secrets, secret)],
  };
}

function rotate(facts: CredentialFacts | undefined, request: Rotation): Verdict<Credential | undefined> {
  const { secretHash, expiresAt, overlapMs, seenExpiresAt, signer, now } = request;
  if (facts === undefined || !isOn(facts.credential, signer, now)) return NOTHING;
  if (seenExpiresAt !== undefined && +facts.credential.expiresAt !== +seenExpiresAt) return NOTHING;
  // The secrets of a sign-in are tokens.
  if (facts.credential.kind !== 'pat') return NOTHING;
  // Signing it again would make a change from outside look like the owner's.
  if (isAltered(facts.credential, facts.secrets, signer)) return NOTHING;
  const { ownerId, credentialId } = facts.credential;
  const endsMs = now.getTime() + overlapMs;
  const before = facts.secrets.map((secret) =>
    signedSecret({ ...secret, expiresAt: new Date(Math.min(secret.expiresAt.getTime(), endsMs)) }, signer),
  );
  const overlapUntil = new Date(
    before.reduce((last, one) => Math.max(last, one.expiresAt.getTime()), Number.NEGATIVE_INFINITY),
  );
  const secret = signedSecret({ ownerId, credentialId, secretHash, expiresAt, sealedTokens: null }, signer);
  return saved({ ...facts.credential, expiresAt, overlapUntil }, request, [
    ...before.map(savedSecret),
    insert(secrets, secret),
  ]);
}

/** Revokes the credential and cancels its pending requests. A revoked and intact credential stays unchanged. */
export function revoked(
  facts: CredentialFacts | undefined,
  { signer, now }: Pick<Ref, 'signer' | 'now'>,
  random: Random,
): Verdict<{ readonly credential: Credential | undefined; readonly won: boolean }> {
  if (facts === undefined) return unchanged({ credential: undefined, won: false });
  const { credential, pending } = facts;
  if (credential.revokedAt !== null && isCredentialIntact(credential, signer)) {
    return unchanged({ credential: credentialAt(credential, false, now), won: false });
  }
  const waiting = pending.filter(({ credentialId }) => credentialId === credential.credentialId);
  const ends = cancelWaiting(waiting, 'credential_off', now, random);
  const { answer, changes } = saved({ ...credential, revokedAt: now }, { signer, now }, ends);
  return { answer: { credential: answer, won: true }, changes };
}

function asItIs(credential: StoredCredential, now: Date): Verdict<Credential> {
  return unchanged(credentialAt(credential, false, now));
}

/** Signs and saves the credential. */
function saved(
  changed: StoredCredential,
  { signer, now }: Pick<Ref, 'signer' | 'now'>,
  more: readonly RowChange[],
): Verdict<Credential> {
  const credential = signedCredential(changed, signer);
  const { ownerId, credentialId, ...columns } = credential;
  return {
    answer: credentialAt(credential, false, now),
    changes: [update(credentials, { ownerId, credentialId }, columns), ...more],
  };
}

/** Saves a secret that was signed anew. */
export function savedSecret({ secretHash, ...columns }: StoredSecret): RowChange {
  return update(secrets, { secretHash }, columns);
}
