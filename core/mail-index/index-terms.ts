import { createHmac } from 'node:crypto';
import type { IndexedText, IndexQuery } from '../ports/mail-index.ts';
import { letterForm } from '../text/letter-form.ts';

/**
 * The terms of an index: keyed hashes of every three characters in a row, so that whatever contains a word has all terms of the
 * word. The rest is decided by the text itself. Each account has terms of its own.
 */
export interface IndexTerms {
  /** Each once, separated by blanks. */
  ofMessage(text: IndexedText): string;
  /** What every match has, except for what has the term `any`. Empty: nothing can be told from terms. */
  ofQuery(query: Pick<IndexQuery, 'words' | 'from'>): readonly string[];
  /** Every message of the account has it. */
  readonly all: string;
  /** A message that has it may match every query. */
  readonly any: string;
  /** The keyed hash of an id by which messages are linked. Null: the ids of the message are unknown. */
  ofLink(id: string | null): Uint8Array;
}

/** A message with more different terms, some 100 KB of noise, gets the term `any` instead. */
const TERMS_MAX = 20_000;
/** 40 bits: two of the 100,000 terms of an account are alike in one account of a hundred. That costs a look at the text. */
const TERM_BYTES = 5;
/** No two ids of all accounts together are alike. */
const LINK_BYTES = 12;
/** How many hashes are kept: those of the most usual words of some languages, in some 3 MB. */
const KNOWN_MAX = 30_000;

/** @param account  names the account among all that share the key */
export function indexTerms(key: Uint8Array, account: string): IndexTerms {
  const accountKey = createHmac('sha256', key).update(account, 'utf8').digest();
  const known = { sender: new Map<string, string>(), text: new Map<string, string>() };

  function digestOf(kind: 'all' | 'any' | 'link' | 'sender' | 'text' | 'unlinked', text: string): Buffer {
    return createHmac('sha256', accountKey).update(`${kind}\n${text}`, 'utf16le').digest();
  }

  function hashOf(kind: 'all' | 'any' | 'sender' | 'text', gram: string): string {
    return digestOf(kind, gram).readUIntBE(0, TERM_BYTES).toString(36);
  }

  function term(kind: keyof typeof known, gram: string): string {
    const before = known[kind].get(gram);
    if (before !== undefined) return before;
    const made = hashOf(kind, gram);
    if (known[kind].size >= KNOWN_MAX) known[kind].clear();
    known[kind].set(gram, made);
    return made;
  }

  const all = hashOf('all', '');
  const any = hashOf('any', '');
  return {
    all,
    any,
    ofMessage({ sender, head, body, isWhole }) {
      if (!isWhole) return `${all} ${any}`;
      const ofSender = gramsOf(letterForm(sender));
      const ofText = gramsOf(letterForm(`${head}\n${body}`));
      if (ofSender.size + ofText.size > TERMS_MAX) return `${all} ${any}`;
      const terms = [all];
      for (const gram of ofSender) terms.push(term('sender', gram));
      for (const gram of ofText) terms.push(term('text', gram));
      return terms.join(' ');
    },
    ofQuery({ words, from }) {
      const terms = new Set<string>();
      for (const word of words) for (const gram of gramsOf(letterForm(word))) terms.add(term('text', gram));
      if (from !== undefined) for (const gram of gramsOf(letterForm(from))) terms.add(term('sender', gram));
      return [...terms];
    },
    ofLink(id) {
      const digest = id === null ? digestOf('unlinked', '') : digestOf('link', id);
      return digest.subarray(0, LINK_BYTES);
    },
  };
}

const GRAM_CHARS = 3;
const SPACE = /\s/u;

/** Every three UTF-16 code units in a row without white space. */
function gramsOf(text: string): Set<string> {
  const grams = new Set<string>();
  let begins = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (isSpace(text, at)) begins = at + 1;
    else if (at - begins >= GRAM_CHARS - 1) grams.add(text.slice(at - GRAM_CHARS + 1, at + 1));
  }
  return grams;
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code <= 0x20
    ? code === 0x20 || (code >= 9 && code <= 13)
    : code > 0x7f && SPACE.test(text.charAt(at));
}
