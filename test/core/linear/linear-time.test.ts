import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { notSentOf } from '../../../core/actions/not-sent.ts';
import { withoutMeetingLinks } from '../../../core/calendar/meeting-links.ts';
import { listedPassage, messagePassage } from '../../../core/call/shown-passages.ts';
import { normalAddress } from '../../../core/contract/schema.ts';
import { uidsIn } from '../../../core/ical/uid-lines.ts';
import { isRegistered } from '../../../core/keys/sign-in/redirect-uri.ts';
import { authenticationOf, receiverResults } from '../../../core/mail/authentication-results.ts';
import { boundedFields } from '../../../core/mail/bounded-fields.ts';
import { readHeaders } from '../../../core/mail/header-fields.ts';
import { dateOf } from '../../../core/mail/row-text.ts';
import { indexTerms } from '../../../core/mail-index/index-terms.ts';
import { withoutCiphertext } from '../../../core/mime/inline-pgp.ts';
import { forwarded, forwardSubject, quoted, replySubject } from '../../../core/plans/quote.ts';
import { windowsOf } from '../../../core/provenance/word-windows.ts';
import { domainsWithinLimit, usedDomainKeys } from '../../../core/safety/domain-keys.ts';
import { areOneSite } from '../../../core/safety/site.ts';
import { carriesMarker, flagUntrusted, neutralise, wrapUntrusted } from '../../../core/safety/untrusted.ts';
import { accountNumbersIn } from '../../../core/stated/account-numbers.ts';
import { differingAmounts, differingTime } from '../../../core/stated/answered-values.ts';
import { namedCodesIn, possibleCodesIn, possiblePasswordsIn } from '../../../core/stated/codes.ts';
import { firstWords } from '../../../core/stated/first-words.ts';
import { hostsIn } from '../../../core/stated/hosts.ts';
import { misleadingLinksIn } from '../../../core/stated/links.ts';
import { passagesOf } from '../../../core/stated/quotation.ts';
import { secretsIn } from '../../../core/stated/secrets.ts';
import { linksIn, statedValues } from '../../../core/stated/stated-values.ts';
import { bareSubject, isAnswerSubject } from '../../../core/text/bare-subject.ts';
import { sliceCodePoints } from '../../../core/text/code-points.ts';
import { locatedText } from '../../../core/text/located-text.ts';
import { nearestName } from '../../../core/text/nearest.ts';
import { normalForm } from '../../../core/text/normal-form.ts';
import { comparableText, plainText } from '../../../core/text/plain-text.ts';
import { seenBody } from '../../../core/text/seen-body.ts';
import { shortened } from '../../../core/text/shortened.ts';
import { excerptOf, extractiveSummary } from '../../../core/trackers/extractive-summary.ts';
import { keywordIndex, phrasesOf } from '../../../core/trackers/tracker-rules.ts';
import { fileOf } from '../../exported-functions.ts';
import { shapes, superlinear } from '../../growth.ts';
import { readingApart } from '../../import-rules.ts';
import { casesOf } from '../../only-long.ts';
import { sourceFacts } from '../../source-facts.ts';
import { NOT_TIMED } from './not-timed.ts';
import { PLAIN_READERS } from './plain-readers.ts';

