import { domainOf } from '../safety/domain-of.ts';
import type { DomainRole, Finding, Mark } from '../safety/finding.ts';
import { imitatedBy } from '../safety/near-domain.ts';
import type { NamedDomains, NamingText, SafetyFacts } from '../safety/safety-facts.ts';
import { hostsIn } from '../stated/hosts.ts';
import { shortened } from '../text/shortened.ts';
import { hiddenName } from './hidden-name.ts';

/** A domain of a request: whose it is, and where the agent wrote it. */
interface UsedDomain {
  readonly role: DomainRole;
  readonly domain: string;
  readonly disguise: string | undefined;
  readonly marks: readonly Mark[];
}

/** More links are not checked. */
const LINKS_MAX = 200;
const NAME_CHARS = 120;

/** Domains that imitate one the owner wrote to, or the owner's own. A later role of the same domain adds nothing. */
export function nearCopies(facts: SafetyFacts): Finding[] {
  const { knownDomains, ownDomains } = facts;
  const byTimes = [...knownDomains].sort(([, a], [, b]) => b - a).map(([domain]) => domain);
  const imitated = imitatedBy([...ownDomains, ...byTimes]);
  return usedDomains(naming(facts)).used.flatMap(({ role, domain, marks }) => {
    const other = imitated(domain);
    // Many linked sites have a name that others have under another ending.
    if (other === undefined || (role === 'link' && other.hasOtherEnding)) return [];
    return [
      {
        rule: 'near_copy_domain',
        severity: other.isOtherCountry ? 'amber' : 'red',
        marks: [...marks],
        role,
        domain: shortened(domain, NAME_CHARS),
        imitated: shortened(other.domain, NAME_CHARS),
        times: ownDomains.has(other.domain) ? null : (knownDomains.get(other.domain) ?? 1),
      },
    ];
  });
}

/** Hosts that a reader takes for a different one. */
export function hiddenHosts(facts: SafetyFacts): Finding[] {
  return usedDomains(naming(facts)).used.flatMap(({ role, domain, disguise, marks }) => {
    const hidden =
      disguise === undefined ? hiddenName(domain) : ({ name: disguise, severity: 'red' } as const);
    if (hidden === undefined || facts.knownDomains.has(domain)) return [];
    const [host, name] = [shortened(domain, NAME_CHARS), shortened(hidden.name, NAME_CHARS)];
    return [{ rule: 'hidden_host', severity: hidden.severity, marks: [...marks], role, host, hidden: name }];
  });
}

/** The domains that the rules compare with known ones: of recipients, of senders, then of links. */
export function comparedDomains(message: NamingText): NamedDomains {
  const { used, complete } = usedDomains(message);
  return { domains: used.map(({ domain }) => domain), complete };
}

function naming({ to, answered, subject, body }: SafetyFacts): NamingText {
  return { to, senders: answered?.senders ?? [], subject, body };
}

function usedDomains({ to, senders, subject, body }: NamingText): { used: UsedDomain[]; complete: boolean } {
  const used = new Map<string, UsedDomain & { readonly marks: Mark[] }>();
  let complete = true;
  const add = (role: DomainRole, domain: string, disguise?: string, mark?: Mark) => {
    const name = `${domain} ${disguise ?? ''}`;
    const before = used.get(name);
    if (before !== undefined && mark !== undefined) before.marks.push(mark);
    if (before === undefined) used.set(name, { role, domain, disguise, marks: mark ? [mark] : [] });
  };
  for (const address of to) add('recipient', domainOf(address));
  for (const address of senders) add('sender', domainOf(address));
  for (const [place, text] of [
    ['subject', subject],
    ['text', body],
  ] as const) {
    let count = 0;
    for (const { host, disguise, from, to: end } of hostsIn(text)) {
      if (count++ === LINKS_MAX) {
        complete = false;
        break;
      }
      add('link', host, disguise, { in: place, from, to: end });
    }
  }
  return { used: [...used.values()], complete };
}
