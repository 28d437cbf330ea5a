import type { CallContext } from '../call/context.ts';
import { statedTexts } from '../call/stated-texts.ts';
import type { Storage } from '../ports/storage.ts';
import { type Judged, provenanceFindings, withSource } from '../provenance/judge.ts';
import { type PriorRead, readLines } from '../provenance/read-lines.ts';
import {
  findPacked,
  type Hasher,
  hashedRead,
  hashersOf,
  passageHashes,
  passagesIn,
  type ShownPassage,
  toRead,
} from '../provenance/read-record.ts';
import type { StoredRead } from '../provenance/read-state.ts';
import { countOf, STATED_MAX, type StatedPassage } from '../provenance/stated-text.ts';
import {
  type Hit,
  hashedTaken,
  linkMarks,
  type Passage,
  type Taken,
  type TakenWords,
  takenValues,
  takenWords,
  toReadOf,
  type WriteFacts,
} from '../provenance/taken-values.ts';
import { domainsWithinLimit, usedDomainKeys } from '../safety/domain-keys.ts';
import { domainOf } from '../safety/domain-of.ts';
import { bareFinding, type Finding } from '../safety/finding.ts';
import { imitatedBy } from '../safety/near-domain.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { shortened } from '../text/shortened.ts';
import { DAY_MS } from '../time/durations.ts';
import { newInSent } from './new-recipients.ts';
import { openedReads } from './opened-reads.ts';

/** Finds out where a write comes from: what it shares with everything that the owner's credentials read in a day. */

/** The newest reads of the day that are searched for addresses, links and account numbers. */
const READS_MAX = 10_000;
/** Their hashes together, in characters. Strangers' texts decide how many one read has. */
const HASHES_CHARS_MAX = 32 * 1024 * 1024;
const READS_AT_ONCE = 500;
/** The newest reads that are searched for words, and that the page can name. */
const NAMED_READS = 50;
/** Reads with the same value, of which the newest are looked at. */
const SAME_MAX = 100;
/** People whose standing is looked up for one write, besides its recipients. */
const PEOPLE_MAX = 100;
/** The most of them who are looked for in Sent, in each account: those whom the store does not know. */
const SEARCHED_MAX = 10;
/** The most of these people from whom the write takes nothing. */
const OTHERS_MAX = 5;
const ACCOUNTS_MAX = 5;

/** Stands in the record of a read that had no room for all that it showed. */
const OVERFLOW: Taken = { kind: 'overflow', value: '', isWritten: false, isPassedOn: false };
/** What a stranger may get others to pass on. */
const STATED: ReadonlySet<Taken['kind']> = new Set(['host', 'address', 'account']);

export interface Provenance {
  readonly findings: readonly Finding[];
  readonly reads: readonly PriorRead[];
}

/**
 * @param planned  the findings so far. Those that are red get their source.
 * @param shown  what this call read itself, to answer or to forward it
 */
