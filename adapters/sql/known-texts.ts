import type { knownCommands, knownStatements } from '../../core/accounts/known-state.ts';
import type { Dialect, Texts } from './dialect.ts';

/** The row of a name of known domains. */
const domain = ({ prefix }: Dialect, name: string) => `
  SELECT name, times, most_written FROM ${prefix}known_domains
  WHERE owner_id = @owner_id AND account_id = @account_id AND name = ${name} LIMIT 1`;

export const KNOWN_TEXTS: Texts<typeof knownStatements & typeof knownCommands> = {
  known_recipients: (dialect) =>
    dialect.name === 'sqlite'
      ? `
    SELECT address, times FROM known_recipients
    WHERE owner_id = @owner_id AND account_id = @account_id
      AND address IN (SELECT value FROM json_each(@address_list))`
      : `
    SELECT address, times FROM ${dialect.prefix}known_recipients
    WHERE owner_id = @owner_id AND account_id = @account_id
      AND address = ANY(@address_list::text[])
      AND md5(address) = ANY(ARRAY(SELECT md5(one) FROM unnest(@address_list::text[]) AS wanted (one)))`,
  // In Postgres, OFFSET and LIMIT keep each key and each name a look-up of its own. The planner may prefer to read all of the table.
  known_domains_by_keys: (dialect) =>
    dialect.name === 'sqlite'
      ? `
    SELECT DISTINCT d.name, d.times
    FROM (SELECT DISTINCT name FROM known_domain_keys
      WHERE owner_id = @owner_id AND account_id = @account_id AND key IN (SELECT value FROM json_each(@key_list))) k
    CROSS JOIN known_domains n ON n.owner_id = @owner_id AND n.account_id = @account_id AND n.name = k.name
    CROSS JOIN known_domains d ON d.owner_id = @owner_id AND d.account_id = @account_id
      AND d.name IN (n.name, n.most_written) AND d.times > 0
    ORDER BY d.name`
      : `
    SELECT DISTINCT d.name, d.times
    FROM (SELECT DISTINCT found.name FROM unnest(@key_list::bigint[]) AS used (key)
      CROSS JOIN LATERAL (SELECT name FROM ${dialect.prefix}known_domain_keys
        WHERE owner_id = @owner_id AND account_id = @account_id AND key = used.key OFFSET 0) found) k
    CROSS JOIN LATERAL (${domain(dialect, 'k.name')}) n
    CROSS JOIN LATERAL unnest(ARRAY[n.name, n.most_written]) AS wanted (name)
    CROSS JOIN LATERAL (${domain(dialect, 'wanted.name')}) d
    WHERE d.times > 0 ORDER BY d.name`,
  add_domain_keys: (dialect) =>
    dialect.name === 'sqlite'
      ? `
    INSERT INTO known_domain_keys (owner_id, account_id, key, name)
    SELECT o.owner_id, @account_id, k.value, n.value ->> 0
    FROM owners o CROSS JOIN json_each(@domain_keys) n CROSS JOIN json_each(n.value, '$[1]') k
    WHERE o.owner_id = @owner_id AND NOT EXISTS (SELECT 1 FROM known_domains
      WHERE owner_id = @owner_id AND account_id = @account_id AND name = n.value ->> 0)
    ON CONFLICT DO NOTHING`
      : `
    INSERT INTO ${dialect.prefix}known_domain_keys (owner_id, account_id, key, name)
    SELECT o.owner_id, @account_id::bigint, k.value::bigint, n ->> 0
    FROM ${dialect.prefix}owners o, json_array_elements(CAST(@domain_keys AS text)::json) n, json_array_elements_text(n -> 1) k
    WHERE o.owner_id = @owner_id AND (SELECT count(*) FROM ${dialect.prefix}known_domains
      WHERE owner_id = @owner_id AND account_id = @account_id AND name = n ->> 0) = 0
    ON CONFLICT DO NOTHING`,
  count_domains: (dialect) =>
    dialect.name === 'sqlite'
      ? `
    INSERT INTO known_domains (owner_id, account_id, name, times, most_written)
    SELECT o.owner_id, @account_id, d.value, sum(iif(r.address IS NULL, t.value, @added)), d.value
    FROM owners o, json_each(@address_list) a JOIN json_each(@times_list) t ON t.key = a.key
    JOIN json_each(@domain_list) d ON d.key = a.key AND d.value <> ''
    LEFT JOIN known_recipients r
      ON r.owner_id = @owner_id AND r.account_id = @account_id AND r.address = a.value
    WHERE o.owner_id = @owner_id GROUP BY d.value
    ON CONFLICT DO UPDATE SET times = times + excluded.times`
      : `
    INSERT INTO ${dialect.prefix}known_domains AS known (owner_id, account_id, name, times, most_written)
    SELECT o.owner_id, @account_id::bigint, domain,
      sum(CASE WHEN r.is_known THEN @added::bigint ELSE found.times END), domain
    FROM ${dialect.prefix}owners o
    CROSS JOIN unnest(@address_list::text[], @times_list::bigint[], @domain_list::text[]) AS found (address, times, domain)
    LEFT JOIN LATERAL (SELECT true AS is_known FROM ${dialect.prefix}known_recipients
      WHERE owner_id = @owner_id AND account_id = @account_id AND md5(address) = md5(found.address) LIMIT 1) r ON true
    WHERE o.owner_id = @owner_id AND domain <> '' GROUP BY o.owner_id, domain
    ON CONFLICT (owner_id, account_id, name) DO UPDATE SET times = known.times + excluded.times`,
  remember_recipients: (dialect) =>
    dialect.name === 'sqlite'
      ? `
    INSERT INTO known_recipients (owner_id, account_id, address, since_ms, times)
    SELECT o.owner_id, @account_id, a.value, @since_ms, t.value
    FROM owners o, json_each(@address_list) a JOIN json_each(@times_list) t ON t.key = a.key
    WHERE o.owner_id = @owner_id
    ON CONFLICT DO UPDATE SET times = times + @added`
      : `
    INSERT INTO ${dialect.prefix}known_recipients AS known (owner_id, account_id, address, since_ms, times)
    SELECT owner_id, @account_id::bigint, address, @since_ms::bigint, times
    FROM ${dialect.prefix}owners, unnest(@address_list::text[], @times_list::bigint[]) AS found (address, times)
    WHERE owner_id = @owner_id
    ON CONFLICT (owner_id, account_id, md5(address)) DO UPDATE SET times = known.times + @added::bigint`,
  // Of two domains with equally many messages, the first in order of characters.
  rank_domains: (dialect) =>
    dialect.name === 'sqlite'
      ? `
    INSERT INTO known_domains (owner_id, account_id, name, times, most_written)
    SELECT d.owner_id, d.account_id, n.value ->> 0, 0, d.name
    FROM json_each(@domain_endings) n CROSS JOIN known_domains d
    WHERE d.owner_id = @owner_id AND d.account_id = @account_id AND d.name = n.value ->> 1
    ON CONFLICT DO UPDATE SET most_written = excluded.most_written WHERE EXISTS (
      SELECT 1 FROM known_domains b JOIN known_domains d ON d.owner_id = b.owner_id AND d.account_id = b.account_id
      WHERE b.owner_id = @owner_id AND b.account_id = @account_id AND b.name = known_domains.most_written
        AND d.name = excluded.most_written AND (b.times, d.name) < (d.times, b.name))`
      : `
    INSERT INTO ${dialect.prefix}known_domains AS known (owner_id, account_id, name, times, most_written)
    SELECT DISTINCT ON (n ->> 0) @owner_id, @account_id::bigint, n ->> 0, 0, n ->> 1
    FROM json_array_elements(CAST(@domain_endings AS text)::json) n
    CROSS JOIN LATERAL (SELECT times FROM ${dialect.prefix}known_domains
      WHERE owner_id = @owner_id AND account_id = @account_id AND name = n ->> 1 LIMIT 1) d
    ORDER BY n ->> 0, d.times DESC, (n ->> 1) COLLATE "C"
    ON CONFLICT (owner_id, account_id, name) DO UPDATE SET most_written = excluded.most_written WHERE EXISTS (
      SELECT 1 FROM ${dialect.prefix}known_domains b
      JOIN ${dialect.prefix}known_domains d ON d.owner_id = b.owner_id AND d.account_id = b.account_id
      WHERE b.owner_id = @owner_id AND b.account_id = @account_id AND b.name = known.most_written
        AND d.name = excluded.most_written AND (b.times, d.name) < (d.times, b.name))`,
  remember_relocated: (dialect) =>
    dialect.name === 'sqlite'
      ? `
    INSERT INTO relocated_messages (owner_id, mark)
    SELECT @owner_id, value FROM json_each(@mark_list) WHERE true ON CONFLICT DO NOTHING`
      : `
    INSERT INTO ${dialect.prefix}relocated_messages (owner_id, mark)
    SELECT @owner_id::text, mark FROM unnest(@mark_list::text[]) AS added (mark) ON CONFLICT DO NOTHING`,
};
