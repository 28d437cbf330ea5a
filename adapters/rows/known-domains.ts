import { domainNames } from '../../core/safety/domain-keys.ts';

/** The rows of an account's known domains, for a database that has none of them yet. */
export interface KnownDomainRows {
  readonly names: readonly { readonly name: string; readonly times: number; readonly most_written: string }[];
  readonly keys: readonly { readonly key: number; readonly name: string }[];
}

/** All keys of names that an older version added, which had fewer. */
export function keysOfNames(names: readonly string[]): KnownDomainRows['keys'] {
  return names.flatMap((name) => {
    const found = domainNames(name).find((one) => one.name === name);
    return (found?.keys ?? []).map((key) => ({ key, name }));
  });
}

/** @param domains  those written to most first */
export function knownDomainRows(
  domains: readonly { readonly name: string; readonly times: number }[],
): KnownDomainRows {
  const names = new Map<string, { name: string; times: number; most_written: string }>();
  const keys: { key: number; name: string }[] = [];
  for (const domain of domains) {
    for (const { name, keys: found } of domainNames(domain.name)) {
      if (!names.has(name)) {
        names.set(name, { name, times: 0, most_written: domain.name });
        for (const key of found) keys.push({ key, name });
      }
    }
    const known = names.get(domain.name);
    if (known !== undefined) known.times = domain.times;
  }
  // In this order, the database appends one after the other.
  return { names: [...names.values()], keys: keys.sort((a, b) => a.key - b.key) };
}
