import type { Signer } from '../secrets/keyring.ts';
import { insert, type RowChange, remove, update } from '../state/change.ts';
import { all, first, single } from '../state/query.ts';
import { type Commit, type StateStore, unchanged, type Verdict } from '../state/store.ts';
import { type Owner, ownerIn, ownerWithAccess } from './owner-state.ts';
import type { ListedSession, StoredSession } from './session.ts';
import {
  type SessionRow,
  sessionProofs,
  sessionStatements,
  sessions,
  sessionsOfOwner,
} from './session-state.ts';
import { isSessionIntact, signedSession } from './signed-access.ts';

/** Who is signed in on the dashboard. */
export type SessionStorage = ReturnType<typeof sessionStorage>;

export function sessionStorage({ unit, look }: StateStore) {
  return {
    /**
     * Starts a session and deletes the owner's expired ones.
     * @param request `passwordHash`: the hash that the password was checked against
     * @returns false if the owner's hash has changed since: no session was started
     */
    addSession: (request: {
      session: StoredSession;
      tokenHash: string;
      passwordHash: string;
      expiresAt: Date;
      signer: Signer;
    }): Promise<boolean> => {
      const { session, tokenHash, passwordHash, expiresAt, signer } = request;
      const { id: sessionId, ...columns } = session;
      const { ownerId } = session;
      const facts = { owner: first(ownerWithAccess, { ownerId }), found: all(sessionsOfOwner, { ownerId }) };
      return unit('relaxed', { ownerId }, facts, ({ owner, found }) => {
        if (owner === undefined) return unchanged(false);
        const over = found.filter((one) => one.expiresAt <= session.createdAt);
        const isRight = owner.passwordHash === passwordHash;
        const added = insert(
          sessions,
          signedSession({ ...columns, sessionId, tokenHash, expiresAt }, signer),
        );
        return { answer: isRight, changes: [...over.map(ended), ...(isRight ? [added] : [])] };
      });
    },

    /** An active session that Countersign wrote, with its owner. */
    async session(
      tokenHash: string,
      signer: Signer,
      now: Date,
    ): Promise<{ readonly owner: Owner; readonly session: StoredSession } | undefined> {
      const { found } = await look({ found: first(sessionStatements.session_by_token, { tokenHash, now }) });
      if (found === undefined || !isSessionIntact(found, signer)) return undefined;
      return { owner: ownerIn(found), session: storedSession(found) };
    },

    /** Active sessions, most recently used first; at most 100. */
    async sessions(ownerId: string, signer: Signer, now: Date): Promise<readonly ListedSession[]> {
      const { found } = await look({ found: all(sessionStatements.live_sessions, { ownerId, now }) });
      return found.map((row) => ({ ...storedSession(row), isAltered: !isSessionIntact(row, signer) }));
    },

    /** Records that the session was used, unless a later use is recorded. A session that has ended stays ended. */
    useSession: ({ ownerId, sessionId, now }: SessionRef & { now: Date }): Promise<void> =>
      onSessions('relaxed', ownerId, (found) => {
        const session = found.find((one) => one.sessionId === sessionId);
        if (session === undefined || session.lastUsedAt >= now) return unchanged(undefined);
        return {
          answer: undefined,
          changes: [update(sessions, { ownerId, sessionId }, { lastUsedAt: now })],
        };
      }),

    /**
     * Records that the user proved to be the owner, and the browser's new key. Null keeps the old key.
     * False: the session has ended, or Countersign did not write it.
     */
    confirmSession: (
      request: SessionRef & { proofKey: string | null; signer: Signer; now: Date },
    ): Promise<boolean> => {
      const { ownerId, sessionId, proofKey, signer, now } = request;
      return onSessions('durable', ownerId, (found) => {
        const before = found.find((one) => one.sessionId === sessionId);
        if (before === undefined || !isSessionIntact(before, signer)) return unchanged(false);
        const after = { ...before, authenticatedAt: now, proofKey: proofKey ?? before.proofKey };
        const { authenticatedAt, proofKey: key, signature } = signedSession(after, signer);
        const columns = { authenticatedAt, proofKey: key, signature };
        return { answer: true, changes: [update(sessions, { ownerId, sessionId }, columns)] };
      });
    },

    /** Uses up a nonce. False: this session has used it before, or has ended. Nonces are kept as long as the session. */
    takeProof: (proof: SessionRef & { nonce: string }): Promise<boolean> => {
      const facts = { proof: single(sessionStatements.proof, proof) };
      return unit('relaxed', { ownerId: proof.ownerId }, facts, ({ proof: { hasSession, isUsed } }) =>
        hasSession && !isUsed ? { answer: true, changes: [insert(sessionProofs, proof)] } : unchanged(false),
      );
    },

    /** False: the owner has no such session. */
    endSession: (ownerId: string, sessionId: string): Promise<boolean> =>
      onSessions('durable', ownerId, (found) => {
        const session = found.find((one) => one.sessionId === sessionId);
        return session === undefined ? unchanged(false) : { answer: true, changes: [ended(session)] };
      }),

    /** Ends all sessions of the owner except this one. @returns their number */
    endOtherSessions: (ownerId: string, sessionId: string): Promise<number> =>
      onSessions('durable', ownerId, (found) => {
        const others = found.filter((one) => one.sessionId !== sessionId);
        return { answer: others.length, changes: others.map(ended) };
      }),
  };

  function onSessions<Answer>(
    commit: Commit,
    ownerId: string,
    judge: (found: readonly SessionRow[]) => Verdict<Answer>,
  ): Promise<Answer> {
    return unit(commit, { ownerId }, { found: all(sessionsOfOwner, { ownerId }) }, ({ found }) =>
      judge(found),
    );
  }
}

interface SessionRef {
  ownerId: string;
  sessionId: string;
}

/** Also removes its nonces. */
export function ended({ ownerId, sessionId }: SessionRef): RowChange {
  return remove(sessions, { ownerId, sessionId });
}

function storedSession({ sessionId: id, ...row }: SessionRow): StoredSession {
  const { ownerId, authenticatedAt, createdAt, lastUsedAt, browser, address, proofKey } = row;
  return { id, ownerId, authenticatedAt, createdAt, lastUsedAt, browser, address, proofKey };
}
