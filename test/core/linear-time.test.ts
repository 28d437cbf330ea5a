import { describe, expect, it } from 'vitest';
import { normalAddress } from '../../core/contract/schema.ts';
import { forwarded, forwardSubject, quoted, replySubject } from '../../core/plans/quote.ts';
import { accountNumbersIn } from '../../core/safety/account-numbers.ts';
import { differingAmounts, differingTime } from '../../core/safety/answered-values.ts';
import { usedDomainKeys } from '../../core/safety/domain-keys.ts';
import { hostsIn } from '../../core/safety/hosts.ts';
import { misleadingLinksIn } from '../../core/safety/links.ts';
import { secretsIn } from '../../core/safety/secrets.ts';
import { carriesMarker, wrapUntrusted } from '../../core/safety/untrusted.ts';
import { locatedText } from '../../core/text/located-text.ts';
import { normalForm } from '../../core/text/normal-form.ts';
import { comparableText, plainText } from '../../core/text/plain-text.ts';
import { excerptOf, extractiveSummary } from '../../core/trackers/extractive-summary.ts';
import { keywordIndex, phrasesOf } from '../../core/trackers/tracker-rules.ts';
import { shapes, superlinear } from '../growth.ts';

const LINK_PARTS = [
  '<a ',
  'href=',
  ' href="',
  'x',
  '=',
  '>',
  '<',
  '[',
  '](',
  ')',
  '][',
  ']: ',
  '\n[',
  '"',
  ' ',
  '.',
  'a.',
  'https://',
  'www.',
  '@',
  'a@',
];
const NUMBER_PARTS = [
  '1',
  '1 ',
  '4111',
  '1111 ',
  ',',
  ' ',
  '-',
  '\n',
  '.',
  'DE',
  'DE89',
  'IBAN',
  'a',
  '+',
  'account no. ',
  'bank account ',
];
const SECRET_PARTS = [
  'eyJ',
  'aaaaaaaa.',
  '.eyJ',
  '-',
  'https://',
  '/',
  '?token=',
  ':',
  '=',
  'password',
  ' for ',
  ' is ',
  ' ',
  'code ',
  '1',
  '1 ',
  'pw',
  'a',
  '://',
  '-----BEGIN ',
  'otp',
];
const HOST_PARTS = [
  'a',
  '.',
  'a.',
  '@',
  'a@',
  'https://',
  '/',
  '\\',
  '%2e',
  '%',
  ':',
  '-',
  'com.',
  ' ',
  '\u3002',
  'é',
];
const VALUE_PARTS = [
  '1',
  '10',
  ':',
  '.',
  ',',
  ' ',
  '€',
  'EUR',
  '1 000',
  '30',
  'pm',
  '>',
  '\n',
  'wrote',
  ':\n',
  'from:',
  'h',
];
const DOMAIN_PARTS = ['.', '-', 'a', 'rn', 'é', 'ﬁ', 'com', 'xn--'];
const MARKER_PARTS = ['<', '< ', '＜', ' ', '_', 'END', 'UNTRUSTED', '\u200b', 'a', 'U', 'The '];
const TEXT_PARTS = [
  '\n',
  ' ',
  '\r',
  'a',
  '\u0301',
  '\u0327',
  '\uff9e',
  '>',
  'jan',
  'é',
  'm',
  '1',
  '. ',
  'Hi ',
  ',',
  're:',
  'fwd :',
  'ß',
  '\u200b',
  '日',
  '\u00b4',
  '.',
  '\ufdfa',
];

const trackers = keywordIndex([{ trackerId: 1, keywords: 'atlas launch, a a a a b, 日日日' }]);
const message = (text: string) => ({
  ...{ from: text, date: text, subject: text, to: text },
  body: { text, chars: Array.from(text).length },
});

/** Functions that read a caller's or untrusted text, with fragments that have a meaning to them. */
const READERS: readonly { name: string; work: (text: string) => void; parts: readonly string[] }[] = [
  { name: 'misleadingLinksIn', work: (text) => [...misleadingLinksIn(text)], parts: LINK_PARTS },
  { name: 'hostsIn', work: (text) => [...hostsIn(text)], parts: HOST_PARTS },
  { name: 'usedDomainKeys', work: (text) => usedDomainKeys([text]), parts: DOMAIN_PARTS },
  { name: 'differingTime', work: (text) => differingTime(text, text), parts: VALUE_PARTS },
  { name: 'differingAmounts', work: (text) => differingAmounts(text, text), parts: VALUE_PARTS },
  { name: 'locatedText', work: locatedText, parts: TEXT_PARTS },
  { name: 'accountNumbersIn', work: (text) => [...accountNumbersIn(text)], parts: NUMBER_PARTS },
  { name: 'secretsIn', work: (text) => [...secretsIn(text)], parts: SECRET_PARTS },
  { name: 'carriesMarker', work: carriesMarker, parts: MARKER_PARTS },
  { name: 'wrapUntrusted', work: (text) => wrapUntrusted(text, '0123'), parts: MARKER_PARTS },
  { name: 'plainText', work: plainText, parts: TEXT_PARTS },
  { name: 'comparableText', work: comparableText, parts: TEXT_PARTS },
  { name: 'normalForm', work: (text) => normalForm(text, 'NFC'), parts: TEXT_PARTS },
  { name: 'normalAddress', work: normalAddress, parts: TEXT_PARTS },
  { name: 'keywords of a tracker', work: phrasesOf, parts: TEXT_PARTS },
  { name: 'words that a tracker matches', work: (text) => trackers.matches([text]), parts: TEXT_PARTS },
  { name: 'quoted', work: (text) => quoted(message(text)), parts: TEXT_PARTS },
  { name: 'forwarded', work: (text) => forwarded(message(text)), parts: TEXT_PARTS },
  { name: 'replySubject', work: replySubject, parts: TEXT_PARTS },
  { name: 'forwardSubject', work: forwardSubject, parts: TEXT_PARTS },
  { name: 'excerptOf', work: excerptOf, parts: TEXT_PARTS },
  {
    name: 'extractiveSummary',
    work: (text) => extractiveSummary([{ from: text, date: text, subject: text, excerpt: excerptOf(text) }]),
    parts: TEXT_PARTS,
  },
];

const LENGTH = 2_000;

describe('reading text takes time in proportion to its length', () => {
  it.each(READERS)('$name', { timeout: 600_000 }, ({ work, parts }) => {
    const slow = shapes(parts).flatMap(({ name, shape }) => {
      const why = superlinear(work, shape, LENGTH);
      return why === undefined ? [] : [`${name}: ${why}`];
    });
    expect(slow).toEqual([]);
  });
});
