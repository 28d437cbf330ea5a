/**
 * The addresses, hosts, account numbers and amounts that a text states, each in one form however it is written: see
 * `stated-values.ts` of `core/stated`, which finds them.
 */
export interface StatedValues {
  readonly addresses: readonly string[];
  /** Of links, and domains that stand alone. Excludes the domains of addresses. */
  readonly hosts: readonly string[];
  readonly accountNumbers: readonly string[];
  /** Currency and hundredths. */
  readonly amounts: readonly string[];
  /** Codes and passwords: see `TextToRead`. */
  readonly codes: readonly string[];
  /** Words that can be the part of an address before the `@`: `payout.desk`, and quoted words. */
  readonly mailboxes: readonly string[];
}

/** More values of a text are not compared, and the record of a read, or the request, says so. */
export const STATED_MAX = 10_000;

export function countOf({
  addresses,
  hosts,
  accountNumbers,
  amounts,
  codes,
  mailboxes,
}: StatedValues): number {
  const lists = [addresses, hosts, accountNumbers, amounts, codes, mailboxes];
  return lists.reduce((sum, list) => sum + list.length, 0);
}

/** What a text says that can be found again in what an agent writes. */
export interface StatedText extends StatedValues {
  /** Its first words, without case and punctuation, with a space between them. Their runs of ten are compared. */
  readonly words: string;
  /** Its links and where they stand, if asked for. */
  readonly links: readonly StatedLink[];
}

export interface StatedLink {
  readonly host: string;
  readonly from: number;
  readonly to: number;
}

/** What one of the people whose words are in a text states. */
export interface StatedPassage extends StatedText {
  /** Null: the author's own words. Otherwise the address of the person quoted; empty if none is named. */
  readonly quoting: string | null;
  /** It stands in the author's signature, which names somebody else. */
  readonly isSignature?: true;
}

/** A text to read. */
export interface TextToRead {
  readonly text: string;
  /** Further runs of words are left out. */
  readonly windowsMax: number;
  /** Of the text of a message: its sender and subject. What it quotes stands apart then. Null: it is one passage. */
  readonly head: string | null;
  readonly wantsLinks: boolean;
  /**
   * `named`: what stands beside the word for a code or a password. `numbers`: those, and every number and word with a digit.
   * `words`: every word as well.
   */
  readonly codes: 'named' | 'numbers' | 'words';
}
