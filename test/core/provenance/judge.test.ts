import { describe, expect, it } from 'vitest';
import { type Judged, provenanceFindings } from '../../../core/provenance/judge.ts';
import type { Hit, Passage, Taken } from '../../../core/provenance/taken-values.ts';
import type { Finding } from '../../../core/safety/finding.ts';
import { inWords, sentenceOf } from '../../../core/safety/finding-text.ts';
import { superlinear } from '../../growth.ts';

// Each rule with a case that it catches and the cases next to it that it lets pass. test/provenance tells whole stories.

const OWNER = 'me@own.example';
const FRIEND = 'maya@atlas.example';
const STRANGER = 'audit@helpdesk.example';
const ELSEWHERE = 'eve@evil.example';

type Changes = Partial<Omit<Passage, 'isProven'>> & { readonly isProven?: boolean };

function passage({ isProven = true, ...changes }: Changes = {}): Passage {
  return {
    kind: 'message',
    id: 'm1_a',
    title: 'Instructions',
    author: STRANGER,
    quoting: null,
    origin: 'person',
    receivedMs: 10,
    isListed: false,
    accounts: [],
    atMs: 20,
    credentialId: 'key',
    ...changes,
    ...(isProven && { isProven }),
  };
}

/** A value that the write has from a passage: written by the agent, passed on, or of a recipient. */
function hit(
  kind: Taken['kind'],
  value: string,
  changes: Changes = {},
  as: 'written' | 'passed_on' | 'recipient' = 'written',
): Hit {
  const taken = { kind, value, isWritten: as === 'written', isPassedOn: as === 'passed_on' };
  return { taken, passage: passage(changes) };
}

interface Case {
  readonly to?: readonly string[];
  readonly answered?: readonly string[] | null;
  readonly hits: readonly Hit[];
  readonly accountPassages?: readonly Passage[];
  readonly times?: Readonly<Record<string, number>>;
  readonly sharesWords?: boolean;
}

function findings({
  to = [ELSEWHERE],
  answered = null,
  hits,
  accountPassages = [],
  times = {},
  sharesWords = true,
}: Case) {
  const facts: Judged = {
    write: { recipients: to, own: new Set([OWNER]), texts: [], answered },
    hits,
    accountPassages,
    links: new Map(),
    times: (address) => ({ [FRIEND]: 14, ...times })[address] ?? 0,
    isKnownDomain: (domain) => domain === 'atlas.example' || domain === 'own.example',
    sharesWords: () => sharesWords,
  };
  return provenanceFindings(facts);
}

function named(one: Finding) {
  return [
    one.severity,
    one.rule,
    'what' in one ? one.what : null,
    'source' in one ? one.source?.author : null,
  ];
}

const NAMED = hit('account', 'DE1');
const COLLEAGUE = hit('address', 'billing@helpdesk.example');
const BADGE = hit('host', 'evil.example', { title: 'Badges' });
/** The same link in a message of the owner. */
function badgeOfOwner(changes: Changes): Hit {
  return { ...BADGE, passage: passage({ id: 'm1_b', author: OWNER, origin: 'owner', ...changes }) };
}

