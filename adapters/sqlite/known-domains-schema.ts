import type { Database } from 'better-sqlite3';
import { keysOfNames, knownDomainRows } from '../rows/known-domains.ts';

const TABLES = `
CREATE TABLE known_domains (
  owner_id TEXT NOT NULL,
  account_id INTEGER NOT NULL,
  name TEXT NOT NULL,                        -- a domain that the account has written to, or an ending of one
  times INTEGER NOT NULL,                    -- messages to this domain; 0: it is only an ending
  most_written TEXT NOT NULL,                -- of the domains that are it or end with it, the one with the most messages
  PRIMARY KEY (owner_id, account_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE known_domain_keys (
  owner_id TEXT NOT NULL,
  account_id INTEGER NOT NULL,
  key INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (owner_id, account_id, key, name)
) STRICT, WITHOUT ROWID;
`;

interface Account {
  readonly owner_id: string;
  readonly account_id: number;
}

/** The domains of known recipients, with the keys that find those that a domain may imitate. */
export function addKnownDomains(db: Database): void {
  db.exec(TABLES);
  const accounts = db.prepare<[], Account>('SELECT DISTINCT owner_id, account_id FROM known_recipients');
  // Trimming every character except @ from the right leaves everything up to the last @.
  const domains = db.prepare<[string, number], { name: string; times: number }>(`
    SELECT substr(address, length(rtrim(address, replace(address, '@', ''))) + 1) AS name, sum(times) AS times
    FROM known_recipients WHERE owner_id = ? AND account_id = ? GROUP BY 1 ORDER BY times DESC, name`);
  const addName = db.prepare('INSERT INTO known_domains VALUES (?, ?, ?, ?, ?)');
  const addKey = db.prepare('INSERT INTO known_domain_keys VALUES (?, ?, ?, ?)');
  for (const { owner_id, account_id } of accounts.all()) {
    const { names, keys } = knownDomainRows(domains.all(owner_id, account_id));
    for (const { name, times, most_written } of names)
      addName.run(owner_id, account_id, name, times, most_written);
    for (const { key, name } of keys) addKey.run(owner_id, account_id, key, name);
  }
}

/** Also finds known domains that another one has the name of, under another ending. */
export function addEndingKeys(db: Database): void {
  const accounts = db.prepare<[], Account>('SELECT DISTINCT owner_id, account_id FROM known_domains');
  const names = db
    .prepare<[string, number], string>('SELECT name FROM known_domains WHERE owner_id = ? AND account_id = ?')
    .pluck();
  const addKey = db.prepare('INSERT OR IGNORE INTO known_domain_keys VALUES (?, ?, ?, ?)');
  for (const { owner_id, account_id } of accounts.all()) {
    for (const { key, name } of keysOfNames(names.all(owner_id, account_id)))
      addKey.run(owner_id, account_id, key, name);
  }
}
