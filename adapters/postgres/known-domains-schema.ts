import type pg from 'pg';
import { keysOfNames, knownDomainRows } from '../rows/known-domains.ts';

const TABLES = `
CREATE TABLE countersign.known_domains (
  owner_id     TEXT COLLATE "C" NOT NULL,
  account_id   BIGINT NOT NULL,
  name         TEXT COLLATE "C" NOT NULL,  -- a domain that the account has written to, or an ending of one
  times        BIGINT NOT NULL,            -- messages to this domain; 0: it is only an ending
  most_written TEXT COLLATE "C" NOT NULL,  -- of the domains that are it or end with it, the one with the most messages
  PRIMARY KEY (owner_id, account_id, name)
);
CREATE TABLE countersign.known_domain_keys (
  owner_id   TEXT COLLATE "C" NOT NULL,
  account_id BIGINT NOT NULL,
  key        BIGINT NOT NULL,
  name       TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_id, account_id, key, name)
);
`;

/** The domains of known recipients, with the keys that find those that a domain may imitate. */
export async function addKnownDomains(client: pg.Client): Promise<void> {
  await client.query(TABLES);
  const accounts = await client.query<{ owner_id: string; account_id: string }>(
    'SELECT DISTINCT owner_id, account_id FROM countersign.known_recipients',
  );
  for (const { owner_id, account_id } of accounts.rows) {
    const domains = await client.query<{ name: string; times: string }>(
      `SELECT substring(address FROM '[^@]*$') COLLATE "C" AS name, sum(times)::bigint AS times
      FROM countersign.known_recipients WHERE owner_id = $1 AND account_id = $2 GROUP BY 1 ORDER BY times DESC, name`,
      [owner_id, account_id],
    );
    const { names, keys } = knownDomainRows(
      domains.rows.map(({ name, times }) => ({ name, times: Number(times) })),
    );
    await client.query(
      `INSERT INTO countersign.known_domains
      SELECT $1, $2, name, times, most_written
      FROM json_to_recordset($3) AS added (name text, times bigint, most_written text)`,
      [owner_id, account_id, JSON.stringify(names)],
    );
    await client.query(
      `INSERT INTO countersign.known_domain_keys
      SELECT $1, $2, key, name FROM json_to_recordset($3) AS added (key bigint, name text)`,
      [owner_id, account_id, JSON.stringify(keys)],
    );
  }
}

/** Also finds known domains that another one has the name of, under another ending. */
export async function addEndingKeys(client: pg.Client): Promise<void> {
  const accounts = await client.query<{ owner_id: string; account_id: string; names: string[] }>(
    'SELECT owner_id, account_id, array_agg(name) AS names FROM countersign.known_domains GROUP BY 1, 2',
  );
  for (const { owner_id, account_id, names } of accounts.rows) {
    await client.query(
      `INSERT INTO countersign.known_domain_keys
      SELECT $1, $2, key, name FROM json_to_recordset($3) AS added (key bigint, name text)
      ON CONFLICT DO NOTHING`,
      [owner_id, account_id, JSON.stringify(keysOfNames(names))],
    );
  }
}