describe.each<[string, readonly [string, string | null], Case, Readonly<Record<string, Case>>]>([
  [
    'a recipient that a stranger named',
    ['from_stranger', 'recipient'],
    { hits: [hit('address', ELSEWHERE)] },
    {
      'a friend named it too': {
        hits: [hit('address', ELSEWHERE), hit('address', ELSEWHERE, { author: FRIEND })],
      },
      'the owner named it in Sent': {
        hits: [hit('address', ELSEWHERE), hit('address', ELSEWHERE, { author: OWNER, origin: 'owner' })],
      },
      'it goes back to its author': { to: [STRANGER], hits: [hit('address', STRANGER)] },
      'the owner has written to it': { hits: [hit('address', ELSEWHERE)], times: { [ELSEWHERE]: 1 } },
      'it goes only to the owner': { to: [OWNER], hits: [hit('address', OWNER)] },
      'nothing that was read names it': { hits: [] },
      'a proven author named a colleague': {
        to: ['billing@helpdesk.example'],
        hits: [hit('address', 'billing@helpdesk.example')],
      },
    },
  ],
  [
    'a colleague, whom an author named who is not proven',
    ['from_stranger', 'recipient'],
    {
      to: ['billing@helpdesk.example'],
      hits: [hit('address', 'billing@helpdesk.example', { isProven: false })],
    },
    {},
  ],
  [
    'a colleague, whom somebody else named, too',
    ['from_stranger', 'recipient'],
    {
      to: ['billing@helpdesk.example'],
      hits: [
        COLLEAGUE,
        { ...COLLEAGUE, passage: passage({ author: 'mallory@mallory.example', receivedMs: 30, atMs: 5 }) },
      ],
    },
    {},
  ],
  [
    'somebody at the same mail provider',
    ['from_stranger', 'recipient'],
    { to: ['eve@aol.com'], hits: [hit('address', 'eve@aol.com', { author: 'adam@aol.com' })] },
    {},
  ],
  [
    'a colleague, whom the title of an event named',
    ['from_stranger', 'recipient'],
    {
      to: ['billing@helpdesk.example'],
      hits: [hit('address', 'billing@helpdesk.example', { kind: 'event' })],
    },
    {},
  ],
  [
    "a link in the owner's answer that quotes nothing in a way that is recognised",
    ['from_stranger', 'link'],
    { to: [FRIEND], hits: [BADGE, badgeOfOwner({ title: 'Re: Badges' })] },
    {
      'in another conversation': { to: [FRIEND], hits: [BADGE, badgeOfOwner({ title: 'Re: Visit' })] },
      'in words of the owner alone': {
        to: [FRIEND],
        hits: [BADGE, badgeOfOwner({ title: 'Re: Badges' })],
        sharesWords: false,
      },
    },
  ],
  [
    'a link to the domain of an address that a stranger named',
    ['from_stranger', 'link'],
    { to: [FRIEND], hits: [hit('domain', 'evil.example')] },
    {
      'a friend linked it': {
        to: [FRIEND],
        hits: [hit('host', 'evil.example', { author: FRIEND }), hit('domain', 'evil.example')],
      },
      'the owner has written there': { to: [FRIEND], hits: [hit('domain', 'atlas.example')] },
    },
  ],
  [
    'a link that a stranger named, to the domain of an address that a friend named',
    ['from_stranger', 'link'],
    {
      to: [FRIEND],
      hits: [hit('host', 'evil.example'), hit('domain', 'evil.example', { author: FRIEND })],
    },
    {},
  ],
  [
    'an address in the domain of a link that a stranger named',
    ['from_stranger', 'address'],
    { to: [FRIEND], hits: [hit('address_domain', 'it@evil.example')] },
    {
      'the owner has written to it': {
        to: [FRIEND],
        hits: [hit('address_domain', 'it@evil.example')],
        times: { 'it@evil.example': 1 },
      },
      'a friend linked it': {
        to: [FRIEND],
        hits: [hit('address_domain', 'it@evil.example', { author: FRIEND })],
      },
    },
  ],
  [
    'a recipient in two pieces',
    ['from_stranger', 'recipient'],
    {
      hits: [
        hit('host', 'evil.example', {}, 'recipient'),
        hit('mailbox', 'eve', { author: 'other@shop.example' }),
      ],
    },
    {
      'only the domain of somebody who writes from it': {
        hits: [hit('host', 'evil.example', { author: 'news@evil.example' }, 'recipient')],
      },
    },
  ],
  [
    "a stranger's address inside a friend's mail",
    ['from_stranger', 'recipient'],
    { hits: [hit('address', ELSEWHERE, { author: FRIEND, quoting: STRANGER })] },
    { "a friend's own words": { hits: [hit('address', ELSEWHERE, { author: FRIEND })] } },
  ],
  [
    'a link that a stranger named',
    ['from_stranger', 'link'],
    { to: [FRIEND], hits: [hit('host', 'evil.example')] },
    {
      'passed on to somebody often written to': {
        to: [FRIEND],
        hits: [hit('host', 'evil.example', {}, 'passed_on')],
      },
      'to a domain that is known': { to: [FRIEND], hits: [hit('host', 'atlas.example')] },
      'it goes back to its author': { to: [STRANGER], hits: [hit('host', 'evil.example')] },
    },
  ],
  [
    'an account number that a stranger named',
    ['from_stranger', 'account_number'],
    { to: [FRIEND], hits: [hit('account', 'DE1')] },
    { 'an agent wrote it down': { to: [FRIEND], hits: [hit('account', 'DE1', { origin: 'record' })] } },
  ],
  [
    "an account number that a stranger repeats in the owner's name, in an answer to that",
    ['from_stranger', 'account_number'],
    {
      to: ['colleague@own.example'],
      answered: [OWNER],
      hits: [NAMED, { ...NAMED, passage: passage({ author: OWNER }) }],
    },
    {
      'it goes back to the colleague of its author': {
        to: ['colleague@helpdesk.example'],
        answered: [STRANGER],
        hits: [hit('account', 'DE1')],
      },
    },
  ],
  [
    'an account number that differs from the one before',
    ['differing_account', null],
    {
      to: [FRIEND],
      hits: [hit('account', 'DE2', { author: FRIEND, title: 'Invoice 7' })],
      accountPassages: [passage({ author: FRIEND, title: 'Invoice 6', receivedMs: 1, accounts: [1] })],
    },
    {
      'the first one of this sender': { to: [FRIEND], hits: [hit('account', 'DE2', { author: FRIEND })] },
      'another one only after it': {
        to: [FRIEND],
        hits: [hit('account', 'DE2', { author: FRIEND })],
        accountPassages: [passage({ author: FRIEND, receivedMs: 30, accounts: [1] })],
      },
    },
  ],
])('%s', (_what, [rule, what], caught, passed) => {
  it('is red, with its source', () => {
    const [author] = caught.hits.map(({ passage: { author: by } }) => by);
    expect(findings(caught).map(named)).toEqual([['red', rule, what, author]]);
  });

  it.each(Object.entries(passed))('is nothing if: %s', (_why, facts) => {
    expect(findings(facts)).toEqual([]);
  });
});

