import {
  countOf,
  STATED_MAX,
  type StatedPassage,
  type StatedValues,
  type TextToRead,
} from '../provenance/stated-text.ts';
import { domainOf } from '../safety/domain-of.ts';
import { areOneSite } from '../safety/site.ts';
import { isAnswerSubject } from '../text/bare-subject.ts';
import { firstWords } from './first-words.ts';
import { type Passage, passagesOf } from './quotation.ts';
import { linksIn, statedAddresses, statedValues } from './stated-values.ts';

/** What a text states, by the person who wrote it. */
export function statedPassages({ text, head, windowsMax, wantsLinks, codes }: TextToRead): StatedPassage[] {
  // One more shows that there are more.
  let left = STATED_MAX + 1;
  return split(text, head).map(({ text: own, ...person }) => {
    const values = firstValues(statedValues(own, codes), left);
    left -= countOf(values);
    return {
      ...person,
      ...values,
      words: firstWords(own, windowsMax),
      links: wantsLinks ? [...linksIn(own)] : [],
    };
  });
}

/** So many of the values. The candidates for codes come last: there may be thousands. */
function firstValues(values: StatedValues, most: number): StatedValues {
  let left = most;
  const first = (list: readonly string[]): readonly string[] => {
    const kept = left >= list.length ? list : list.slice(0, left);
    left -= kept.length;
    return kept;
  };
  return {
    addresses: first(values.addresses),
    hosts: first(values.hosts),
    accountNumbers: first(values.accountNumbers),
    amounts: first(values.amounts),
    mailboxes: first(values.mailboxes),
    codes: first(values.codes),
  };
}

/**
 * The author's own words begin with the head of the message: its sender, and its subject. The subject of an answer counts as
 * quoted, because whoever began the conversation chose it.
 */
function split(text: string, head: string | null): Passage[] {
  if (head === null) return [{ text, quoting: null }];
  const [sender = '', ...subjectLines] = head.split('\n');
  const subject = subjectLines.join('\n');
  const isAnswer = isAnswerSubject(subject);
  const passages = passagesOf(text).map((one) => (one.isSignature ? signature(one, sender) : one));
  const [first] = passages;
  const hasWords = first?.quoting === null;
  const words = [isAnswer ? sender : head, ...(hasWords ? [first.text] : [])].join('\n');
  return [
    { text: words, quoting: null },
    ...(isAnswer ? [{ text: subject, quoting: '' }] : []),
    ...passages.slice(hasWords ? 1 : 0),
  ];
}

/** A signature is its author's, unless it names somebody of another organisation: then it is nobody's for certain. */
function signature({ text }: Passage, sender: string): Passage {
  const domain = domainOf(statedAddresses(sender).at(-1) ?? '');
  const isOthers = statedAddresses(text).some((address) => !areOneSite(domainOf(address), domain));
  return isOthers ? { text, quoting: '', isSignature: true } : { text, quoting: null };
}
