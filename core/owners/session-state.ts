import { flag, instant, text } from '../state/column.ts';
import { select, statements } from '../state/query.ts';
import { type RowOf, table } from '../state/table.ts';
import { OWNER_COLUMNS, owners } from './owner-state.ts';

export const sessions = table(
  'sessions',
  {
    ownerId: text(),
    sessionId: text(),
    tokenHash: text(),
    authenticatedAt: instant(),
    createdAt: instant(),
    lastUsedAt: instant(),
    expiresAt: instant(),
    browser: text(),
    address: text(),
    proofKey: text().orNull(),
    /** `signedSession`. */
    signature: text(),
  },
  { key: ['ownerId', 'sessionId'], unique: [['tokenHash']], partOf: owners },
);

/** The nonces that a session's proofs have used. */
export const sessionProofs = table(
  'session_proofs',
  { ownerId: text(), sessionId: text(), nonce: text() },
  { key: ['ownerId', 'sessionId', 'nonce'], removedWith: sessions },
);

export type SessionRow = RowOf<typeof sessions>;

export const sessionsOfOwner = select(sessions, { by: ['ownerId'] });

const { ownerId, sessionId } = sessions.columns;

export const sessionStatements = statements({
  /** A session that has not expired, with its owner. */
  session_by_token: {
    params: { tokenHash: text(), now: instant() },
    columns: { ...sessions.columns, ...OWNER_COLUMNS },
  },
  /** Sessions that have not expired, most recently used first; at most 100. */
  live_sessions: { params: { ownerId, now: instant() }, columns: sessions.columns },
  proof: {
    params: { ownerId, sessionId, nonce: text() },
    columns: { hasSession: flag(), isUsed: flag() },
  },
});
