import type { Signer } from '../secrets/keyring.ts';
import type { Random } from '../secrets/random.ts';
import { insert, type RowChange, remove } from '../state/change.ts';
import type { StateStore, Verdict } from '../state/store.ts';
import { MINUTE_MS } from '../time/durations.ts';
import type { Fences } from './fences.ts';
import { credentials, type StoredCredential, type StoredSecret, secrets } from './key-state.ts';
import {
  type CredentialFacts,
  credentialFacts,
  credentialQueries,
  revoked,
  savedSecret,
} from './key-storage.ts';
import { type Credential, credentialAt, isOn } from './live-key.ts';
import type { Modes } from './permissions.ts';
import { isAltered, signedCredential, signedSecret } from './signed-rows.ts';

/** Tokens end at the end of their sign-in, or earlier. */
export interface NewTokens {
  /** SHA-256, hex. */
  readonly accessHash: string;
  /** When the access token ends. The refresh token ends with its sign-in. */
  readonly accessExpiresAt: Date;
  /** SHA-256, hex. */
  readonly refreshHash: string;
}

export type RefreshEnd =
  | { readonly kind: 'refreshed'; readonly credential: Credential }
  /** It was used less than a minute ago. `sealedTokens`: those of that use. */
  | { readonly kind: 'repeated'; readonly credential: Credential; readonly sealedTokens: string }
  | { readonly kind: 'reused' }
  /** The sign-in has ended, was withdrawn or altered, or does not exist. */
  | { readonly kind: 'ended' };

interface Added {
  ownerId: string;
  credentialId: string;
  name: string;
  modes: Modes;
  fences: Fences;
  expiresAt: Date;
  tokens: NewTokens;
  signer: Signer;
  now: Date;
}

interface Refresh {
  ownerId: string;
  credentialId: string;
  /** Of a token that was issued for this sign-in. */
  refreshHash: string;
  tokens: NewTokens;
  /** The texts of `tokens`. */
  sealedTokens: string;
  signer: Signer;
  now: Date;
}

/**
 * The sign-ins of assistants: credentials of kind `oauth`. Their secrets are access tokens and one refresh token. The
 * verbs of credentials cover them too.
 */
export type SignInStorage = ReturnType<typeof signInStorage>;

/** @param random  source of the ids of events */
export function signInStorage({ unit }: StateStore, random: Random) {
  return {
    /**
     * Adds the sign-in that the owner consented to, with its first two tokens. If a credential of this owner has the id,
     * its code was used before: then revokes that credential and cancels its pending requests (`credential_off`).
     * @returns undefined if the code was used before
     */
    addSignIn: (request: Added): Promise<Credential | undefined> =>
      unit('durable', { ownerId: request.ownerId }, credentialQueries(request), (found) =>
        addSignIn(credentialFacts(found), request, random),
      ),

    /**
     * Replaces the refresh token, which is used up, and adds an access token. Earlier access tokens live on until their
     * end; only the newest few are kept. The token before the current one returns what replaced it for a minute: its
     * client asked twice at once, or the answer was lost. If the live sign-in has another refresh token, this one was used
     * before, and one of its two users is a thief: then revokes the sign-in and cancels its pending requests
     * (`credential_off`).
     */
    refreshSignIn: (request: Refresh): Promise<RefreshEnd> =>
      unit('durable', { ownerId: request.ownerId }, credentialQueries(request), (found) =>
        refreshSignIn(credentialFacts(found), request, random),
      ),
  };
}

/** A client with several processes may use the earlier ones until they end. */
const EARLIER_ACCESS_TOKENS = 3;

/** For so long after its use, a refresh token returns the same answer again. */
const REPEATED_MS = MINUTE_MS;

/** Adds a sign-in. The id comes from the code, so a credential with this id proves that the code was used before. */
export function addSignIn(
  facts: CredentialFacts | undefined,
  request: Added,
  random: Random,
): Verdict<Credential | undefined> {
  const { ownerId, credentialId, name, modes, fences, expiresAt, signer, now } = request;
  if (facts !== undefined) return { answer: undefined, changes: revoked(facts, request, random).changes };
  const times = { createdAt: now, expiresAt, overlapUntil: null, revokedAt: null };
  const granted = { modes, fences, pausedAt: null };
  const row = { ownerId, credentialId, kind: 'oauth' as const, name, ...granted, revision: 1, ...times };
  const credential = signedCredential(row, signer);
  return {
    answer: credentialAt(credential, false, now),
    changes: [insert(credentials, credential), ...newTokens(credential, request.tokens, signer)],
  };
}

/** Uses up the refresh token. A second use repeats the answer at first, and revokes the sign-in later. */
export function refreshSignIn(
  facts: CredentialFacts | undefined,
  request: Refresh,
  random: Random,
): Verdict<RefreshEnd> {
  const { refreshHash, sealedTokens, signer, now } = request;
  if (facts === undefined || !isOn(facts.credential, signer, now)) return ENDED;
  const { credential, secrets } = facts;
  if (credential.kind !== 'oauth' || isAltered(credential, secrets, signer)) return ENDED;
  const used = secrets.find(({ secretHash, expiresAt }) => secretHash === refreshHash && expiresAt > now);
  if (used === undefined) {
    return { answer: { kind: 'reused' }, changes: revoked(facts, request, random).changes };
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
      savedSecret(signedSecret({ ...used, expiresAt: new Date(repeatedUntilMs), sealedTokens }, signer)),
      ...newTokens(credential, request.tokens, signer),
    ],
  };
}

const ENDED = { answer: { kind: 'ended' }, changes: [] } as const;

function newTokens(
  { ownerId, credentialId, expiresAt }: StoredCredential,
  tokens: NewTokens,
  signer: Signer,
): readonly RowChange[] {
  const endsMs = Math.min(tokens.accessExpiresAt.getTime(), expiresAt.getTime());
  const access = { secretHash: tokens.accessHash, expiresAt: new Date(endsMs) };
  const refresh = { secretHash: tokens.refreshHash, expiresAt };
  return [access, refresh].map((secret) =>
    insert(secrets, signedSecret({ ownerId, credentialId, ...secret, sealedTokens: null }, signer)),
  );
}

function removed({ secretHash }: StoredSecret): RowChange {
  return remove(secrets, { secretHash });
}
