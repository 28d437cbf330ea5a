import { flag, instant, text } from '../state/column.ts';
import { select, statements } from '../state/query.ts';
import { pick, type RowOf, table } from '../state/table.ts';
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
  },
  { key: ['ownerId', 'sessionId'], unique: [['tokenHash']], partOf: owners },
);

/** The nonces that a session's proofs have used. */
export const sessionProofs = table(
  'session_proofs',
  { ownerId: text(), sessionId: text(), nonce: text() },
  { key: ['ownerId', 'sessionId', 'nonce'], removedWith: sessions },
);

/** What is known of a session. Not its token. */
const SESSION = [
  'ownerId',
  'sessionId',
  'authenticatedAt',
  'createdAt',
  'lastUsedAt',
  'browser',
  'address',
  'proofKey',
] as const;
export const SESSION_COLUMNS = pick(sessions.columns, SESSION);
export type SessionRow = Pick<RowOf<typeof sessions>, (typeof SESSION)[number]>;

export const sessionsOfOwner = select(sessions, { by: ['ownerId'], only: [...SESSION, 'expiresAt'] });

const { ownerId, sessionId } = sessions.columns;

export const sessionStatements = statements({
  /** A session that has not expired, with its owner. */
  session_by_token: {
    params: { tokenHash: text(), now: instant() },
    columns: { ...SESSION_COLUMNS, ...OWNER_COLUMNS },
  },
  /** Sessions that have not expired, most recently used first; at most 100. */
  live_sessions: { params: { ownerId, now: instant() }, columns: SESSION_COLUMNS },
  proof: {
    params: { ownerId, sessionId, nonce: text() },
    columns: { hasSession: flag(), isUsed: flag() },
  },
});
