import { domainOf } from '../safety/domain-of.ts';
import type { Finding, FindingSource, Mark } from '../safety/finding.ts';
import { isMailProvider } from '../safety/near-domain.ts';
import { unicodeDomain } from '../safety/punycode.ts';
import { areOneSite } from '../safety/site.ts';
import { bareSubject, isAnswerSubject } from '../text/bare-subject.ts';
import { shortened } from '../text/shortened.ts';
import { statedAddress, statedHost } from './stated-form.ts';
import type { Hit, Passage, Taken, WriteFacts } from './taken-values.ts';

/**
 * Says which findings follow from what was read before a write. Pure. Red: a recipient, a link, an address or an account
 * number that comes from a stranger, unless it goes back to its author or to the owner, or is only passed on to somebody to
 * whom the owner often writes. What the owner or a person the owner knows also wrote in their own words is never red; nor is a
 * recipient whom only proven people of the same domain named. Red too: a code or a password that somebody else wrote, whoever
 * that is, goes to a stranger. Anybody can write in the name of a person the owner knows: a message counts as that person's
 * only if the account's own server proves its sender.
 */

export interface Judged {
  readonly write: WriteFacts;
  readonly hits: readonly Hit[];
  /** Passages of the authors of its account numbers that name account numbers. */
  readonly accountPassages: readonly Passage[];
  /** Where each host that the write links to stands in it. */
  readonly links: ReadonlyMap<string, readonly Mark[]>;
  /** How often the owner has written to an address, as far as that is known; 0 if never. */
  times(address: string): number;
  /** Whether the owner has written to this domain, or it is one of the owner's. */
  isKnownDomain(domain: string): boolean;
  /** Whether two passages have ten words in a row in common. */
  sharesWords(one: Passage, other: Passage): boolean;
}

/** From this many messages on, the owner often writes to somebody. */
const OFTEN = 3;
const VALUE_CHARS = 120;
const FINDINGS_MAX = 10;

/**
 * `neutral`: it makes nothing red, and vouches for nothing. `unproven`: it names the owner, or a person the owner knows, and
 * counts as a stranger's.
 */
export type PassageStanding = 'own' | 'known' | 'stranger' | 'unproven' | 'neutral';

export function standingOf(
  { origin, author, quoting, isProven }: Passage,
  { write: { own }, times }: Pick<Judged, 'write' | 'times'>,
): PassageStanding {
  if (origin === 'record') return 'neutral';
  const isOwn = own.has(author);
  if (author === '' || (!isOwn && times(author) === 0)) return 'stranger';
  if (quoting !== null && quoting !== '' && !own.has(quoting) && times(quoting) === 0) return 'stranger';
  if (origin !== 'owner' && !isProven) return 'unproven';
  if (quoting !== null) return 'neutral';
  if (isOwn) return origin === 'owner' ? 'own' : 'neutral';
  return origin === 'carried' ? 'neutral' : 'known';
}

export function provenanceFindings(judged: Judged): Finding[] {
  const { write } = judged;
  const outsiders = write.recipients.filter((address) => !write.own.has(address));
  if (outsiders.length === 0) return [];
  const facts = { ...judged, ...foundIn(judged.hits) };
  const findings: Finding[] = [];
  for (const find of [recipientFindings, valueFindings, secretFindings, differingAccounts]) {
    for (const one of find(facts, outsiders)) {
      findings.push(one);
      if (findings.length === FINDINGS_MAX) return findings;
    }
  }
  return findings;
}

/** A text can state thousands of values, and many messages the same one. */
interface Found {
  /** The values of the write that were read. */
  readonly found: ReadonlySet<Taken>;
  /** Where each was read. */
  passagesOf(kind: Taken['kind'], value: string): readonly Passage[];
}

type JudgedFound = Judged & Found;

function foundIn(hits: readonly Hit[]): Found {
  const found = new Set<Taken>();
  const passages = new Map<string, Passage[]>();
  for (const { taken, passage } of hits) {
    if (taken.kind === 'words') continue;
    found.add(taken);
    const name = `${taken.kind} ${taken.value}`;
    const before = passages.get(name);
    if (before === undefined) passages.set(name, [passage]);
    else before.push(passage);
  }
  return { found, passagesOf: (kind, value) => passages.get(`${kind} ${value}`) ?? [] };
}

function recipientFindings(facts: JudgedFound, outsiders: readonly string[]): Finding[] {
  const { write, times } = facts;
  // A reply goes to whom its message names: `repliesElsewhere` judges that.
  if (write.answered !== null) return [];
  return outsiders.flatMap((address) => {
    const stated = statedAddress(address);
    const wrote = facts.passagesOf('author', stated).length > 0;
    if (times(address) > 0 || wrote) return [];
    const whole = facts.passagesOf('address', stated);
    const naming = whole.length > 0 ? strangersAmong(facts, whole) : piecesOf(facts, stated);
    const found = naming.every((one) => isColleague(stated, one)) ? [] : naming;
    return fromStranger(facts, found, {
      marks: [],
      what: 'recipient',
      value: shortened(address, VALUE_CHARS),
      isInPieces: whole.length === 0,
    });
  });
}

