import { owners } from '../owners/owner-state.ts';
import { instant, integer, listOf, longText, text } from '../state/column.ts';
import { commands, select, statements } from '../state/query.ts';
import { table } from '../state/table.ts';

/** Addresses that an account has written to. */
export const knownRecipients = table(
  'known_recipients',
  {
    ownerId: text(),
    accountId: integer(),
    address: longText(),
    since: instant(),
    times: integer(),
  },
  { key: ['ownerId', 'accountId', 'address'] },
);

export const knownDomains = table(
  'known_domains',
  {
    ownerId: text(),
    accountId: integer(),
    /** A domain that the account has written to, or an ending of one. */
    name: text(),
    /** Messages to this domain. 0: it is only an ending. */
    times: integer(),
    /** Of the domains that are it or end with it, the one with the most messages. */
    mostWritten: text(),
  },
  { key: ['ownerId', 'accountId', 'name'] },
);

/** What the names of known domains are found by, and near copies of them. */
export const knownDomainKeys = table(
  'known_domain_keys',
  { ownerId: text(), accountId: integer(), key: integer(), name: text() },
  { key: ['ownerId', 'accountId', 'key', 'name'] },
);

/** Messages whose place has changed, by keyed hashes. */
export const relocatedMessages = table(
  'relocated_messages',
  { ownerId: text(), mark: text() },
  { key: ['ownerId', 'mark'], partOf: owners },
);

export const relocatedAmong = select(relocatedMessages, { by: ['ownerId'], among: 'mark', only: ['mark'] });

const { ownerId, accountId } = knownRecipients.columns;
const of = { ownerId, accountId };
/** Each address with how often it is listed, and the domain to count it at; '' counts nowhere. */
const listed = {
  addressList: listOf(text()),
  timesList: listOf(integer()),
  domainList: listOf(text()),
};

export const knownStatements = statements({
  known_recipients: {
    params: { ...of, addressList: listOf(text()) },
    columns: { address: text(), times: integer() },
  },
  /** The domains that have one of the keys, and of others with the same ending the one written to most. */
  known_domains_by_keys: {
    params: { ...of, keyList: listOf(integer()) },
    columns: { name: text(), times: integer() },
  },
});

export const knownCommands = commands({
  /** Adds the keys of new names. `domainKeys`: JSON of pairs of a name and its keys. */
  add_domain_keys: { ...of, domainKeys: text() },
  /** Counts what `remember_recipients` is about to count. `added`: for an address that is known. */
  count_domains: { ...of, ...listed, added: integer() },
  /** Adds addresses. Known ones count `added` more. */
  remember_recipients: {
    ...{ ...of, addressList: listOf(text()), timesList: listOf(integer()), added: integer() },
    since: instant(),
  },
  /** Sets the domain written to most. `domainEndings`: JSON of pairs of a name and a domain that ends with it. */
  rank_domains: { ...of, domainEndings: text() },
  /** Existing ones stay. */
  remember_relocated: { ownerId, markList: listOf(text()) },
});