const INDEX_TERMS = indexTerms(new Uint8Array(32), 'account');

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
const STATED_PARTS = [
  '-',
  '_',
  '*',
  '=',
  '+',
  '.',
  '@',
  ':',
  '>',
  '"',
  '\n',
  ' ',
  'a',
  '1',
  '1.',
  '%41',
  'From:',
  'http',
  ' dot ',
  '(',
  'é',
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

const aRow = (text: string) => ({
  id: '1',
  account: { email: 'ada@home.example', folderRoles: null, authservId: null },
  row: {
    from: text,
    subject: text,
    place: { path: 'INBOX', uidValidity: '1', uid: 1 },
    internalDate: new Date(0),
    messageId: null,
  },
});
const trackers = keywordIndex([{ trackerId: 1, keywords: 'atlas launch, a a a a b, 日日日' }]);
const message = (text: string) => ({
  ...{ from: text, date: text, subject: text, to: text },
  body: { text, chars: Array.from(text).length },
});

interface TextReader {
  readonly name: string;
  readonly work: (text: string) => void;
  readonly parts: readonly string[];
  /** Default: LENGTH. More for quick steps: their square shows later. */
  readonly length?: number;
}

/** Functions that read a caller's or untrusted text, with fragments that have a meaning to them. */
const READERS: readonly TextReader[] = [
  {
    name: 'core/stated/links.ts misleadingLinksIn',
    work: (text) => [...misleadingLinksIn(text)],
    parts: LINK_PARTS,
  },
  { name: 'core/stated/hosts.ts hostsIn', work: (text) => [...hostsIn(text)], parts: HOST_PARTS },
  {
    name: 'core/call/shown-passages.ts listedPassage',
    work: (text) => listedPassage(aRow(text)),
    parts: ['<', '@', '>', ' ', 'a', '.'],
  },
  { name: 'core/stated/stated-values.ts linksIn', work: (text) => [...linksIn(text)], parts: HOST_PARTS },
  { name: 'core/stated/first-words.ts firstWords', work: (text) => firstWords(text, 500), parts: TEXT_PARTS },
  { name: 'core/provenance/word-windows.ts windowsOf', work: windowsOf, parts: TEXT_PARTS },
  { name: 'core/stated/quotation.ts passagesOf', work: passagesOf, parts: STATED_PARTS },
  {
    name: 'core/stated/stated-values.ts statedValues',
    work: statedValues,
    parts: STATED_PARTS,
    length: 10_000,
  },
  {
    name: 'core/mail/authentication-results.ts authenticationOf',
    work: (text) => [
      authenticationOf(text, [], 'mx'),
      authenticationOf('a@b.example', [`mx; ${text}`], 'mx'),
      receiverResults([{ key: 'received', value: text }]),
    ],
    parts: ['(', ')', '"', ';', '=', ' ', 'a', ' with ', 'LMTP', '\\', '@', '.'],
  },
  {
    name: 'core/mail/bounded-fields.ts boundedFields',
    work: (text) => boundedFields(Buffer.from(text), ['from', 'subject'], 100),
    parts: ['From', ':', ' ', '\t', '\n', '\r\n', 'subject: ', 'a', '\n '],
    length: 50_000,
  },
  {
    name: 'core/mail/header-fields.ts readHeaders',
    work: (text) => readHeaders(Buffer.from(text)),
    parts: ['Content-Type:', ';', ' ', 'charset', '=', '"', '\n', '\n ', 'é', 'x:'],
    length: 10_000,
  },
  {
    name: 'core/safety/domain-keys.ts usedDomainKeys',
    work: (text) => usedDomainKeys([text]),
    parts: DOMAIN_PARTS,
  },
  {
    name: 'core/stated/answered-values.ts differingTime',
    work: (text) => differingTime(text, text),
    parts: VALUE_PARTS,
  },
  {
    name: 'core/stated/answered-values.ts differingAmounts',
    work: (text) => differingAmounts(text, text),
    parts: VALUE_PARTS,
  },
  {
    name: 'core/mail-index/index-terms.ts indexTerms',
    work: (text) => INDEX_TERMS.ofMessage({ sender: '', head: '', body: text, isWhole: true }),
    parts: TEXT_PARTS,
  },
  { name: 'core/text/located-text.ts locatedText', work: locatedText, parts: TEXT_PARTS },
  {
    name: 'core/stated/account-numbers.ts accountNumbersIn',
    work: (text) => [...accountNumbersIn(text)],
    parts: NUMBER_PARTS,
  },
  { name: 'core/stated/secrets.ts secretsIn', work: (text) => [...secretsIn(text)], parts: SECRET_PARTS },
  { name: 'core/safety/untrusted.ts carriesMarker', work: carriesMarker, parts: MARKER_PARTS },
  {
    name: 'core/safety/untrusted.ts neutralise',
    work: (text) => neutralise(text, '0123'),
    parts: MARKER_PARTS,
  },
  {
    name: 'core/safety/untrusted.ts wrapUntrusted',
    work: (text) => wrapUntrusted(text, '0123'),
    parts: MARKER_PARTS,
  },
  { name: 'core/text/plain-text.ts plainText', work: plainText, parts: TEXT_PARTS },
  { name: 'core/text/plain-text.ts comparableText', work: comparableText, parts: TEXT_PARTS },
  { name: 'core/text/normal-form.ts normalForm', work: (text) => normalForm(text, 'NFC'), parts: TEXT_PARTS },
  { name: 'core/contract/schema.ts normalAddress', work: normalAddress, parts: TEXT_PARTS },
  { name: 'core/trackers/tracker-rules.ts phrasesOf', work: phrasesOf, parts: TEXT_PARTS },
  {
    name: 'core/trackers/tracker-rules.ts keywordIndex',
    work: (text) => trackers.matches([text]),
    parts: TEXT_PARTS,
  },
  { name: 'core/plans/quote.ts quoted', work: (text) => quoted(message(text)), parts: TEXT_PARTS },
  {
    name: 'core/plans/quote.ts forwarded',
    work: (text) => forwarded({ ...message(text), notSent: notSentOf([{ name: text, sizeBytes: 1 }]) }),
    parts: TEXT_PARTS,
  },
  { name: 'core/plans/quote.ts replySubject', work: replySubject, parts: TEXT_PARTS },
  { name: 'core/plans/quote.ts forwardSubject', work: forwardSubject, parts: TEXT_PARTS },
  { name: 'core/trackers/extractive-summary.ts excerptOf', work: excerptOf, parts: TEXT_PARTS },
  {
    name: 'core/trackers/extractive-summary.ts extractiveSummary',
    work: (text) => extractiveSummary([{ from: text, date: text, subject: text, excerpt: excerptOf(text) }]),
    parts: TEXT_PARTS,
  },
];

/** Those that take more than the text. */
const OTHER_READERS: readonly Pick<TextReader, 'name' | 'work'>[] = [
  { name: 'core/text/bare-subject.ts bareSubject', work: bareSubject },
  { name: 'core/text/bare-subject.ts isAnswerSubject', work: isAnswerSubject },
  { name: 'core/ical/uid-lines.ts uidsIn', work: uidsIn },
  { name: 'core/text/seen-body.ts seenBody', work: (text) => seenBody(text, { from: 0, most: 1000 }) },
  {
    name: 'core/call/shown-passages.ts messagePassage',
    work: (text) => messagePassage(aRow(text), [], { body: seenBody(text, { from: 0, most: 1000 }) }),
  },
  { name: 'core/mime/inline-pgp.ts withoutCiphertext', work: withoutCiphertext },
  { name: 'core/mail/row-text.ts dateOf', work: (text) => dateOf(text, new Date(0)) },
  {
    name: 'core/safety/domain-keys.ts domainsWithinLimit',
    work: (text) => domainsWithinLimit([text, ...text.split(' ')]),
  },
  { name: 'core/safety/site.ts areOneSite', work: (text) => areOneSite(text, `a.${text}`) },
  {
    name: 'core/safety/untrusted.ts flagUntrusted',
    work: (text) => flagUntrusted({ body: text }, { all: ['body'], wrapped: ['body'] }, '0123'),
  },
  { name: 'core/keys/sign-in/redirect-uri.ts isRegistered', work: (text) => isRegistered(text, [text]) },
  { name: 'core/text/code-points.ts sliceCodePoints', work: (text) => sliceCodePoints(text, 10, 100_000) },
  { name: 'core/calendar/meeting-links.ts withoutMeetingLinks', work: withoutMeetingLinks },
  { name: 'core/stated/codes.ts namedCodesIn', work: namedCodesIn },
  { name: 'core/stated/codes.ts possibleCodesIn', work: possibleCodesIn },
  { name: 'core/stated/codes.ts possiblePasswordsIn', work: possiblePasswordsIn },
  { name: 'core/text/nearest.ts nearestName', work: (text) => nearestName(text, ['list_emails']) },
  { name: 'core/text/shortened.ts shortened', work: (text) => shortened(text, 100_000) },
];

const LENGTH = 2_000;
const LONG = 64 * 1024;
const LONG_MS = 100;
/** Signs that people draw lines with, signs of addresses and numbers, signs mixed with letters, and look-alikes. */
const RUNS = [
  ...'-_*=.+~#>@:/%&|,;!?"\'([{<\\ \n\t1aé日\u00a0\u2014\uff20\uff0e\u0301',
  '-a',
  'a.',
  '1.',
  'a ',
  '1 ',
  '. ',
];

/** A run that ends its line, and one that a letter follows. */
function endings(run: string): string {
  return `${run}\n!\n${run}a!`;
}

describe('reading text takes time in proportion to its length', () => {
  it.each(READERS)('$name', ({ work, parts, length = LENGTH }) => {
    // Each part at the start, and repeated.
    const pairs = casesOf(
      'linear: pairs',
      shapes(parts),
      (_shape, index) => (Math.floor(index / parts.length) + (index % parts.length)) % 6 === 0,
    );
    const slow = pairs.flatMap(({ name, shape }) => {
      const why = superlinear(work, shape, length);
      return why === undefined ? [] : [`${name}: ${why}`];
    });
    expect(slow).toEqual([]);
  });

  // A short text hides slow work whose steps are quick.
  it.each([...READERS, ...OTHER_READERS])('$name, on long runs of one sign', ({ work }) => {
    expect(slowRuns(work)).toEqual([]);
  });

  it.each(namesIn(PLAIN_READERS))('%s, on long runs of one sign', async (name) => {
    const read = await functionNamed(name);
    expect(slowRuns((text) => [...iterable(read(text))])).toEqual([]);
  });
});

describe('every exported function that takes text', () => {
  const timed = [
    ...READERS.map(({ name }) => name),
    ...OTHER_READERS.map(({ name }) => name),
    ...namesIn(PLAIN_READERS),
  ];
  const notTimed = NOT_TIMED.flatMap(({ functions }) => namesIn(functions));

  it('is timed here, or its text cannot be long and a stranger’s, or a process bounds it', async () => {
    const listed = new Set([...timed, ...notTimed]);
    const isApart = await readingApart();
    const all = (await sourceFacts()).textFunctions;
    expect(all.filter((name) => !listed.has(name) && !isApart(fileOf(name)))).toEqual([]);
    expect(notTimed.filter((name) => !all.includes(name))).toEqual([]);
  });

  it('is named once', () => {
    const names = [...timed, ...notTimed];
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});

/** Signs of each kind: lines, addresses, markup, space, letters, marks. */
const RUNS_IN_GATE = new Set(['-', '@', '.', '<', ' ', '\n', 'a', '1', '\u0301', '-a', 'a ']);

function slowRuns(work: (text: string) => void): string[] {
  const runs = casesOf('linear: signs', RUNS, (run) => RUNS_IN_GATE.has(run));
  return runs.flatMap((part) => {
    const why = superlinear(work, (length) => endings(part.repeat(length / part.length / 2)), LONG, LONG_MS);
    return why === undefined ? [] : [`${JSON.stringify(part)}: ${why}`];
  });
}

function namesIn(functions: Readonly<Record<string, string>>): string[] {
  return Object.entries(functions).flatMap(([file, names]) =>
    names.split(' ').map((name) => `${file} ${name}`),
  );
}

/** Refused text ends the work, too. */
async function functionNamed(fullName: string): Promise<(text: string) => unknown> {
  const [file = '', name = ''] = fullName.split(' ');
  const module: Record<string, unknown> = await import(join(import.meta.dirname, '../../..', file));
  const found = module[name];
  if (typeof found !== 'function') throw new Error(`there is no ${fullName}`);
  return (text) => {
    try {
      return Reflect.apply(found, undefined, [text]);
    } catch (error) {
      return error;
    }
  };
}

/** Generators work only as they are read. */
function iterable(result: unknown): Iterable<unknown> {
  return typeof result === 'object' && result !== null && Symbol.iterator in result
    ? (result as Iterable<unknown>)
    : [];
}