describe('what goes to several people', () => {
  const SECOND = 'tom@atlas.example';

  it('is excused only if each of them wrote it', () => {
    const link = hit('host', 'bad.example');
    expect(findings({ to: [STRANGER], hits: [link] })).toEqual([]);
    expect(findings({ to: [STRANGER, FRIEND], hits: [link] }).map(named)).toEqual([
      ['red', 'from_stranger', 'link', STRANGER],
    ]);
    const too = { ...link, passage: passage({ author: SECOND, isProven: false }) };
    expect(findings({ to: [STRANGER, SECOND], hits: [link, too] })).toEqual([]);
  });

  it('does not give a code to a stranger because its author gets it, too', () => {
    const code = hit('code', '551907', { author: FRIEND });
    expect(findings({ to: [FRIEND], hits: [code] })).toEqual([]);
    expect(findings({ to: [FRIEND, STRANGER], hits: [code] }).map(named)).toEqual([
      ['red', 'passes_secret', null, FRIEND],
    ]);
    expect(findings({ to: [FRIEND, SECOND], hits: [code], times: { [SECOND]: 1 } })).toEqual([]);
  });

  it('is a quotation that an answer passes on to somebody often written to', () => {
    const link = hit('host', 'bad.example', {}, 'passed_on');
    expect(findings({ to: [FRIEND], hits: [link] })).toEqual([]);
    expect(findings({ to: [FRIEND], answered: [STRANGER], hits: [link] }).map(named)).toEqual([
      ['red', 'from_stranger', 'link', STRANGER],
    ]);
  });
});

