import { transition } from '../approvals/approval.ts';
import { NO_FENCES } from '../gate/fences.ts';
import type { Credential } from '../ports/credential-storage.ts';
import type { Storage } from '../ports/storage.ts';
import type { AnyChange, CredentialFacts, Judged, StoredCredential } from '../ports/store.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Random } from '../secrets/random.ts';
import { cancelWaiting, writesOfEnd } from './moved.ts';
import { isAltered, isCredentialIntact, signedCredential, signedSecret } from './signed-rows.ts';
import { credentialAt, isOn } from './standing.ts';

type Request<Verb extends keyof Storage> =
  Parameters<Storage[Verb]> extends [infer R, ...unknown[]] ? R : never;

const NOTHING = { answer: undefined, changes: [] } as const;

export function addCredential(
  facts: CredentialFacts | undefined,
  request: Request<'addCredential'>,
): Judged<Credential | undefined> {
  if (facts !== undefined) return NOTHING;
  const { ownerId, credentialId, secretHash, expiresAt, signer, now } = request;
  const { kind, name, modes, fences = NO_FENCES } = request;
  const named = { ownerId, credentialId, kind, name, modes, fences, pausedAt: null };
  const times = { createdAt: now, expiresAt, overlapUntil: null, revokedAt: null };
  const credential = signedCredential({ ...named, revision: 1, ...times }, signer);
  const secret = signedSecret({ ownerId, credentialId, secretHash, expiresAt, sealedTokens: null }, signer);
  return {
    answer: credentialAt(credential, false, now),
    changes: [
      { type: 'add_credential', credential },
      { type: 'add_secret', secret },
    ],
  };
}

/** Adds a secret to a key. Earlier ones end after `overlapMs`, or sooner at their own time. */
export function rotate(
  facts: CredentialFacts | undefined,
  { secretHash, expiresAt, overlapMs, seenExpiresAt, signer, now }: Request<'rotate'>,
): Judged<Credential | undefined> {
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
    before.reduce((last, { expiresAt }) => Math.max(last, expiresAt.getTime()), Number.NEGATIVE_INFINITY),
  );
  const credential = signedCredential({ ...facts.credential, expiresAt, overlapUntil }, signer);
  const secret = signedSecret({ ownerId, credentialId, secretHash, expiresAt, sealedTokens: null }, signer);
  return {
    answer: credentialAt(credential, false, now),
    changes: [
      { type: 'save_credential', credential },
      ...before.map((one): AnyChange => ({ type: 'save_secret', secret: one })),
      { type: 'add_secret', secret },
    ],
  };
}

/** Revokes the credential and cancels its pending requests. A revoked and intact credential stays unchanged. */
export function revoke(
  facts: CredentialFacts | undefined,
  { signer, now }: Pick<Request<'revoke'>, 'signer' | 'now'>,
  random: Random,
): Judged<{ readonly credential: Credential | undefined; readonly won: boolean }> {
  if (facts === undefined) return { answer: { credential: undefined, won: false }, changes: [] };
  const { credential, pending } = facts;
  if (credential.revokedAt !== null && isCredentialIntact(credential, signer)) {
    return { answer: { credential: credentialAt(credential, false, now), won: false }, changes: [] };
  }
  const revoked = signedCredential({ ...credential, revokedAt: now }, signer);
  const waiting = pending.filter(({ credentialId }) => credentialId === credential.credentialId);
  return {
    answer: { credential: credentialAt(revoked, false, now), won: true },
    changes: [
      { type: 'save_credential', credential: revoked },
      ...cancelWaiting(waiting, 'credential_off', now, random),
    ],
  };
}

/** The same for a leaked secret. False: the secret has ended, or its credential is revoked already. */
export function revokeBySecret(
  facts: CredentialFacts | undefined,
  { secretHash, signer, now }: Request<'revokeBySecret'>,
  random: Random,
): Judged<boolean> {
  const secret = facts?.secrets.find((one) => one.secretHash === secretHash);
  if (secret === undefined || secret.expiresAt <= now) return { answer: false, changes: [] };
  const { answer, changes } = revoke(facts, { signer, now }, random);
  return { answer: answer.won, changes };
}

/** Sets the modes, raises the revision, and cancels pending requests in groups that are now off. */
export function setModes(
  facts: CredentialFacts | undefined,
  { modes, signer, now }: Request<'setModes'>,
  random: Random,
): Judged<Credential | undefined> {
  if (facts === undefined || !isChangeable(facts, signer)) return NOTHING;
  const { revision } = facts.credential;
  const credential = signedCredential({ ...facts.credential, modes, revision: revision + 1 }, signer);
  const waiting = facts.pending.filter(
    ({ credentialId, group }) => credentialId === credential.credentialId && modes[group] === 'off',
  );
  return saved(credential, now, cancelWaiting(waiting, 'permission_off', now, random));
}

/** Pauses the credential and ends its approved requests that have not started. A paused one stays unchanged. */
export function pause(
  facts: CredentialFacts | undefined,
  { signer, now }: Request<'pause'>,
  random: Random,
): Judged<Credential | undefined> {
  if (facts === undefined || !isChangeable(facts, signer)) return NOTHING;
  if (facts.credential.pausedAt !== null) return unchanged(facts, now);
  const credential = signedCredential({ ...facts.credential, pausedAt: now }, signer);
  const ends = facts.unstarted.flatMap((approval) => {
    const ended = transition(approval, { type: 'pause' }, now);
    return ended === undefined ? [] : writesOfEnd(approval, ended, now, random);
  });
  return saved(credential, now, ends);
}

export function resume(
  facts: CredentialFacts | undefined,
  { signer, now }: Request<'resume'>,
): Judged<Credential | undefined> {
  if (facts === undefined || !isChangeable(facts, signer)) return NOTHING;
  if (facts.credential.pausedAt === null) return unchanged(facts, now);
  return saved(signedCredential({ ...facts.credential, pausedAt: null }, signer), now, []);
}

/** Sets the fences and raises the revision. */
export function setFences(
  facts: CredentialFacts | undefined,
  { fences, signer, now }: Request<'setFences'>,
): Judged<Credential | undefined> {
  if (facts === undefined || !isChangeable(facts, signer)) return NOTHING;
  const revision = facts.credential.revision + 1;
  return saved(signedCredential({ ...facts.credential, fences, revision }, signer), now, []);
}

/** Signing an altered row again would make a change from outside look like the owner's. */
function isChangeable({ credential, secrets }: CredentialFacts, signer: Signer): boolean {
  return credential.revokedAt === null && !isAltered(credential, secrets, signer);
}

function unchanged({ credential }: CredentialFacts, now: Date): Judged<Credential> {
  return { answer: credentialAt(credential, false, now), changes: [] };
}

function saved(credential: StoredCredential, now: Date, more: readonly AnyChange[]): Judged<Credential> {
  return {
    answer: credentialAt(credential, false, now),
    changes: [{ type: 'save_credential', credential }, ...more],
  };
}
