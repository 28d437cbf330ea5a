import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import * as z from 'zod';
import { domainOf } from '../safety/domain-of.ts';
import { findingSource } from '../safety/finding.ts';
import { isMailProvider } from '../safety/near-domain.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { shortened } from '../text/shortened.ts';
import { statedAddress } from './stated-form.ts';
import { STATED_MAX, type StatedPassage, type StatedValues, type TextToRead } from './stated-text.ts';
import { windowsOf } from './word-windows.ts';

/**
 * The record of a read: keyed hashes of what it showed, and the sealed names of the sources. It contains no text in
 * clear. The hashes of one owner say nothing about those of another.
 */

/** A text that a call showed. */
export interface ShownPassage extends ShownSource {
  readonly text: string;
  /** Of the text of a message: its sender and subject. What it quotes stands apart then. Absent: it is one passage. */
  readonly head?: string;
  /** What the text says, if it was read with the text. */
  readonly said?: readonly StatedPassage[];
}

/** Who wrote a passage, and where. */
export type ShownSource = z.infer<typeof shownSource>;

const shownSource = findingSource.extend({
  /**
   * `owner`: the owner wrote it. `person`: the author did. `carried`: the author passed it on, as an attachment.
   * `record`: an agent wrote it down, or nobody knows who did.
   */
  origin: z.enum(['owner', 'person', 'carried', 'record']),
  /** When the message was received, in milliseconds. Null: it is not a message. */
  receivedMs: z.int().nullable(),
  /** The account's own server proves that the author sent the message. */
  isProven: z.literal(true).exactOptional(),
  /** A row of a list, not its content. */
  isListed: z.boolean(),
});

/** The sources of a read as they are sealed. */
const sealedSources = z.strictObject({
  /** How many rows of a list it showed. */
  listed: z.int(),
  passages: z.array(
    shownSource.extend({
      /** Hashes of its account numbers. */
      accounts: z.array(z.number()),
    }),
  ),
});
export type ReadSources = z.infer<typeof sealedSources>;
export type ReadPassage = ReadSources['passages'][number];

/**
 * More passages of one read are left out, and the record says so. A page has at most 50 messages, and each has its own words,
 * what it carries, and quotations.
 */
const PASSAGES_MAX = 200;
const WINDOWS_MAX = 500;
const NAME_CHARS = 120;
const HASH_BYTES = 6;
const COUNT_BYTES = 2;

/** What a hash stands for. The same text of two kinds has two hashes. */
export type HashedKind =
  | 'address'
  | 'host'
  /** Of an address. */
  | 'domain'
  | 'account'
  | 'amount'
  | 'mailbox'
  | 'code'
  | 'author'
  | 'words'
  /** In place of what the record has no room for. */
  | 'overflow';

/** Hashes for one owner. 48 bits each: among a million, a false match has a chance of one in 200 million. */
export type Hasher = (kind: HashedKind, value: string) => number;

/** With the writing key first, then the older ones. */
export function hashersOf(keyring: Pick<Keyring, 'macs'>, ownerId: string): readonly Hasher[] {
  return keyring.macs('provenance', ownerId).map((mac) => hasherOf(secretOf(mac)));
}

/** A secret block of one owner: SHA-256 of it and a value, cut, is faster than an HMAC, and as hard to guess. */
export function secretOf(mac: Uint8Array): string {
  return Buffer.from(mac).toString('hex');
}

export function hasherOf(secret: string): Hasher {
  return (kind, value) =>
    Number.parseInt(hash('sha256', `${secret}${kind}\n${value}`, 'hex').slice(0, 2 * HASH_BYTES), 16);
}

/** What is kept of the text of a passage. It says nothing to anybody without the secret key. */
export interface PassageHashes {
  readonly values: readonly number[];
  readonly accounts: readonly number[];
  readonly windows: readonly number[];
  /** Whether it names an address, a host, an account number, an amount or a code. */
  readonly hasValues: boolean;
}

/** What a read showed, before it is packed. */
export interface HashedRead {
  readonly sources: ReadSources;
  /** The hashes of each passage. */
  readonly values: readonly (readonly number[])[];
  readonly phrases: readonly (readonly number[])[];
}

/** What must be read of a passage before it is hashed. */
export function toRead({
  text,
  head,
  isListed,
}: Pick<ShownPassage, 'text' | 'head' | 'isListed'>): TextToRead {
  return {
    text,
    head: head ?? null,
    windowsMax: isListed ? 0 : WINDOWS_MAX,
    wantsLinks: false,
    codes: 'named',
  };
}

/** The passages of a text, each with what it says. @param said  undefined: it could not be read, and is one passage */
export function passagesIn<T extends Pick<StatedPassage, 'quoting' | 'isSignature'>>(
  { text: _text, head: _head, said: _said, ...source }: ShownPassage,
  said: readonly T[] | undefined,
): [ShownSource, T | undefined][] {
  if (said === undefined) return [[source, undefined]];
  return said.map((one) => {
    // Owners name their other addresses in their signatures.
    const isOwn = one.isSignature === true && source.origin === 'owner';
    return [{ ...source, quoting: (isOwn ? null : one.quoting) ?? source.quoting }, one];
  });
}

/**
 * Hashes what a call showed. Rows of a list that state nothing are only counted.
 * @param hashesOf  hashes a passage, as `passageHashes` does
 */
