import { forgetTries } from '../gate/second-step.ts';
import type { StoredSession } from '../gate/session.ts';
import type { Storage } from '../ports/storage.ts';
import type { AnyChange, FactsOf, Judged, SessionsFacts } from '../ports/store.ts';
import { accessChange } from './access-change.ts';

type Facts = SessionsFacts | undefined;

const NOTHING = { answer: false, changes: [] } as const;

/** Starts a session and ends expired ones. False: the password has changed meanwhile. */
export function addSession(
  facts: Facts,
  { session, tokenHash, passwordHash, expiresAt }: Parameters<Storage['addSession']>[0],
): Judged<boolean> {
  if (facts === undefined) return NOTHING;
  const over = facts.sessions.filter((one) => one.expiresAt <= session.createdAt).map((one) => one.session);
  const isRight = facts.passwordHash === passwordHash;
  return {
    answer: isRight,
    changes: [
      ...ends(over),
      ...(isRight ? [{ type: 'add_session', session, tokenHash, expiresAt } as const] : []),
    ],
  };
}

function ends(sessions: readonly StoredSession[]): AnyChange[] {
  return sessions.map(({ ownerId, id }) => ({ type: 'end_session', ownerId, sessionId: id }));
}

function found(facts: Facts, sessionId: string): StoredSession | undefined {
  return facts?.sessions.find(({ session }) => session.id === sessionId)?.session;
}

/** Records the use of a session, unless a later one is recorded. */
export function useSession(facts: Facts, sessionId: string, now: Date): Judged<void> {
  const session = found(facts, sessionId);
  if (session === undefined || session.lastUsedAt >= now) return { answer: undefined, changes: [] };
  return { answer: undefined, changes: [{ type: 'save_session', session: { ...session, lastUsedAt: now } }] };
}

/** Records that the user proved to be the owner. False: the session has ended. */
export function confirmSession(
  facts: Facts,
  { sessionId, proofKey, now }: Parameters<Storage['confirmSession']>[0],
): Judged<boolean> {
  const session = found(facts, sessionId);
  if (session === undefined) return NOTHING;
  const confirmed = { ...session, authenticatedAt: now, proofKey: proofKey ?? session.proofKey };
  return { answer: true, changes: [{ type: 'save_session', session: confirmed }] };
}

/** Accepts a nonce once, while its session exists. */
export function takeProof(
  { hasSession, isUsed }: FactsOf<'proof'>,
  proof: Parameters<Storage['takeProof']>[0],
): Judged<boolean> {
  if (!hasSession || isUsed) return NOTHING;
  return { answer: true, changes: [{ type: 'use_nonce', ...proof }] };
}

export function endSession(facts: Facts, sessionId: string): Judged<boolean> {
  const session = found(facts, sessionId);
  return session === undefined ? NOTHING : { answer: true, changes: ends([session]) };
}

/** Ends all sessions except this one. @returns their number */
export function endOtherSessions(facts: Facts, sessionId: string): Judged<number> {
  const others = (facts?.sessions ?? []).map(({ session }) => session).filter(({ id }) => id !== sessionId);
  return { answer: others.length, changes: ends(others) };
}

/**
 * Sets a password, ends every session, and forgets the known devices and the wrong codes of the second step. False: no
 * such owner.
 */
export function setPassword(
  facts: Facts,
  ownerId: string,
  passwordHash: string,
  storeNowMs: number,
): Judged<boolean> {
  if (facts === undefined) return NOTHING;
  const { secondStep } = facts;
  return {
    answer: true,
    changes: [
      ...(secondStep === null
        ? []
        : [{ type: 'save_second_step', ownerId, secondStep: forgetTries(secondStep) } as const]),
      ...ends(facts.sessions.map(({ session }) => session)),
      { type: 'forget_devices', ownerId },
      { type: 'save_password', ownerId, passwordHash },
      // The first password changes nothing.
      ...(facts.passwordHash === null ? [] : [accessChange(ownerId, 'password', storeNowMs)]),
    ],
  };
}
