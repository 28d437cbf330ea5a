import type { Credential, Storage } from '../ports/storage.ts';
import type { Change, CredentialFacts, Judged } from '../ports/store.ts';
import type { Random } from '../secrets/random.ts';
import { cancelWaiting } from './moved.ts';
import { credentialAt, isOn } from './standing.ts';

type Request<Verb extends keyof Storage> =
  Parameters<Storage[Verb]> extends [infer R, ...unknown[]] ? R : never;

export function addCredential(request: Request<'addCredential'>): Judged<Credential> {
  const { secretHash, expiresAt, now, ...named } = request;
  const { ownerId, credentialId } = request;
  const credential: Credential = {
    ownerId,
    credentialId,
    kind: named.kind,
    name: named.name,
    modes: named.modes,
    revision: 1,
    createdAt: now,
    expiresAt,
    overlapUntil: null,
    revokedAt: null,
  };
  return {
    answer: credential,
    changes: [
      { type: 'add_credential', credential },
      { type: 'add_secret', ownerId, credentialId, secretHash, expiresAt },
    ],
  };
}

/** Adds a secret; the ones before it end after `overlapMs`, or at their own time if that is sooner. */
export function rotate(
  facts: CredentialFacts | undefined,
  { secretHash, expiresAt, overlapMs, now }: Request<'rotate'>,
): Judged<Credential | undefined> {
  if (facts === undefined || !isOn(facts.credential, now)) return { answer: undefined, changes: [] };
  const { ownerId, credentialId } = facts.credential;
  const endsMs = now.getTime() + overlapMs;
  const before = facts.secrets.map((secret) => ({
    secretHash: secret.secretHash,
    expiresAt: new Date(Math.min(secret.expiresAt.getTime(), endsMs)),
  }));
  const overlapUntil = new Date(Math.max(...before.map((secret) => secret.expiresAt.getTime())));
  const credential = { ...facts.credential, expiresAt, overlapUntil };
  return {
    answer: credentialAt(credential, now),
    changes: [
      { type: 'save_credential', credential },
      ...before.map((secret): Change => ({ type: 'save_secret', ownerId, credentialId, ...secret })),
      { type: 'add_secret', ownerId, credentialId, secretHash, expiresAt },
    ],
  };
}

/** Switches the credential off and cancels what waits. One that is off stays as it is. */
export function revoke(
  facts: CredentialFacts | undefined,
  now: Date,
  random: Random,
): Judged<{ readonly credential: Credential | undefined; readonly won: boolean }> {
  if (facts === undefined) return { answer: { credential: undefined, won: false }, changes: [] };
  const { credential, pending } = facts;
  if (credential.revokedAt !== null) {
    return { answer: { credential: credentialAt(credential, now), won: false }, changes: [] };
  }
  const revoked = { ...credential, revokedAt: now };
  const waiting = pending.filter(({ credentialId }) => credentialId === credential.credentialId);
  return {
    answer: { credential: credentialAt(revoked, now), won: true },
    changes: [
      { type: 'save_credential', credential: revoked },
      ...cancelWaiting(waiting, 'credential_off', now, random),
    ],
  };
}

/** The same for a secret that leaked. False: it is over, or its credential is off already. */
export function revokeBySecret(
  facts: CredentialFacts | undefined,
  secretHash: string,
  now: Date,
  random: Random,
): Judged<boolean> {
  const secret = facts?.secrets.find((one) => one.secretHash === secretHash);
  if (secret === undefined || secret.expiresAt <= now) return { answer: false, changes: [] };
  const { answer, changes } = revoke(facts, now, random);
  return { answer: answer.won, changes };
}

/** Sets the modes, raises the revision, and cancels what waits in groups that are now off. */
export function setModes(
  facts: CredentialFacts | undefined,
  { modes, now }: Request<'setModes'>,
  random: Random,
): Judged<Credential | undefined> {
  if (facts === undefined || facts.credential.revokedAt !== null) return { answer: undefined, changes: [] };
  const credential = { ...facts.credential, modes, revision: facts.credential.revision + 1 };
  const waiting = facts.pending.filter(
    ({ credentialId, group }) => credentialId === credential.credentialId && modes[group] === 'off',
  );
  return {
    answer: credentialAt(credential, now),
    changes: [
      { type: 'save_credential', credential },
      ...cancelWaiting(waiting, 'permission_off', now, random),
    ],
  };
}
