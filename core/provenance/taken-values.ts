import { domainOf } from '../safety/domain-of.ts';
import type { Mark } from '../safety/finding.ts';
import { isMailProvider } from '../safety/near-domain.ts';
import type { HashedKind, Hasher, ReadPassage } from './read-record.ts';
import { statedAddress } from './stated-form.ts';
import type { StatedText, TextToRead } from './stated-text.ts';
import { windowsOf } from './word-windows.ts';

/** What a write says, and where it was read before. Pure. */

/** A text of a write. */
export interface NamedText {
  readonly name: 'subject' | 'text' | 'purpose';
  readonly text: string;
  /** Others wrote it, and a forward passes it on. */
  readonly isPassedOn: boolean;
  /** Where the page can highlight a part of it, and the offset of its start there. Null: nowhere. */
  readonly place: { readonly in: Mark['in']; readonly at: number } | null;
}

/** What a write is about, besides the findings that its planning made. */
export interface WriteFacts {
  /** Everybody who gets something of it. Normalised addresses. */
  readonly recipients: readonly string[];
  /** The owner's own addresses, normalised. */
  readonly own: ReadonlySet<string>;
  readonly texts: readonly NamedText[];
  /** The senders of the message that a reply answers, normalised. Null: it is not a reply. */
  readonly answered: readonly string[] | null;
}

/** A value of the write. `value` is in the form of `StatedValues`. */
export interface Taken {
  /** `address_domain`: an address, of which others may have named the domain as the host of a link. */
  readonly kind: Exclude<HashedKind, 'words'> | 'address_domain';
  readonly value: string;
  /** Whether it is in a text that the agent wrote, and in a text that it passes on. Both false: of a recipient. */
  readonly isWritten: boolean;
  readonly isPassedOn: boolean;
}

export interface TakenWords {
  readonly kind: 'words';
  readonly value: string;
  readonly in: NamedText['name'];
}

/** A passage that was read, with the time of its read. */
export interface Passage extends ReadPassage {
  /** Null: this call read it itself, to answer or to forward it. */
  readonly atMs: number | null;
  readonly credentialId: string | null;
}

/** A value or words of the write that a passage contains. */
export interface Hit<T extends Taken | TakenWords = Taken | TakenWords> {
  readonly taken: T;
  readonly passage: Passage;
}

const WINDOWS_MAX = 500;

/** What must be read of a text of a write. All words of a forwarded text are in the message that is forwarded. */
export function toReadOf({ text, isPassedOn, place }: NamedText): TextToRead {
  return {
    text,
    head: null,
    windowsMax: isPassedOn ? 0 : WINDOWS_MAX,
    wantsLinks: place !== null,
    codes: isPassedOn ? 'numbers' : 'words',
  };
}

/** @param stated  what each of its texts states; those that could not be read are left out */
export function takenValues({ recipients, texts }: WriteFacts, stated: readonly StatedText[]): Taken[] {
  const found = new Map<string, Taken>();
  const add = (kind: Taken['kind'], value: string, of: Pick<Taken, 'isWritten' | 'isPassedOn'>) => {
    const name = `${kind} ${value}`;
    const before = found.get(name);
    const isWritten = of.isWritten || before?.isWritten === true;
    found.set(name, { kind, value, isWritten, isPassedOn: of.isPassedOn || before?.isPassedOn === true });
  };
  for (const address of recipients.map(statedAddress)) {
    const of = { isWritten: false, isPassedOn: false };
    for (const kind of ['address', 'author'] as const) add(kind, address, of);
    add('host', domainOf(address).replace(/^www\./, ''), of);
    add('mailbox', address.slice(0, address.lastIndexOf('@')), of);
  }
  for (const [index, { isPassedOn }] of texts.entries()) {
    const of = { isWritten: !isPassedOn, isPassedOn };
    const { addresses = [], hosts = [], accountNumbers = [], amounts = [], codes = [] } = stated[index] ?? {};
    for (const value of addresses) {
      add('address', value, of);
      if (!isPassedOn && !isMailProvider(domainOf(value))) add('address_domain', value, of);
    }
    for (const value of hosts) for (const kind of ['host', 'domain'] as const) add(kind, value, of);
    for (const value of accountNumbers) add('account', value, of);
    for (const value of amounts) add('amount', value, of);
    for (const value of codes) add('code', value, of);
  }
  return [...found.values()];
}

export function takenWords({ texts }: WriteFacts, stated: readonly StatedText[]): TakenWords[] {
  return texts.flatMap(({ name }, index) =>
    windowsOf(stated[index]?.words ?? '').map((value) => ({ kind: 'words', value, in: name }) as const),
  );
}

function isOfAddress({ kind }: Taken | TakenWords): boolean {
  return kind === 'address_domain';
}

function hashOf({ kind, value }: Taken | TakenWords, hasher: Hasher): number {
  return kind === 'address_domain'
    ? hasher('host', domainOf(value).replace(/^www\./, ''))
    : hasher(kind, value);
}

/** What each hash stands for, by every key of the ring. */
export function hashedTaken<T extends Taken | TakenWords>(
  taken: readonly T[],
  hashers: readonly Hasher[],
): ReadonlyMap<number, T> {
  return new Map(
    // Of two with one hash, the last stays: a link comes before an address of its domain.
    hashers.flatMap((hasher) =>
      [...taken.filter(isOfAddress), ...taken.filter((one) => !isOfAddress(one))].map(
        (one) => [hashOf(one, hasher), one] as const,
      ),
    ),
  );
}

/** More links to one host are not marked. */
const MARKS_MAX = 10;

/** Where each linked host stands in the texts of the write. */
export function linkMarks(
  { texts }: WriteFacts,
  stated: readonly StatedText[],
): ReadonlyMap<string, readonly Mark[]> {
  const marked = new Map<string, Mark[]>();
  for (const [index, { place }] of texts.entries()) {
    if (place === null) continue;
    for (const { host, from, to } of stated[index]?.links ?? []) {
      const marks = marked.get(host) ?? [];
      if (marks.length < MARKS_MAX) marks.push({ in: place.in, from: from + place.at, to: to + place.at });
      marked.set(host, marks);
    }
  }
  return marked;
}