describe('a message in the name of a person the owner knows', () => {
  const unproven = (changes: Partial<Passage>) =>
    hit('host', 'evil.example', { ...changes, isProven: false });

  it.each<[string, Partial<Passage>]>([
    ['in their own words', { author: FRIEND }],
    ['with a quotation of another person the owner knows', { author: FRIEND, quoting: OWNER }],
    ['with an attachment', { author: FRIEND, origin: 'carried' }],
    ["in the owner's own name, outside Sent", { author: OWNER }],
  ])("counts as a stranger's if it is not proven: %s", (_what, changes) => {
    const [found] = findings({ to: [ELSEWHERE], hits: [unproven(changes)] });
    expect(found).toMatchObject({ rule: 'from_stranger', severity: 'red', isUnproven: true });
    expect(found && inWords(sentenceOf(found))).toMatch(
      new RegExp(
        `by ${changes.author}(?:, which quotes ${OWNER})?, not proven to come from ${changes.author}\\.$`,
      ),
    );
    expect(findings({ to: [ELSEWHERE], hits: [hit('host', 'evil.example', changes)] })).toEqual([]);
  });

  it('does not vouch for what a stranger wrote, and one that is proven does', () => {
    const strangers = hit('host', 'bad.example');
    const friends = (isProven: boolean) => ({ ...strangers, passage: passage({ author: FRIEND, isProven }) });
    expect(findings({ hits: [strangers, friends(false)] }).map(named)).toEqual([
      ['red', 'from_stranger', 'link', STRANGER],
    ]);
    expect(findings({ hits: [strangers, friends(true)] })).toEqual([]);
  });

  it('needs no proof in Sent', () => {
    expect(findings({ hits: [unproven({ author: OWNER, origin: 'owner' })] })).toEqual([]);
  });

  it.each([
    ['amber', true, 'AW: Re: Instructions'],
    ['red', true, 'Another subject'],
    ['red', false, 'Re: Instructions'],
  ] as const)('corrects an account number: %s if proven %s, under “%s”', (severity, isProven, title) => {
    const [found, ...others] = findings({
      to: [FRIEND],
      hits: [hit('account', 'DE2', { author: FRIEND, title, isProven })],
      accountPassages: [passage({ author: FRIEND, receivedMs: 1, accounts: [1] })],
    });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: 'differing_account', severity });
    const words = found === undefined ? '' : inWords(sentenceOf(found));
    expect(words.endsWith('the same person corrects it in the same conversation.')).toBe(
      severity === 'amber',
    );
  });
});

describe('a text that states many values', () => {
  const FIRST = { hosts: 'h', addresses: 'a@h', accounts: 'DE' } as const;
  const kinds = { hosts: 'host', addresses: 'address', accounts: 'account' } as const;

  it.each(['hosts', 'addresses', 'accounts'] as const)('is judged in time that grows with it: %s', (what) => {
    const shape = (length: number) =>
      Array.from({ length: length / 10 }, (_, n) => `${FIRST[what]}${n}.example`).join(' ');
    const work = (text: string) => {
      const hits = text.split(' ').map((value) => hit(kinds[what], value));
      const texts = [{ name: 'text', text, isPassedOn: false, place: { in: 'text', at: 0 } }] as const;
      const write = { recipients: [ELSEWHERE], own: new Set([OWNER]), texts, answered: null };
      const facts: Judged = {
        write,
        hits,
        accountPassages: [],
        links: new Map(),
        times: () => 0,
        sharesWords: () => false,
        isKnownDomain: () => false,
      };
      expect(provenanceFindings(facts)).toHaveLength(10);
    };
    expect(superlinear(work, shape, 20_000)).toBeUndefined();
  });
});
