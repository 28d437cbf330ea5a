import type { StoredSession } from '../gate/session.ts';
import type { Owner } from './owner-storage.ts';

/** Who is signed in on the dashboard. Makes the same promises as Storage. */
export interface SessionStorage {
  /**
   * Starts a session and deletes the owner's expired ones.
   * @param request `passwordHash`: the hash that the password was checked against
   * @returns false if the owner's hash has changed since: no session was started
   */
  addSession(request: {
    session: StoredSession;
    tokenHash: string;
    passwordHash: string;
    expiresAt: Date;
  }): Promise<boolean>;
  /** An active session, with its owner. */
  session(
    tokenHash: string,
    now: Date,
  ): Promise<{ readonly owner: Owner; readonly session: StoredSession } | undefined>;
  /** Active sessions, most recently used first; at most 100. */
  sessions(ownerId: string, now: Date): Promise<readonly StoredSession[]>;
  /** Records that the session was used. A session that has ended stays ended. */
  useSession(request: { ownerId: string; sessionId: string; now: Date }): Promise<void>;
  /**
   * Records that the user proved to be the owner, and the browser's new key. Null keeps the old key.
   * False: the session has ended.
   */
  confirmSession(request: {
    ownerId: string;
    sessionId: string;
    proofKey: string | null;
    now: Date;
  }): Promise<boolean>;
  /** Uses up a nonce. False: this session has used it before, or has ended. Nonces are kept as long as the session. */
  takeProof(request: { ownerId: string; sessionId: string; nonce: string }): Promise<boolean>;
  /** False: the owner has no such session. */
  endSession(ownerId: string, sessionId: string): Promise<boolean>;
  /** Ends all sessions of the owner except this one. @returns their number */
  endOtherSessions(ownerId: string, sessionId: string): Promise<number>;
}