/** Whether a proven author names another address of their own domain in a message: writing there is writing back. */
function isColleague(
  address: string,
  { kind, author, quoting, origin, isListed, isProven }: Passage,
): boolean {
  const isOwnWords = kind === 'message' && !isListed && quoting === null && origin === 'person';
  const domain = domainOf(address);
  return (
    isOwnWords && isProven === true && domain === unicodeDomain(domainOf(author)) && !isMailProvider(domain)
  );
}

/**
 * A stranger names the domain of the address. And a stranger names its mailbox, or the owner has never written to the
 * domain.
 */
function piecesOf(facts: JudgedFound, address: string): Passage[] {
  const domain = domainOf(address);
  const named = strangersAmong(facts, facts.passagesOf('host', domain.replace(/^www\./, ''))).filter(
    ({ author }) => !areOneSite(domain, unicodeDomain(domainOf(author))),
  );
  const mailbox = strangersAmong(
    facts,
    facts.passagesOf('mailbox', address.slice(0, address.lastIndexOf('@'))),
  );
  return mailbox.length > 0 || !facts.isKnownDomain(domain) ? named : [];
}

const VALUES = {
  host: 'link',
  domain: 'link',
  address: 'address',
  address_domain: 'address',
  account: 'account_number',
} as const;

function* valueFindings(facts: JudgedFound, outsiders: readonly string[]): Generator<Finding> {
  const { own, recipients, answered } = facts.write;
  // Where an answer goes, the message says. A forward goes where the owner's agent was told.
  const isOften = answered === null && outsiders.every((address) => facts.times(address) >= OFTEN);
  // A recipient is judged as such.
  const judgedElsewhere = new Set([...own, ...recipients].map(statedAddress));
  for (const taken of facts.found) {
    const { kind, value, isWritten, isPassedOn } = taken;
    if (!isJudgedValue(kind)) continue;
    if (!isWritten && (!isPassedOn || isOften)) continue;
    const what = VALUES[kind];
    if (what === 'link' && facts.isKnownDomain(value)) continue;
    if (kind === 'address_domain' && facts.isKnownDomain(domainOf(value))) continue;
    if (what === 'address' && (facts.times(value) > 0 || judgedElsewhere.has(value))) continue;
    yield* fromStranger(facts, strangersNaming(facts, taken), {
      marks: what === 'link' ? [...(facts.links.get(value) ?? [])] : [],
      what,
      value: shortened(value, VALUE_CHARS),
      isInPieces: false,
    });
  }
}

function isJudgedValue(kind: Taken['kind']): kind is keyof typeof VALUES {
  return kind in VALUES;
}

type FromStranger = Extract<Finding, { rule: 'from_stranger' }>;

function fromStranger(
  facts: Judged,
  passages: readonly Passage[],
  evidence: Pick<FromStranger, 'marks' | 'what' | 'value' | 'isInPieces'>,
): Finding[] {
  return sourcesFinding(passages, (source, newest) => ({
    rule: 'from_stranger',
    severity: 'red',
    ...evidence,
    source,
    ...(standingOf(newest, facts) === 'unproven' && { isUnproven: true }),
  }));
}

/** The passages of strangers that name a value. */
function strangersNaming(facts: JudgedFound, { kind, value, isWritten }: Taken): Passage[] {
  const passages = facts.passagesOf(kind, value);
  switch (kind) {
    case 'address':
      // A forwarded text names its author at its head: only others name a new address.
      return strangersAmong(
        facts,
        isWritten
          ? passages
          : passages.filter(({ author }) => author === '' || statedAddress(author) !== value),
      );
    case 'address_domain':
      return facts.passagesOf('address', value).length > 0 ? [] : strangersAmong(facts, passages);
    case 'domain': {
      // An address vouches for no link.
      const strangers = passages.filter((one) => isStrangers(standingOf(one, facts)));
      const links = facts.passagesOf('host', value);
      const isJudged = strangersAmong(facts, links).length > 0 || isVouchedFor(facts, links);
      return isJudged || goesBack(facts, strangers) ? [] : strangers;
    }
    default:
      return strangersAmong(facts, passages);
  }
}

/** A code or a password that goes to a stranger, unless that person wrote it. */
function* secretFindings(facts: JudgedFound, outsiders: readonly string[]): Generator<Finding> {
  const strangers = outsiders.filter((address) => facts.times(address) === 0);
  for (const { kind, value } of facts.found) {
    if (kind !== 'code') continue;
    const passages = facts.passagesOf(kind, value);
    if (strangers.every((address) => passages.some((one) => isOf(facts, one, address)))) continue;
    const others = passages.filter(({ origin }) => origin !== 'record');
    yield* sourcesFinding(others, (source) => ({
      rule: 'passes_secret',
      severity: 'red',
      marks: [],
      source,
    }));
  }
}

/**
 * An account number that its sender names now, after naming only different ones. Amber if a person the owner knows corrects
 * it in the same conversation, and every message of it is proven to be that person's.
 */
