import { trackerLinks, type trackerStatements, trackers } from '../../core/trackers/tracker-state.ts';
import { columnList, type Dialect, type Texts } from './dialect.ts';

const inState = ({ prefix, by }: Dialect) => `
  FROM ${prefix}trackers${by('trackers_by_state')}
  WHERE owner_id = @owner_id AND is_resolved = @is_resolved`;

const toSummarise = ({ prefix }: Dialect) => `
  SELECT ${columnList(trackers.columns)} FROM ${prefix}trackers WHERE last_message_link_id > summarised_link_id
  ORDER BY row_number() OVER (PARTITION BY owner_id ORDER BY tracker_id), owner_id LIMIT @limit`;

/** The links of messages of one tracker. */
const messages = ({ prefix, by }: Dialect, owner: string, tracker: string) => `
  FROM ${prefix}tracker_links${by('links_of_messages')}
  WHERE owner_id = ${owner} AND tracker_id = ${tracker} AND kind = 'mail'`;

export const TRACKER_TEXTS: Texts<typeof trackerStatements> = {
  trackers_of_owner: (dialect) => `
    SELECT ${columnList(trackers.columns)} ${inState(dialect)} AND tracker_id < @before
    ORDER BY tracker_id DESC LIMIT @limit`,
  count_trackers: (dialect) => `SELECT count(*) AS total ${inState(dialect)}`,
  last_tracker: ({ prefix }) =>
    `SELECT coalesce(max(tracker_id), 0) AS last_id FROM ${prefix}trackers WHERE owner_id = @owner_id`,
  waiting_trackers: ({ prefix, by }) => `
    SELECT tracker_id, keywords, created_at_ms FROM ${prefix}trackers${by('trackers_waiting')}
    WHERE owner_id = @owner_id AND takes_mail ORDER BY tracker_id`,
  trackers_to_summarise: toSummarise,
  messages_to_summarise: (dialect) => {
    const links = `${dialect.prefix}tracker_links`;
    const newest = (columns: string) => `
      SELECT ${columns} ${messages(dialect, 't.owner_id', 't.tracker_id')} ORDER BY link_id DESC LIMIT @messages`;
    return `
    SELECT ${columnList(trackerLinks.columns, 'l')} FROM (${toSummarise(dialect)}) t
    CROSS JOIN ${
      dialect.name === 'sqlite'
        ? `${links} l ON l.owner_id = t.owner_id AND l.link_id IN (${newest('link_id')})`
        : `LATERAL (${newest(columnList(trackerLinks.columns))}) l`
    }
    ORDER BY l.link_id DESC`;
  },
  links_of_tracker: ({ prefix, by }) => `
    SELECT ${columnList(trackerLinks.columns)} FROM ${prefix}tracker_links${by('links_of_tracker')}
    WHERE owner_id = @owner_id AND tracker_id = @tracker_id AND link_id <= @up_to
    ORDER BY link_id DESC LIMIT @limit`,
  count_links: ({ prefix }) => `
    SELECT count(*) AS total FROM ${prefix}tracker_links WHERE owner_id = @owner_id AND tracker_id = @tracker_id`,
  last_link: ({ prefix }) =>
    `SELECT coalesce(max(link_id), 0) AS last_id FROM ${prefix}tracker_links WHERE owner_id = @owner_id`,
  other_message_link: (dialect) => `
    SELECT coalesce((
      SELECT link_id ${messages(dialect, '@owner_id', '@tracker_id')} AND link_id <> @link_id
      ORDER BY link_id DESC LIMIT 1), 0) AS last_id`,
  linked_targets: (dialect) => (dialect.name === 'sqlite' ? linkedInSqlite() : linkedInPostgres(dialect)),
};

// CROSS JOIN: in this order. Each pair is one look-up.
function linkedInSqlite(): string {
  return `
    SELECT l.tracker_id, l.target FROM json_each(@tracker_id_list) t CROSS JOIN json_each(@target_list) g
    CROSS JOIN tracker_links l ON l.owner_id = @owner_id AND l.tracker_id = t.value AND l.target = g.value`;
}

function linkedInPostgres({ prefix, among }: Dialect): string {
  return `
    SELECT tracker_id, target FROM ${prefix}tracker_links
    WHERE owner_id = @owner_id AND ${among('tracker_id', 'tracker_id_list', 'integer')}
      AND ${among('target', 'target_list', 'text')}`;
}
