import { domainNames } from '../safety/domain-keys.ts';
import { domainOf } from '../safety/domain-of.ts';
import { type RowChange, run } from '../state/change.ts';
import { all } from '../state/query.ts';
import type { StateStore } from '../state/store.ts';
import { knownCommands, knownStatements, relocatedAmong } from './known-state.ts';

/** Whom an account has written to, and which messages requests have moved. */
export type KnownStorage = ReturnType<typeof knownStorage>;

export function knownStorage({ apply, look }: StateStore) {
  return {
    /**
     * Filters the normalised addresses to those that the account is known to have written to, each with the number of
     * times, as for `knownDomains`.
     */
    async knownRecipients(
      ownerId: string,
      accountId: number,
      addresses: readonly string[],
    ): Promise<ReadonlyMap<string, number>> {
      const values = { ownerId, accountId, addressList: addresses };
      const { found } = await look({ found: all(knownStatements.known_recipients, values) });
      return new Map(found.map(({ address, times }) => [address, times]));
    },

    /** Adds addresses, each listed once per message to it. Known ones stay unchanged. */
    rememberRecipients: (
      ownerId: string,
      accountId: number,
      addresses: readonly string[],
      now: Date,
    ): Promise<void> =>
      apply(ownerId, rememberedRecipients({ ownerId, accountId, addresses, isSend: false, now })),

    /**
     * The domains that the account has written to (the text after the last `@` of an address) and that matter for the
     * domains whose `usedDomainKeys` are given: each one that such a domain is or belongs to, and, of those that it
     * imitates, contains or ends as `imitatedBy` judges, the one written to most. The result may include others. In the
     * order of their characters, each with the number of times: messages found by a lookup, and executed sends and
     * notices since then. The cost grows with the keys, not with the known domains.
     */
    async knownDomains(
      ownerId: string,
      accountId: number,
      usedKeys: readonly number[],
    ): Promise<ReadonlyMap<string, number>> {
      const values = { ownerId, accountId, keyList: usedKeys };
      const { found } = await look({ found: all(knownStatements.known_domains_by_keys, values) });
      return new Map(found.map(({ name, times }) => [name, times]));
    },

    /** Filters the marks to those of messages that requests of the owner's keys moved, copied or labelled. */
    async relocatedAmong(ownerId: string, marks: readonly string[]): Promise<ReadonlySet<string>> {
      const { found } = await look({ found: all(relocatedAmong, { ownerId, markList: marks }) });
      return new Set(found.map(({ mark }) => mark));
    },
  };
}

/**
 * Adds addresses, counted as often as they are listed. Known ones count one more if `isSend` (the owner wrote to them just
 * now), else nothing changes. Does nothing if the owner is removed.
 */
export function rememberedRecipients({
  ownerId,
  accountId,
  addresses,
  isSend,
  now,
}: {
  readonly ownerId: string;
  readonly accountId: number;
  readonly addresses: readonly string[];
  readonly isSend: boolean;
  readonly now: Date;
}): readonly RowChange[] {
  const counts = new Map<string, number>();
  for (const address of addresses) counts.set(address, (counts.get(address) ?? 0) + 1);
  const domainsOf = Array.from(counts.keys(), domainOf);
  const named = new Map(domainsOf.map((domain) => [domain, domainNames(domain)]));
  const keys = new Map([...named.values()].flat().map((one) => [one.name, one.keys]));
  const ranked = [...named].flatMap(([domain, names]) => names.map(({ name }) => [name, domain]));
  const of = { ownerId, accountId };
  const [addressList, timesList] = [[...counts.keys()], [...counts.values()]];
  const domainList = domainsOf.map((domain) => (named.get(domain)?.length === 0 ? '' : domain));
  const added = isSend ? 1 : 0;
  return [
    run(knownCommands.add_domain_keys, { ...of, domainKeys: JSON.stringify([...keys]) }),
    run(knownCommands.count_domains, { ...of, addressList, timesList, domainList, added }),
    run(knownCommands.remember_recipients, { ...of, addressList, timesList, added, since: now }),
    run(knownCommands.rank_domains, { ...of, domainEndings: JSON.stringify(ranked) }),
  ];
}

/** Kept after the account is removed. */
export function rememberedRelocated(ownerId: string, marks: readonly string[]): RowChange {
  return run(knownCommands.remember_relocated, { ownerId, markList: marks });
}
