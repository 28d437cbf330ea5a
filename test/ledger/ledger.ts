import type { Counts } from './counted-costs.ts';

/**
 * What the main calls cost when they are made for the second time, over HTTP. `ledger.test.ts` counts anew and compares,
 * both ways. If a call costs more, look for the cause first. If the new cost is right, write it down here.
 * A cost that is not named is 0.
 */
export type Ledger = Readonly<Record<string, Partial<Counts>>>;

/** On SQLite and the sandbox. */
export const SQLITE: Ledger = {
  me: { statements: 10, rowsWritten: 5, transactions: 2, hashedBytes: 108, signals: 1 },
  list: { statements: 11, rowsWritten: 6, transactions: 2, hashedBytes: 1879, signals: 2 },
  unread: { statements: 11, rowsWritten: 6, transactions: 2, hashedBytes: 1875, signals: 2 },
  search: { statements: 11, rowsWritten: 6, transactions: 2, hashedBytes: 2024, signals: 2 },
  read: { statements: 11, rowsWritten: 6, transactions: 2, hashedBytes: 1558, signals: 2 },
  thread: { statements: 11, rowsWritten: 6, transactions: 2, hashedBytes: 1558, signals: 2 },
  approvals: { statements: 12, rowsWritten: 5, transactions: 2, hashedBytes: 108, signals: 1 },
  'mark read': { statements: 10, rowsWritten: 5, transactions: 2, hashedBytes: 507, signals: 2 },
  'send, to be approved': { statements: 29, rowsWritten: 7, transactions: 3, hashedBytes: 2562, signals: 2 },
  archive: { statements: 44, rowsWritten: 14, transactions: 6, hashedBytes: 3344, signals: 3 },
};

/** On Postgres and the sandbox. */
export const POSTGRES: Ledger = {
  me: { roundTrips: 3, rowsWritten: 5 },
  list: { roundTrips: 3, rowsWritten: 6 },
  unread: { roundTrips: 3, rowsWritten: 6 },
  search: { roundTrips: 3, rowsWritten: 6 },
  read: { roundTrips: 3, rowsWritten: 6 },
  thread: { roundTrips: 3, rowsWritten: 6 },
  approvals: { roundTrips: 5, rowsWritten: 5 },
  'mark read': { roundTrips: 3, rowsWritten: 5 },
  'send, to be approved': { roundTrips: 11, rowsWritten: 7 },
  archive: { roundTrips: 15, rowsWritten: 13 },
};

/** On SQLite and Dovecot. */
export const DOVECOT: Ledger = {
  me: { signals: 1 },
  // The second is the look for messages that are marked as deleted.
  list: { imapCommands: 3, signals: 4 },
  unread: { imapCommands: 3, signals: 4 },
  search: { imapCommands: 2, signals: 4 },
  read: { imapCommands: 2, signals: 4 },
  thread: { imapCommands: 7, signals: 6 },
  approvals: { signals: 1 },
  'mark read': { imapCommands: 8, signals: 6 },
  'send, to be approved': { imapCommands: 3, signals: 5 },
  archive: { imapCommands: 8, signals: 9 },
};
