import { domainOf } from '../safety/domain-of.ts';
import type { Finding, FindingSource, Mark } from '../safety/finding.ts';
import { unicodeDomain } from '../safety/punycode.ts';
import { areOneSite } from '../safety/site.ts';
import { shortened } from '../text/shortened.ts';
import { linksIn, statedAddress, statedHost } from './stated-values.ts';
import type { Hit, NamedText, Passage, Taken, WriteFacts } from './taken-values.ts';

/**
 * Says which findings follow from what was read before a write. Pure. Red: a recipient, a link or an account number that
 * comes from a stranger, unless it goes back to its author or to the owner, or is only passed on to somebody to whom the
 * owner often writes. What the owner or a person the owner knows also wrote in their own words is never red.
 */

export interface Judged {
  readonly write: WriteFacts;
  readonly hits: readonly Hit[];
  /** Passages of the authors of its account numbers that name account numbers. */
  readonly accountPassages: readonly Passage[];
  /** How often the owner has written to an address, as far as that is known; 0 if never. */
  times(address: string): number;
  /** Whether the owner has written to this domain, or it is one of the owner's. */
  isKnownDomain(domain: string): boolean;
}

/** From this many messages on, the owner often writes to somebody. */
const OFTEN = 3;
const VALUE_CHARS = 120;
const FINDINGS_MAX = 10;

/** `neutral`: it makes nothing red, and vouches for nothing. */
export type PassageStanding = 'own' | 'known' | 'stranger' | 'neutral';

export function standingOf(
  { origin, author, quoting }: Passage,
  { write: { own }, times }: Pick<Judged, 'write' | 'times'>,
): PassageStanding {
  if (origin === 'owner') return 'own';
  if (origin === 'record') return 'neutral';
  if (author === '') return 'stranger';
  if (own.has(author)) return 'neutral';
  if (times(author) === 0) return 'stranger';
  if (quoting === null) return origin === 'carried' ? 'neutral' : 'known';
  return quoting === '' || own.has(quoting) || times(quoting) > 0 ? 'neutral' : 'stranger';
}

export function provenanceFindings(facts: Judged): Finding[] {
  const { write } = facts;
  const outsiders = write.recipients.filter((address) => !write.own.has(address));
  if (outsiders.length === 0) return [];
  return [
    ...recipientFindings(facts, outsiders),
    ...valueFindings(facts, outsiders),
    ...differingAccounts(facts),
  ].slice(0, FINDINGS_MAX);
}

function recipientFindings(facts: Judged, outsiders: readonly string[]): Finding[] {
  const { write, times } = facts;
  // A reply goes to whom its message names: `repliesElsewhere` judges that.
  if (write.answered !== null) return [];
  return outsiders.flatMap((address) => {
    const stated = statedAddress(address);
    const wrote = hitsOf(facts, 'author', stated).length > 0;
    if (times(address) > 0 || wrote) return [];
    const whole = hitsOf(facts, 'address', stated);
    const found = whole.length > 0 ? strangersAmong(facts, whole) : piecesOf(facts, stated);
    return sourcesFinding(found, (source) => ({
      rule: 'from_stranger',
      severity: 'red',
      marks: [],
      what: 'recipient',
      value: shortened(address, VALUE_CHARS),
      isInPieces: whole.length === 0,
      source,
    }));
  });
}

/** A stranger names the domain of the address, and somebody its mailbox, or the owner has never written to the domain. */
function piecesOf(facts: Judged, address: string): Passage[] {
  const domain = domainOf(address);
  const named = strangersAmong(facts, hitsOf(facts, 'host', domain.replace(/^www\./, ''))).filter(
    ({ author }) => !areOneSite(domain, unicodeDomain(domainOf(author))),
  );
  const mailbox = strangersAmong(facts, hitsOf(facts, 'mailbox', address.slice(0, address.lastIndexOf('@'))));
  return mailbox.length > 0 || !facts.isKnownDomain(domain) ? named : [];
}

const VALUES = { host: 'link', account: 'account_number' } as const;

function valueFindings(facts: Judged, outsiders: readonly string[]): Finding[] {
  const isOften = outsiders.every((address) => facts.times(address) >= OFTEN);
  const values = new Map<string, Taken>();
  for (const { taken } of facts.hits) {
    if (taken.kind !== 'host' && taken.kind !== 'account') continue;
    if (taken.isWritten || (taken.isPassedOn && !isOften)) values.set(`${taken.kind} ${taken.value}`, taken);
  }
  return [...values.values()].flatMap((taken) => {
    if (taken.kind !== 'host' && taken.kind !== 'account') return [];
    if (taken.kind === 'host' && facts.isKnownDomain(taken.value)) return [];
    const found = strangersAmong(facts, hitsOf(facts, taken.kind, taken.value));
    const what = VALUES[taken.kind];
    return sourcesFinding(found, (source) => ({
      rule: 'from_stranger',
      severity: 'red',
      marks: taken.kind === 'host' ? marksOf(facts.write.texts, taken.value) : [],
      what,
      value: shortened(taken.value, VALUE_CHARS),
      isInPieces: false,
      source,
    }));
  });
}