export async function provenanceOf(
  context: CallContext,
  storage: Pick<Storage, 'reads' | 'readSources' | 'knownDomains'>,
  keyring: Keyring,
  write: Omit<WriteFacts, 'own'>,
  planned: readonly Finding[],
  shown: readonly ShownPassage[],
): Promise<Provenance> {
  const { ownerId } = context.owner;
  const own = context.ownAddresses;
  const facts: WriteFacts = { ...write, own };
  const hashers = hashersOf(keyring, ownerId);
  const { reads, isWhole } = await readsOfDay(storage, ownerId, context.now);
  const unread = shown.filter(({ said }) => said === undefined);
  const toState = [...facts.texts.map(toReadOf), ...unread.map(toRead)];
  const texts = await statedTexts(context.ports.reader, toState, { ownerId, signal: context.signal });
  const read = new Map(unread.map((one, index) => [one, texts?.[facts.texts.length + index]]));
  const written = (texts ?? []).slice(0, facts.texts.length).flat();
  const taken = takenValues(facts, written);
  const values = hashedTaken([...taken, OVERFLOW], hashers);
  const words = hashedTaken(takenWords(facts, written), hashers);

  const found = reads.flatMap(({ readId, hashes }) =>
    placesIn(hashes, values).map((hit) => ({ readId, ...hit })),
  );
  const places = found.filter(({ taken: one }) => one !== OVERFLOW);
  const wanted = new Set([
    ...reads.slice(0, NAMED_READS).map(({ readId }) => readId),
    ...newestIds(places.filter(({ taken }) => taken.kind !== 'amount' && taken.kind !== 'mailbox')),
  ]);
  const opened = await openReads(context, storage, keyring, [...wanted]);
  const hits: Hit[] = places.flatMap(({ readId, passage, taken }) => hitAt(opened, readId, passage, taken));
  for (const [readId, { phrases }] of opened) {
    for (const { passage, taken } of placesIn(phrases, words))
      for (const hit of hitAt(opened, readId, passage, taken)) hits.push(hit);
  }
  const current = currentPassages(shown, (one) => one.said ?? read.get(one), hashers, values);
  for (const hit of current.hits) if (hit.taken !== OVERFLOW) hits.push(hit);
  const isCut = found.length > places.length || current.hits.some(({ taken: one }) => one === OVERFLOW);
  const states = taken.some(
    ({ kind, isWritten, isPassedOn }) => STATED.has(kind) && (isWritten || isPassedOn),
  );

  const isWhollyStated = written.every((text) => countOf(text) <= STATED_MAX);
  const isCompared = isWhole && isWhollyStated && !(isCut && states);
  const isChecked = texts !== undefined || planned.some(({ rule }) => rule === 'text_not_checked');
  const uncompared = [
    ...(isCompared ? [] : [bareFinding('reads_not_compared')]),
    ...(isChecked ? [] : [bareFinding('text_not_checked')]),
  ];

  const newest = reads.slice(0, NAMED_READS).flatMap(({ readId }) => opened.get(readId)?.passages ?? []);
  const people = await timesOf(
    context,
    peopleIn(facts, hits, newest),
    facts.recipients.length + SEARCHED_MAX,
  );
  const hosts = new Set(
    hits.flatMap(({ taken }) => {
      if (taken.kind === 'address_domain') return [domainOf(taken.value)];
      return taken.kind === 'host' || taken.kind === 'domain' ? [taken.value] : [];
    }),
  );
  const domains =
    hosts.size === 0
      ? new Set<string>()
      : await knownDomainsOf(context, storage, own, [...write.recipients.map(domainOf), ...hosts]);
  const judged: Judged = {
    write: facts,
    hits,
    links: linkMarks(facts, written),
    accountPassages: await accountPassages(context, storage, keyring, { reads, hits, hashers, values }),
    times: (address) => people.get(address) ?? 0,
    // Only hosts that were read are judged by it.
    isKnownDomain: (domain) => isWithinAny(domain, domains),
    sharesWords: wordsComparison(opened),
  };
  const [answered] = write.answered === null ? [] : current.passages;
  const findings = [
    ...planned.map((one) => withSource(one, judged, answered)),
    ...provenanceFindings(judged),
  ];
  return {
    findings: [
      ...(await withImitated(context, storage, own, findings)),
      ...(facts.recipients.every((one) => own.has(one)) ? [] : uncompared),
    ],
    reads: readLines(newest, hits, judged, context.credential.credentialId),
  };
}

/** The reads of the last 24 hours, newest first, as far as the limits go, and whether these are all. */
async function readsOfDay(
  storage: Pick<Storage, 'reads'>,
  ownerId: string,
  now: Date,
): Promise<{ readonly reads: readonly StoredRead[]; readonly isWhole: boolean }> {
  const after = new Date(now.getTime() - DAY_MS);
  const reads: StoredRead[] = [];
  let chars = 0;
  for (;;) {
    const page = await storage.reads({ ownerId, after, before: reads.at(-1), limit: READS_AT_ONCE });
    for (const read of page) {
      chars += read.hashes.length;
      if (chars > HASHES_CHARS_MAX || reads.length === READS_MAX) return { reads, isWhole: false };
      reads.push(read);
    }
    if (page.length < READS_AT_ONCE) return { reads, isWhole: true };
  }
}

type OpenedReads = ReadonlyMap<string, { readonly passages: readonly Passage[]; readonly phrases: string }>;

function placesIn<T>(packed: string, wanted: ReadonlyMap<number, T>): { passage: number; taken: T }[] {
  const found: { passage: number; taken: T }[] = [];
  if (packed === '' || wanted.size === 0) return found;
  findPacked(packed, wanted, (passage, hash) => {
    const taken = wanted.get(hash);
    if (taken !== undefined) found.push({ passage, taken });
  });
  return found;
}