function* differingAccounts(facts: JudgedFound): Generator<Finding> {
  for (const { kind, value } of facts.found) {
    if (kind !== 'account') continue;
    const named = facts.passagesOf(kind, value).filter(isOwnWords);
    for (const author of new Set(named.map((one) => one.author))) {
      const now = named.filter((one) => one.author === author);
      const since = now.reduce(
        (first, one) => Math.min(first, one.receivedMs ?? 0),
        Number.POSITIVE_INFINITY,
      );
      const before = facts.accountPassages.filter(
        (one) => isOwnWords(one) && one.author === author && (one.receivedMs ?? since) < since,
      );
      if (before.length === 0 || facts.write.own.has(author)) continue;
      const isCorrection =
        facts.times(author) > 0 &&
        [...now, ...before].every(({ isProven }) => isProven === true) &&
        now.some((one) => before.some((other) => conversationOf(one) === conversationOf(other)));
      yield* sourcesFinding(now, (source) => ({
        rule: 'differing_account',
        severity: isCorrection ? 'amber' : 'red',
        marks: [],
        value: shortened(value, VALUE_CHARS),
        source,
        ...(isCorrection && { isCorrection }),
      }));
    }
  }
}

function isOwnWords({ kind, quoting, origin, author }: Passage): boolean {
  return kind === 'message' && quoting === null && author !== '' && origin !== 'owner' && origin !== 'record';
}

export function isStrangers(standing: PassageStanding): boolean {
  return standing === 'stranger' || standing === 'unproven';
}

/** The strangers' passages. None if one of the others vouches for the value, or it goes back to its author. */
function strangersAmong(facts: Judged, passages: readonly Passage[]): Passage[] {
  const strangers = passages.filter((one) => isStrangers(standingOf(one, facts)));
  return isVouchedFor(facts, passages) || goesBack(facts, passages) ? [] : strangers;
}

function isVouchedFor(facts: Judged, passages: readonly Passage[]): boolean {
  return passages.some((one) => {
    const standing = standingOf(one, facts);
    return (standing === 'own' || standing === 'known') && !repeatsStranger(facts, one, passages);
  });
}

/**
 * Whether it answers or forwards a stranger's message, and has words of it that are not recognised as a quotation: then its
 * author may not have written the value either.
 */
function repeatsStranger(facts: Judged, one: Passage, passages: readonly Passage[]): boolean {
  if (one.kind !== 'message' || !isAnswerSubject(one.title)) return false;
  return passages.some(
    (other) =>
      other.kind === 'message' &&
      conversationOf(other) === conversationOf(one) &&
      isStrangers(standingOf(other, facts)) &&
      facts.sharesWords(one, other),
  );
}

/** Titles are cut, and prefixes add to them. */
function conversationOf({ title }: Passage): string {
  return bareSubject(title).slice(0, CONVERSATION_CHARS).toLowerCase();
}

const CONVERSATION_CHARS = 80;

/** Whether everybody outside gets only what they wrote. */
function goesBack(facts: Judged, passages: readonly Passage[]): boolean {
  const { recipients, own } = facts.write;
  return recipients
    .filter((address) => !own.has(address))
    .every((address) => passages.some((one) => isOf(facts, one, address)));
}

/** Whether this person wrote the passage. Anybody can write in the owner's name. */
function isOf(
  { write: { answered, own }, times }: Judged,
  { author, quoting, isProven }: Passage,
  address: string,
): boolean {
  const isKnown = times(author) > 0 && isProven === true;
  const person = quoting === null || quoting === '' || !isKnown ? author : quoting;
  if (person === '' || own.has(person)) return false;
  const isAnswered = answered?.includes(person) === true && areOneSite(domainOf(address), domainOf(person));
  return isAnswered || statedAddress(address) === statedAddress(person);
}

function sourcesFinding(
  passages: readonly Passage[],
  finding: (source: FindingSource, newest: Passage) => Finding,
): Finding[] {
  const newest = newestOf(passages);
  return newest === undefined ? [] : [finding(sourceOf(newest), newest)];
}

function newestOf(passages: readonly Passage[]): Passage | undefined {
  const time = ({ atMs }: Passage) => atMs ?? Number.POSITIVE_INFINITY;
  const isNameless = ({ author }: Passage) => Number(author === '');
  // A message that an agent opened comes before a row of a list, and a named author before an unnamed one.
  return passages.toSorted(
    (a, b) => isNameless(a) - isNameless(b) || Number(a.isListed) - Number(b.isListed) || time(b) - time(a),
  )[0];
}

export function sourceOf({ kind, id, title, author, quoting }: FindingSource): FindingSource {
  return { kind, id, title, author, quoting };
}

/** Names the source of a finding of the safety filter: the answered message, or where its domain was read. */
export function withSource(finding: Finding, facts: Judged, answered: Passage | undefined): Finding {
  // A stranger's message says where the answer to it goes.
  const isBad = finding.rule === 'reply_elsewhere' && finding.severity === 'amber';
  if (isBad && answered !== undefined && isStrangers(standingOf(answered, facts))) {
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