/** An account number that its sender names now, after naming only different ones. */
function differingAccounts(facts: Judged): Finding[] {
  const accounts = new Set(
    facts.hits.flatMap(({ taken }) => (taken.kind === 'account' ? [taken.value] : [])),
  );
  return [...accounts].flatMap((value) => {
    const named = hitsOf(facts, 'account', value).filter(isOwnWords);
    return [...new Set(named.map(({ author }) => author))].flatMap((author) => {
      const now = named.filter((one) => one.author === author);
      const since = Math.min(...now.map(({ receivedMs }) => receivedMs ?? 0));
      const before = facts.accountPassages.filter(
        (one) => isOwnWords(one) && one.author === author && (one.receivedMs ?? since) < since,
      );
      if (before.length === 0 || facts.write.own.has(author)) return [];
      return sourcesFinding(now, (source) => ({
        rule: 'differing_account',
        severity: 'red',
        marks: [],
        value: shortened(value, VALUE_CHARS),
        source,
      }));
    });
  });
}

function isOwnWords({ kind, quoting, origin, author }: Passage): boolean {
  return kind === 'message' && quoting === null && author !== '' && origin !== 'owner' && origin !== 'record';
}

function hitsOf({ hits }: Judged, kind: Taken['kind'], value: string): Passage[] {
  return hits.flatMap(({ taken, passage }) =>
    taken.kind === kind && taken.value === value ? [passage] : [],
  );
}

/** The strangers' passages. None if one of the others vouches for the value, or it goes back to its author. */
function strangersAmong(facts: Judged, passages: readonly Passage[]): Passage[] {
  const standings = passages.map((one) => standingOf(one, facts));
  if (standings.some((one) => one === 'own' || one === 'known')) return [];
  if (passages.some((one) => goesBack(facts, one))) return [];
  return passages.filter((_, index) => standings[index] === 'stranger');
}

/** Whether the write goes to the person who wrote the passage. */
function goesBack({ write: { recipients, answered }, times }: Judged, { author, quoting }: Passage): boolean {
  const person = quoting === null || quoting === '' || times(author) === 0 ? author : quoting;
  if (person === '') return false;
  const isAnswered =
    answered?.includes(person) && recipients.some((one) => areOneSite(domainOf(one), domainOf(person)));
  return isAnswered === true || recipients.some((one) => statedAddress(one) === statedAddress(person));
}

function sourcesFinding(
  passages: readonly Passage[],
  finding: (source: FindingSource) => Finding,
): Finding[] {
  const newest = newestOf(passages);
  return newest === undefined ? [] : [finding(sourceOf(newest))];
}

function newestOf(passages: readonly Passage[]): Passage | undefined {
  const time = ({ atMs }: Passage) => atMs ?? Number.POSITIVE_INFINITY;
  const isNameless = ({ author }: Passage) => Number(author === '');
  // What an agent opened says more than a row of a list, and somebody with a name more than nobody.
  return passages.toSorted(
    (a, b) => isNameless(a) - isNameless(b) || Number(a.isListed) - Number(b.isListed) || time(b) - time(a),
  )[0];
}

export function sourceOf({ kind, id, title, author, quoting }: FindingSource): FindingSource {
  return { kind, id, title, author, quoting };
}

function marksOf(texts: readonly NamedText[], host: string): Mark[] {
  return texts.flatMap(({ text, place }) =>
    place === null
      ? []
      : Array.from(linksIn(text))
          .filter((link) => link.host === host)
          .slice(0, FINDINGS_MAX)
          .map(({ from, to }) => ({ in: place.in, from: from + place.at, to: to + place.at })),
  );
}

/** Names the source of a finding of the safety filter: the answered message, or where its domain was read. */
export function withSource(finding: Finding, facts: Judged, answered: Passage | undefined): Finding {
  // A stranger's message says where the answer to it goes.
  const isStrangers = answered !== undefined && standingOf(answered, facts) === 'stranger';
  if (finding.rule === 'reply_elsewhere' && finding.severity === 'amber' && isStrangers) {
    return { ...finding, severity: 'red', source: sourceOf(answered) };
  }
  if (finding.severity !== 'red') return finding;
  switch (finding.rule) {
    case 'near_copy_domain':
    case 'hidden_host':
    case 'misleading_link':
    case 'reply_elsewhere': {
      const source = newestOf(sourcePassages(finding, facts, answered));
      return source === undefined ? finding : { ...finding, source: sourceOf(source) };
    }
    default:
      return finding;
  }
}

type SourcedFinding = Extract<
  Finding,
  { rule: 'near_copy_domain' | 'hidden_host' | 'misleading_link' | 'reply_elsewhere' }
>;

function sourcePassages(finding: SourcedFinding, facts: Judged, answered: Passage | undefined): Passage[] {
  const host = statedHost(
    finding.rule === 'near_copy_domain'
      ? finding.domain
      : finding.rule === 'hidden_host'
        ? finding.host
        : finding.rule === 'misleading_link'
          ? finding.actual
          : '',
  );
  const isOfPerson = finding.rule === 'reply_elsewhere' || ('role' in finding && finding.role !== 'link');
  if (isOfPerson && answered !== undefined) return [answered];
  return facts.hits.flatMap(({ taken, passage }) => {
    if (taken.kind === 'host' && taken.value === host) return [passage];
    return taken.kind === 'address' && domainOf(taken.value) === host ? [passage] : [];
  });
}