/** At most SAME_MAX of each value, the newest: places are in the order of the reads. */
function newestIds(places: readonly { readonly readId: string; readonly taken: Taken }[]): string[] {
  const counts = new Map<Taken, number>();
  return places.flatMap(({ readId, taken }) => {
    const count = (counts.get(taken) ?? 0) + 1;
    counts.set(taken, count);
    return count > SAME_MAX ? [] : [readId];
  });
}

function hitAt(opened: OpenedReads, readId: string, passage: number, taken: Taken | TakenWords): Hit[] {
  const found = opened.get(readId)?.passages[passage];
  return found === undefined ? [] : [{ taken, passage: found }];
}

async function openReads(
  { owner, ports }: CallContext,
  storage: Pick<Storage, 'readSources'>,
  keyring: Keyring,
  readIds: readonly string[],
): Promise<OpenedReads> {
  const reads = await openedReads({ storage, log: ports.log }, keyring, owner.ownerId, readIds);
  return new Map(
    reads.map(({ readId, credentialId, at, phrases, passages }) => [
      readId,
      { passages: passages.map((one) => ({ ...one, atMs: at.getTime(), credentialId })), phrases },
    ]),
  );
}

function currentPassages(
  shown: readonly ShownPassage[],
  saidIn: (one: ShownPassage) => readonly StatedPassage[] | undefined,
  hashers: readonly Hasher[],
  values: ReadonlyMap<number, Taken>,
): { readonly passages: readonly Passage[]; readonly hits: readonly Hit[] } {
  const [hasher] = hashers;
  if (hasher === undefined || shown.length === 0) return { passages: [], hits: [] };
  const texts = new Map(shown.flatMap((one) => passagesIn(one, saidIn(one))));
  const { sources, values: hashes } = hashedRead([...texts.keys()], hasher, (passage, windowsMax) =>
    passageHashes(passage.author, texts.get(passage), windowsMax, hasher),
  );
  const passages = sources.passages.map((one) => ({ ...one, atMs: null, credentialId: null }));
  const hits = passages.flatMap((passage, index) =>
    (hashes[index] ?? []).flatMap((hash) => {
      const taken = values.get(hash);
      return taken === undefined ? [] : [{ taken, passage }];
    }),
  );
  return { passages, hits };
}

/** The passages in which the authors of the write's account numbers name different ones. */
async function accountPassages(
  context: CallContext,
  storage: Pick<Storage, 'readSources'>,
  keyring: Keyring,
  {
    reads,
    hits,
    hashers,
    values,
  }: {
    readonly reads: readonly StoredRead[];
    readonly hits: readonly Hit[];
    readonly hashers: readonly Hasher[];
    readonly values: ReadonlyMap<number, Taken>;
  },
): Promise<readonly Passage[]> {
  const authors = new Set(
    hits.flatMap(({ taken, passage }) =>
      taken.kind === 'account' && passage.author !== '' ? [passage.author] : [],
    ),
  );
  if (authors.size === 0) return [];
  const taken = [...authors].map(
    (value) => ({ kind: 'author', value, isWritten: false, isPassedOn: false }) as const,
  );
  const wanted = hashedTaken(taken, hashers);
  const ids = reads.filter(({ hashes }) => placesIn(hashes, wanted).length > 0).map(({ readId }) => readId);
  const opened = await openReads(context, storage, keyring, ids.slice(0, SAME_MAX));
  return [...opened.values()]
    .flatMap(({ passages }) => passages)
    .filter(
      ({ accounts }) => accounts.length > 0 && !accounts.some((one) => values.get(one)?.kind === 'account'),
    );
}

/** The people whose standing matters: the recipients, then those from whom the write takes something. */
function peopleIn(
  { recipients, own }: WriteFacts,
  hits: readonly Hit[],
  newest: readonly Passage[],
): string[] {
  const isOther = (one: string) => one.includes('@') && !own.has(one) && !recipients.includes(one);
  const namedIn = (passages: readonly Passage[]) =>
    passages
      .flatMap(({ author, quoting }) => [author, ...(quoting === null ? [] : [quoting])])
      .filter(isOther);
  const written = hits
    .flatMap(({ taken }) => (taken.kind === 'address' ? [taken.value] : []))
    .filter(isOther);
  const taken = new Set([...namedIn(hits.map(({ passage }) => passage)), ...written]);
  const others = [
    ...new Set(namedIn(newest.filter(({ isListed, quoting }) => !isListed && quoting === null))),
  ];
  const people = new Set([...taken, ...others.filter((one) => !taken.has(one)).slice(0, OTHERS_MAX)]);
  return [...recipients, ...[...people].slice(0, PEOPLE_MAX)];
}