export function hashedRead(shown: readonly ShownSource[], hasher: Hasher, hashesOf: HashPassage): HashedRead {
  const passages: ReadPassage[] = [];
  const values: (readonly number[])[] = [];
  const phrases: (readonly number[])[] = [];
  let [valuesLeft, windowsLeft] = [STATED_MAX, WINDOWS_MAX];
  for (const passage of shown) {
    if (passages.length === PASSAGES_MAX) {
      values.push([...(values.pop() ?? []), hasher('overflow', '')]);
      break;
    }
    const { windows, accounts, ...hashes } = hashesOf(passage, windowsLeft);
    if (!hashes.hasValues && windows.length === 0 && (passage.isListed || passage.quoting !== null)) continue;
    const stated = hashes.values.slice(0, valuesLeft);
    const isCut = stated.length < hashes.values.length;
    valuesLeft -= stated.length;
    windowsLeft -= windows.length;
    values.push(isCut ? [...stated, hasher('overflow', '')] : stated);
    phrases.push(windows);
    passages.push({
      ...passage,
      title: shortened(passage.title, NAME_CHARS),
      author: shortened(passage.author, NAME_CHARS),
      quoting: passage.quoting === null ? null : shortened(passage.quoting, NAME_CHARS),
      accounts: [...accounts],
    });
  }
  const listed = shown.filter(({ isListed }) => isListed).length;
  return { sources: { listed, passages }, values, phrases };
}

/** @param windowsMax  further runs of words are left out */
export type HashPassage = (passage: ShownSource, windowsMax: number) => PassageHashes;

/** @param stated  what its text states. Undefined: it could not be read */
export function passageHashes(
  author: string,
  stated: StatedPassage | undefined,
  windowsMax: number,
  hasher: Hasher,
): PassageHashes {
  if (stated === undefined)
    return { values: [hasher('overflow', '')], accounts: [], windows: [], hasValues: true };
  return {
    values: valueHashes(stated, author, hasher),
    accounts: stated.accountNumbers.slice(0, 50).map((number) => hasher('account', number)),
    windows: windowsOf(stated.words)
      .slice(0, windowsMax)
      .map((words) => hasher('words', words)),
    hasValues: hasValues(stated),
  };
}

function hasValues({ addresses, hosts, accountNumbers, amounts, codes }: StatedValues): boolean {
  return [addresses, hosts, accountNumbers, amounts, codes].some((values) => values.length > 0);
}

/** Those that make a finding red come first. */
function valueHashes(stated: StatedPassage, author: string, hasher: Hasher): number[] {
  const all = (kind: HashedKind, values: readonly string[]) => values.map((value) => hasher(kind, value));
  return [
    ...(author === '' ? [] : [hasher('author', statedAddress(author))]),
    ...all('address', stated.addresses),
    ...all('host', stated.hosts),
    ...all('domain', domainsIn(stated, author)),
    ...all('account', stated.accountNumbers),
    ...all('code', stated.codes),
    ...all('amount', stated.amounts),
    ...all('mailbox', stated.mailboxes),
  ];
}

/** The domains of the addresses that a passage names, besides those of the people who wrote it. */
function domainsIn({ addresses, quoting }: StatedPassage, author: string): string[] {
  const writers = new Set([author, quoting ?? ''].map(statedAddress));
  const named = addresses.filter((address) => !writers.has(address)).map(domainOf);
  return [...new Set(named)].filter((domain) => !isMailProvider(domain));
}

/** Packs hashes per passage: a count, then as many hashes. @returns base64 */
export function packedHashes(lists: readonly (readonly number[])[]): string {
  const chars = lists.reduce((sum, list) => sum + COUNT_BYTES + list.length * HASH_BYTES, 0);
  const bytes = Buffer.alloc(chars);
  let at = 0;
  for (const list of lists) {
    at = bytes.writeUInt16BE(list.length, at);
    for (const one of list) at = bytes.writeUIntBE(one, at, HASH_BYTES);
  }
  return bytes.toString('base64');
}

/** Finds the wanted hashes. Calls `found` with the passage and the hash. */
export function findPacked(
  packed: string,
  wanted: Pick<ReadonlySet<number>, 'has'>,
  found: (passage: number, hash: number) => void,
): void {
  const bytes = Buffer.from(packed, 'base64');
  let at = 0;
  for (let passage = 0; at + COUNT_BYTES <= bytes.length; passage += 1) {
    const end = at + COUNT_BYTES + bytes.readUInt16BE(at) * HASH_BYTES;
    for (at += COUNT_BYTES; at + HASH_BYTES <= end && end <= bytes.length; at += HASH_BYTES) {
      // Three reads of the buffer are slower than the arithmetic.
      const one = bytes.readUInt32BE(at) * 0x1_00_00 + bytes.readUInt16BE(at + 4);
      if (wanted.has(one)) found(passage, one);
    }
    at = end;
  }
}

/** A read in the form that storage keeps. */
export function readRecord(
  keyring: Keyring,
  { ownerId, credentialId }: { readonly ownerId: string; readonly credentialId: string },
  { sources, values, phrases }: HashedRead,
): { readonly readId: string; readonly hashes: string; readonly phrases: string; readonly sealed: string } {
  const text = JSON.stringify(sources);
  const hashes = packedHashes(values);
  const packedPhrases = packedHashes(phrases);
  const named = keyring.mac(
    'provenance-read',
    [ownerId, credentialId, text, hashes, packedPhrases].join('\n'),
  );
  const readId = Buffer.from(named?.subarray(0, 12) ?? []).toString('base64url');
  return {
    readId,
    hashes,
    phrases: packedPhrases,
    sealed: keyring.seal(STORED.read, `${ownerId}\n${readId}`, text),
  };
}

/** @throws Error if it was not sealed for this read, or its key is not in the ring */
export function openSources(keyring: Keyring, ownerId: string, readId: string, sealed: string): ReadSources {
  return sealedSources.parse(JSON.parse(keyring.open(STORED.read, `${ownerId}\n${readId}`, sealed)));
}
