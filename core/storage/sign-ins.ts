import type { Credential } from '../ports/credential-storage.ts';
import type { NewTokens, RefreshEnd } from '../ports/sign-in-storage.ts';
import type { Storage } from '../ports/storage.ts';
import type { AnyChange, CredentialFacts, Judged, StoredCredential, StoredSecret } from '../ports/store.ts';
import type { Signer } from '../secrets/keyring.ts';
import type { Random } from '../secrets/random.ts';
import { MINUTE_MS } from '../time/durations.ts';
import { revoke } from './credentials.ts';
import { isAltered, signedCredential, signedSecret } from './signed-rows.ts';
import { credentialAt, isOn } from './standing.ts';

type Added = Parameters<Storage['addSignIn']>[0];
type Refresh = Parameters<Storage['refreshSignIn']>[0];

/** A client with several processes may use the earlier ones until they end. */
const EARLIER_ACCESS_TOKENS = 3;

/** For so long after its use, a refresh token returns the same answer again. */
const REPEATED_MS = MINUTE_MS;

/** Adds a sign-in. The id comes from the code, so a credential with this id proves that the code was used before. */
export function addSignIn(
  facts: CredentialFacts | undefined,
  request: Added,
  random: Random,
): Judged<Credential | undefined> {
  const { ownerId, credentialId, name, modes, fences, expiresAt, signer, now } = request;
  if (facts !== undefined) return { answer: undefined, changes: revoke(facts, request, random).changes };
  const times = { createdAt: now, expiresAt, overlapUntil: null, revokedAt: null };
  const granted = { modes, fences, pausedAt: null };
  const row = { ownerId, credentialId, kind: 'oauth' as const, name, ...granted, revision: 1, ...times };
  const credential = signedCredential(row, signer);
  return {
    answer: credentialAt(credential, false, now),
    changes: [{ type: 'add_credential', credential }, ...newTokens(credential, request.tokens, signer)],
  };
}

/** Uses up the refresh token. A second use repeats the answer at first, and revokes the sign-in later. */
export function refreshSignIn(
  facts: CredentialFacts | undefined,
  request: Refresh,
  random: Random,
): Judged<RefreshEnd> {
  const { refreshHash, sealedTokens, signer, now } = request;
  if (facts === undefined || !isOn(facts.credential, signer, now)) return ENDED;
  const { credential, secrets } = facts;
  if (credential.kind !== 'oauth' || isAltered(credential, secrets, signer)) return ENDED;
  const used = secrets.find(({ secretHash, expiresAt }) => secretHash === refreshHash && expiresAt > now);
  if (used === undefined) {
    return { answer: { kind: 'reused' }, changes: revoke(facts, request, random).changes };
  }
  const answered = credentialAt(credential, false, now);
  if (used.sealedTokens !== null) {
    return {
      answer: { kind: 'repeated', credential: answered, sealedTokens: used.sealedTokens },
      changes: [],
    };
  }
  const kept = secrets
    .filter((secret) => secret !== used && secret.sealedTokens === null && secret.expiresAt > now)
    .toSorted((one, other) => other.expiresAt.getTime() - one.expiresAt.getTime())
    .slice(0, EARLIER_ACCESS_TOKENS);
  const repeatedUntilMs = Math.min(now.getTime() + REPEATED_MS, credential.expiresAt.getTime());
  return {
    answer: { kind: 'refreshed', credential: answered },
    changes: [
      ...secrets.filter((secret) => secret !== used && !kept.includes(secret)).map(removed),
      {
        type: 'save_secret',
        secret: signedSecret({ ...used, expiresAt: new Date(repeatedUntilMs), sealedTokens }, signer),
      },
      ...newTokens(credential, request.tokens, signer),
    ],
  };
}

const ENDED = { answer: { kind: 'ended' }, changes: [] } as const;

function newTokens(
  { ownerId, credentialId, expiresAt }: StoredCredential,
  tokens: NewTokens,
  signer: Signer,
): AnyChange[] {
  const endsMs = Math.min(tokens.accessExpiresAt.getTime(), expiresAt.getTime());
  const access = { secretHash: tokens.accessHash, expiresAt: new Date(endsMs) };
  const refresh = { secretHash: tokens.refreshHash, expiresAt };
  return [access, refresh].map((secret) => ({
    type: 'add_secret',
    secret: signedSecret({ ownerId, credentialId, ...secret, sealedTokens: null }, signer),
  }));
}

function removed({ ownerId, credentialId, secretHash }: StoredSecret): AnyChange {
  return { type: 'remove_secret', ownerId, credentialId, secretHash };
}