/** How often the owner wrote to each, from any account of the call. */
async function timesOf(
  context: CallContext,
  people: readonly string[],
  searchedMax: number,
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  const { storage } = context.ports;
  for (const account of context.accounts.slice(0, ACCOUNTS_MAX)) {
    const before = await storage.knownRecipients(context.owner.ownerId, account.accountId, people);
    const unknown = people.filter((one) => !times.has(one) && !before.has(one));
    // Those that are found in Sent become known.
    await newInSent(context, account, unknown.slice(0, searchedMax));
    const known =
      unknown.length === 0
        ? before
        : await storage.knownRecipients(context.owner.ownerId, account.accountId, people);
    for (const [address, count] of known) times.set(address, (times.get(address) ?? 0) + count);
  }
  return times;
}

/** Compares the ten-word runs of passages of these reads. They are unpacked when they are first needed. */
function wordsComparison(reads: OpenedReads): Judged['sharesWords'] {
  let runs: ReadonlyMap<Passage, ReadonlySet<number>> | undefined;
  return (one, other) => {
    runs ??= runsOf(reads);
    const [ofOne, ofOther] = [runs.get(one), runs.get(other)];
    return ofOne !== undefined && ofOther !== undefined && [...ofOne].some((run) => ofOther.has(run));
  };
}

function runsOf(reads: OpenedReads): ReadonlyMap<Passage, ReadonlySet<number>> {
  const runs = new Map<Passage, Set<number>>();
  for (const { passages, phrases } of reads.values()) {
    for (const passage of passages) runs.set(passage, new Set());
    findPacked(phrases, { has: () => true }, (at, run) => {
      const passage = passages[at];
      if (passage !== undefined) runs.get(passage)?.add(run);
    });
  }
  return runs;
}

/** Says of the sources of red findings whether their authors' domains look like one that the owner knows. */
async function withImitated(
  context: CallContext,
  storage: Pick<Storage, 'knownDomains'>,
  own: ReadonlySet<string>,
  findings: readonly Finding[],
): Promise<readonly Finding[]> {
  const domains = new Set(findings.flatMap((one) => authorDomain(one) ?? []));
  if (domains.size === 0) return findings;
  const imitated = imitatedBy([...(await knownDomainsOf(context, storage, own, [...domains]))]);
  return findings.map((one) => {
    const imitates = imitated(authorDomain(one) ?? '')?.domain;
    if (imitates === undefined || !('source' in one) || one.source === undefined) return one;
    return { ...one, source: { ...one.source, imitates: shortened(imitates, DOMAIN_CHARS) } };
  });
}

const DOMAIN_CHARS = 120;

/** Of the person whose words a red finding is about. */
function authorDomain(finding: Finding): string | undefined {
  if (finding.severity !== 'red' || finding.rule === 'removes_notice') return undefined;
  if (!('source' in finding) || finding.source === undefined) return undefined;
  const { author, quoting } = finding.source;
  const domain = domainOf(quoting ?? author);
  return domain === '' ? undefined : domain;
}

/** Of the owner's domains and those that the owner has written to, those that may hold one of `hosts`. */
async function knownDomainsOf(
  { owner, accounts }: CallContext,
  storage: Pick<Storage, 'knownDomains'>,
  own: ReadonlySet<string>,
  hosts: readonly string[],
): Promise<ReadonlySet<string>> {
  // Those beyond the limit count as unknown.
  const keys = usedDomainKeys(domainsWithinLimit(hosts).domains);
  const known = await Promise.all(
    accounts
      .slice(0, ACCOUNTS_MAX)
      .map(({ accountId }) => storage.knownDomains(owner.ownerId, accountId, keys)),
  );
  return new Set([...known.flatMap((domains) => [...domains.keys()]), ...[...own].map(domainOf)]);
}

function isWithinAny(host: string, domains: ReadonlySet<string>): boolean {
  const labels = host.split('.');
  return labels.some((_, at) => domains.has(labels.slice(at).join('.')));
}
