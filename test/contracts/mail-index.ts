import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  IndexedMessage,
  IndexedText,
  IndexPage,
  IndexQuery,
  MailIndex,
} from '../../core/ports/mail-index.ts';
import {
  compareSearchPositions,
  folderKey,
  type SearchPosition,
  THREAD_MAX,
} from '../../core/ports/mail-reading.ts';
import { letterForm } from '../../core/text/letter-form.ts';

/** An empty index for one test. */
export interface MailIndexUnderTest {
  readonly index: MailIndex;
  /** Closes the index, and opens what it has kept. */
  reopen(): Promise<MailIndex>;
  close(): Promise<void>;
}

const ACCOUNT = { ownerId: 'owner-1', accountId: 1 };
const OTHERS = [
  { ownerId: 'owner-1', accountId: 2 },
  { ownerId: 'owner-2', accountId: 1 },
];
const KEY = new Uint8Array(32).fill(7);
const OTHER_KEY = new Uint8Array(32).fill(8);
const NOON_MS = Date.parse('2024-05-06T12:00:00Z');

/** A folder as a test fills it. */
const INBOX = { path: 'INBOX', uidValidity: '7', uidNext: 10, state: 'a', add: [], remove: [] };

function saying(body: string, { sender = 'Bob <bob@example.test>', subject = 'Lunch' } = {}): IndexedText {
  return { sender, head: `${sender}\nalice@example.test\n\n${subject}`, body, isWhole: true };
}

function message(uid: number, text: IndexedText, receivedMs = NOON_MS + uid * 1000): IndexedMessage {
  return { uid, receivedMs, text, linkedIds: [] };
}

function linked(uid: number, ...linkedIds: string[]): IndexedMessage {
  return { ...message(uid, saying('lunch')), linkedIds };
}

const ALL: IndexQuery = {
  words: [],
  from: undefined,
  sinceMs: undefined,
  folders: [{ path: 'INBOX', among: undefined }],
  after: undefined,
  limit: 20,
};

/** The contract of the MailIndex port. Run with vitest, it shows whether an index is right. */
export function mailIndexContract(name: string, open: () => Promise<MailIndexUnderTest>): void {
  describe(`${name}: contract of an index`, () => {
    let under: MailIndexUnderTest;
    let index: MailIndex;
    beforeEach(async () => {
      under = await open();
      index = under.index;
      await index.open(KEY);
    });
    afterEach(() => under?.close());

    async function found(query: Partial<IndexQuery>, account = ACCOUNT): Promise<IndexPage> {
      const page = await index.search(account, { ...ALL, ...query });
      if (page === 'unanswerable') throw new Error('The index does not answer.');
      return page;
    }
    const uids = async (query: Partial<IndexQuery>, account = ACCOUNT) =>
      (await found(query, account)).hits.map(({ uid }) => uid);

    it('is empty at first', async () => {
      expect(await index.folders(ACCOUNT)).toEqual([]);
      expect(await index.uids(ACCOUNT, 'INBOX')).toEqual([]);
      expect(await found({ words: ['lunch'] })).toEqual({
        ...{ hits: [], more: false, total: 0, isExact: true },
        unknown: new Map(),
      });
      await index.forgetFolder(ACCOUNT, 'INBOX');
      await index.forgetAccount(ACCOUNT);
      expect(await index.accounts()).toEqual([]);
    });

    it('keeps the folders of an account, and the UIDs of each in ascending order', async () => {
      await index.save(ACCOUNT, { ...INBOX, add: [message(9, saying('b')), message(3, saying('a'))] });
      await index.save(ACCOUNT, { ...INBOX, path: 'Übersicht/été', uidNext: null, state: null });
      expect(await index.folders(ACCOUNT)).toEqual([
        { path: 'INBOX', uidValidity: '7', uidNext: 10, state: 'a' },
        { path: 'Übersicht/été', uidValidity: '7', uidNext: null, state: null },
      ]);
      expect(await index.uids(ACCOUNT, 'INBOX')).toEqual([3, 9]);
      expect(await index.uids(ACCOUNT, 'Übersicht/été')).toEqual([]);
    });

    it('adds and removes messages, and takes a new state', async () => {
      await index.save(ACCOUNT, {
        ...INBOX,
        add: [message(1, saying('spring')), message(2, saying('autumn'))],
      });
      const change = { ...INBOX, state: 'b', remove: [1, 77], add: [message(3, saying('spring again'))] };
      await index.save(ACCOUNT, change);
      expect(await index.folders(ACCOUNT)).toEqual([
        { path: 'INBOX', uidValidity: '7', uidNext: 10, state: 'b' },
      ]);
      expect(await index.uids(ACCOUNT, 'INBOX')).toEqual([2, 3]);
      expect(await uids({ words: ['spring'] })).toEqual([3]);
    });

    it('tells how much there is of an account', async () => {
      expect(await index.size(ACCOUNT)).toEqual({ messages: 0, bytes: 0 });
      const add = Array.from({ length: 30 }, (_, at) => message(at + 1, saying(`lunch ${at}`)));
      await index.save(ACCOUNT, { ...INBOX, add });
      await index.save(ACCOUNT, { ...INBOX, path: 'Sent', add: add.slice(0, 10) });
      const { messages, bytes } = await index.size(ACCOUNT);
      expect(messages).toBe(40);
      expect(bytes).toBeGreaterThan(40 * 50);
      for (const account of OTHERS) expect(await index.size(account)).toEqual({ messages: 0, bytes: 0 });
      await index.save(ACCOUNT, { ...INBOX, remove: [1] });
      expect((await index.size(ACCOUNT)).messages).toBe(39);
      await index.forgetAccount(ACCOUNT);
      expect(await index.size(ACCOUNT)).toEqual({ messages: 0, bytes: 0 });
    });

    it('adds up what was fetched of each account on a day', async () => {
      expect(await index.fetched(ACCOUNT, 20_000)).toBe(0);
      expect(await index.addFetched(ACCOUNT, 20_000, 0)).toBe(0);
      expect(await index.addFetched(ACCOUNT, 20_000, 7)).toBe(7);
      for (const account of OTHERS) expect(await index.addFetched(account, 20_000, 1)).toBe(1);
      await index.forgetAccount(ACCOUNT);
      index = await under.reopen();
      await index.open(KEY);
      expect(await index.addFetched(ACCOUNT, 20_000, 3_000_000_000)).toBe(3_000_000_007);
      expect(await index.fetched(ACCOUNT, 20_000)).toBe(3_000_000_007);
      expect(await index.addFetched(ACCOUNT, 20_001, 5)).toBe(5);
    });

    it('keeps what it has of a message that is added again', async () => {
      await index.save(ACCOUNT, { ...INBOX, add: [message(1, saying('first'))] });
      await index.save(ACCOUNT, { ...INBOX, add: [message(1, saying('second'))] });
      expect(await uids({ words: ['first'] })).toEqual([1]);
      expect(await uids({ words: ['second'] })).toEqual([]);
    });

    it('erases a folder whose uidValidity is another one', async () => {
      await index.save(ACCOUNT, {
        ...INBOX,
        add: [message(1, saying('before')), message(2, saying('before'))],
      });
      await index.save(ACCOUNT, { ...INBOX, uidValidity: '8', add: [message(2, saying('after'))] });
      expect(await index.uids(ACCOUNT, 'INBOX')).toEqual([2]);
      expect(await uids({ words: ['before'] })).toEqual([]);
      expect(await uids({ words: ['after'] })).toEqual([2]);
    });

    it('keeps accounts apart, and erases one without the others', async () => {
      for (const [at, account] of [ACCOUNT, ...OTHERS].entries())
        await index.save(account, { ...INBOX, add: [message(at + 1, saying('lunch'))] });
      await index.save(ACCOUNT, { ...INBOX, path: 'Sent' });
      await index.forgetFolder(ACCOUNT, 'INBOX');
      await index.save(ACCOUNT, { ...INBOX, add: [message(1, saying('lunch'))] });
      const listed = async () =>
        (await index.accounts()).map(({ ownerId, accountId }) => `${ownerId} ${accountId}`).sort();
      expect(await listed()).toEqual(['owner-1 1', 'owner-1 2', 'owner-2 1']);
      expect(await uids({ words: ['lunch'] })).toEqual([1]);
      expect(await uids({})).toEqual([1]);
      await index.forgetAccount(ACCOUNT);
      expect(await index.folders(ACCOUNT)).toEqual([]);
      expect(await uids({ words: ['lunch'] })).toEqual([]);
      for (const [at, account] of OTHERS.entries())
        expect(await uids({ words: ['lunch'] }, account)).toEqual([at + 2]);
    });

    it('erases a folder without the others', async () => {
      for (const path of ['INBOX', 'Sent'])
        await index.save(ACCOUNT, { ...INBOX, path, add: [message(1, saying('lunch'))] });
      await index.forgetFolder(ACCOUNT, 'INBOX');
      const folders = ['INBOX', 'Sent'].map((path) => ({ path, among: undefined }));
      expect((await found({ words: ['lunch'], folders })).hits.map(({ path }) => path)).toEqual(['Sent']);
    });

    it('looks only into the folders, and at the messages, that are asked for', async () => {
      const add = [1, 2, 3].map((uid) => message(uid, saying('lunch')));
      for (const path of ['INBOX', 'Sent']) await index.save(ACCOUNT, { ...INBOX, path, add });
      const { hits, total } = await found({
        words: ['lunch'],
        folders: [
          { path: 'INBOX', among: [1, 3, 99] },
          { path: 'No such folder', among: undefined },
        ],
      });
      expect(hits.map(({ path, uid }) => `${path} ${uid}`)).toEqual(['INBOX 3', 'INBOX 1']);
      expect(total).toBe(2);
    });

    it('finds what was received at a time or later', async () => {
      await index.save(ACCOUNT, { ...INBOX, add: [1, 2, 3].map((uid) => message(uid, saying('lunch'))) });
      const sinceMs = NOON_MS + 2000;
      expect(await uids({ sinceMs })).toEqual([3, 2]);
      expect(await uids({ sinceMs, words: ['lunch'] })).toEqual([3, 2]);
      expect(await uids({ sinceMs: NOON_MS + 2001 })).toEqual([3]);
      expect(await uids({ sinceMs: Number.MIN_SAFE_INTEGER })).toEqual([3, 2, 1]);
    });

    it('counts the messages that could not be read and might match', async () => {
      const unread: IndexedText = {
        sender: 'Bob',
        head: 'Bob\nHidden treasure',
        body: 'chest',
        isWhole: false,
      };
      await index.save(ACCOUNT, { ...INBOX, add: [message(1, unread), message(2, saying('lunch'))] });
      const { hits, unknown } = await found({ words: ['lunch'] });
      expect(hits.map(({ uid }) => uid)).toEqual([2]);
      expect([...unknown]).toEqual([['INBOX', 1]]);
      expect(await uids({ words: ['treasure', 'chest'] })).toEqual([1]);
      expect([...(await found({ from: 'carol' })).unknown]).toEqual([]);
      expect(await uids({ from: 'bob' })).toEqual([2, 1]);
    });

    it('finds a word in a text with a million different sequences of letters, and one word of a megabyte', async () => {
      const noise = Array.from({ length: 400_000 }, (_, at) =>
        String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000)),
      ).join('');
      const add = [
        message(1, saying(`${noise} needle`)),
        message(2, saying(`${'ab'.repeat(500_000)}needle`)),
      ];
      await index.save(ACCOUNT, { ...INBOX, add });
      expect(await uids({ words: ['needle'] })).toEqual([2, 1]);
      expect(await uids({ words: ['haystack'] })).toEqual([]);
    });

    it('finds nothing for a word of 200 letters that is nowhere, and one that is there', async () => {
      const long = Array.from({ length: 200 }, (_, at) => String.fromCodePoint(97 + ((at * at) % 26))).join(
        '',
      );
      await index.save(ACCOUNT, {
        ...INBOX,
        add: [message(1, saying(long)), message(2, saying(long.slice(1)))],
      });
      expect(await uids({ words: [long] })).toEqual([1]);
    });

    it('finds short words among few messages, and leaves many to the server', async () => {
      const few = [1, 2, 3].map((uid) => message(uid, saying(uid === 2 ? 'ab' : 'cd')));
      await index.save(ACCOUNT, { ...INBOX, add: few });
      expect(await uids({ words: ['ab'] })).toEqual([2]);
      const many = Array.from({ length: 2000 }, (_, at) => message(at + 10, saying('ef')));
      await index.save(ACCOUNT, { ...INBOX, add: many });
      expect(await index.search(ACCOUNT, { ...ALL, words: ['ab'] })).toBe('unanswerable');
      expect((await found({ words: ['ab', 'lunch'] })).total).toBeGreaterThan(0);
    });

    it('returns a page of a frequent word without counting all of them, and each message once', async () => {
      const add = Array.from({ length: 3000 }, (_, at) =>
        message(at + 1, saying(`the ${at}`), NOON_MS + (at % 7) * 1000),
      );
      await index.save(ACCOUNT, { ...INBOX, add });
      const seen: number[] = [];
      let after: SearchPosition | undefined;
      for (let pages = 0; pages < 5; pages += 1) {
        const page = await found({ words: ['the'], after, limit: 50 });
        expect(page.hits.length).toBe(50);
        expect(page.more).toBe(true);
        expect(page.total).toBeLessThanOrEqual(add.length);
        if (page.isExact) expect(page.total).toBe(add.length);
        seen.push(...page.hits.map(({ uid }) => uid));
        after = page.hits.at(-1);
      }
      const newest = add
        .toSorted((a, b) => b.receivedMs - a.receivedMs || b.uid - a.uid)
        .map(({ uid }) => uid);
      expect(seen).toEqual(newest.slice(0, 250));
    });

    it('keeps everything when it is opened again, and nothing with another key', async () => {
      await index.save(ACCOUNT, { ...INBOX, add: [message(1, saying('lunch'))] });
      index = await under.reopen();
      await index.open(KEY);
      expect(await uids({ words: ['lunch'] })).toEqual([1]);
      index = await under.reopen();
      await index.open(OTHER_KEY);
      expect(await index.folders(ACCOUNT)).toEqual([]);
      await index.save(ACCOUNT, { ...INBOX, add: [message(2, saying('lunch'))] });
      expect(await uids({ words: ['lunch'] })).toEqual([2]);
    });

    const conversation = async (uid: number, path = 'INBOX') => {
      const places = await index.conversation(ACCOUNT, { path, uidValidity: '7', uid });
      if (places === 'unanswerable') throw new Error('The index does not answer.');
      return places.map((place) => `${place.path} ${place.uid}`).toSorted();
    };

    it('returns the conversation of each message, over all folders', async () => {
      const add = [linked(1, '<a>'), linked(2, '<b>', '<a>'), linked(3, '<c>'), linked(4), linked(5)];
      await index.save(ACCOUNT, { ...INBOX, add });
      await index.save(ACCOUNT, { ...INBOX, path: 'Sent', add: [linked(1, '<d>', '<b>', '<lost>')] });
      for (const account of OTHERS) await index.save(account, { ...INBOX, add: [linked(9, '<a>')] });
      for (const uid of [1, 2]) expect(await conversation(uid)).toEqual(['INBOX 1', 'INBOX 2', 'Sent 1']);
      expect(await conversation(1, 'Sent')).toEqual(['INBOX 1', 'INBOX 2', 'Sent 1']);
      expect(await conversation(3)).toEqual(['INBOX 3']);
      expect(await conversation(4)).toEqual(['INBOX 4']);
      const [one] = await index.conversation(ACCOUNT, { path: 'INBOX', uidValidity: '7', uid: 3 });
      expect(one).toEqual({ path: 'INBOX', uid: 3, internalDateMs: NOON_MS + 3000 });
      // What only this message named is not linked any more.
      await index.save(ACCOUNT, { ...INBOX, remove: [2] });
      expect(await conversation(1)).toEqual(['INBOX 1']);
      await index.save(ACCOUNT, { ...INBOX, add: [linked(7, '<lost>')] });
      expect(await conversation(7)).toEqual(['INBOX 7', 'Sent 1']);
    });

    it('returns no conversation of a message that is not indexed', async () => {
      await index.save(ACCOUNT, { ...INBOX, add: [linked(1, '<a>')] });
      const places = [{ uid: 2 }, { uidValidity: '8' }, { path: 'Sent' }];
      for (const wrong of places) {
        const place = { path: 'INBOX', uidValidity: '7', uid: 1, ...wrong };
        expect(await index.conversation(ACCOUNT, place)).toEqual([]);
      }
      const [other] = OTHERS;
      expect(other && (await index.conversation(other, { path: 'INBOX', uidValidity: '7', uid: 1 }))).toEqual(
        [],
      );
    });

    it('leaves conversations to the server while the ids of any message of the account are unknown', async () => {
      const unread = { ...linked(2), linkedIds: null };
      await index.save(ACCOUNT, { ...INBOX, add: [linked(1, '<a>'), unread] });
      const place = { path: 'INBOX', uidValidity: '7', uid: 1 };
      expect(await index.conversation(ACCOUNT, place)).toBe('unanswerable');
      const [other] = OTHERS;
      if (other !== undefined) await index.save(other, { ...INBOX, add: [linked(1, '<a>')] });
      expect(other && (await index.conversation(other, place))).toMatchObject([{ uid: 1 }]);
      await index.save(ACCOUNT, { ...INBOX, remove: [2] });
      expect(await conversation(1)).toEqual(['INBOX 1']);
    });

    it('returns the newest of a conversation without end, and the message itself', async () => {
      const add = Array.from({ length: THREAD_MAX + 100 }, (_, at) => linked(at + 1, '<a>', `<${at}>`));
      await index.save(ACCOUNT, { ...INBOX, add });
      await index.save(ACCOUNT, { ...INBOX, path: 'Sent', add: [linked(1, '<a>')] });
      const places = new Set(await conversation(1));
      expect(places.has('INBOX 1') && places.has('Sent 1')).toBe(true);
      for (let uid = 200; uid <= add.length; uid += 1) expect(places.has(`INBOX ${uid}`)).toBe(true);
      expect(places.size).toBeLessThanOrEqual(THREAD_MAX + 2);
    });

    it('links the same messages as following every id', async () => {
      let round = 0;
      await fc.assert(
        fc.asyncProperty(mailbox, async (folders) => {
          round += 1;
          const account = { ownerId: 'linked', accountId: round };
          for (const { path, add, remove } of folders) {
            await index.save(account, { ...INBOX, path, add });
            await index.save(account, { ...INBOX, path, remove });
          }
          const there = folders.flatMap(({ path, add, remove }) =>
            add.filter(({ uid }) => !remove.includes(uid)).map((one) => ({ path, ...one })),
          );
          for (const { path, uid } of there) {
            const found = await index.conversation(account, { path, uidValidity: '7', uid });
            if (found === 'unanswerable') throw new Error('The index does not answer.');
            const names = found.map((place) => `${place.path} ${place.uid}`);
            expect(names.toSorted()).toEqual(followed(there, path, uid));
          }
        }),
        { numRuns: 60 },
      );
    });

    it('finds the same as a look at every text', async () => {
      let round = 0;
      await fc.assert(
        fc.asyncProperty(
          mailbox,
          fc.array(query, { minLength: 1, maxLength: 6 }),
          async (folders, queries) => {
            round += 1;
            const account = { ownerId: 'random', accountId: round };
            for (const { path, add, remove } of folders) {
              await index.save(account, { ...INBOX, path, add });
              await index.save(account, { ...INBOX, path, remove });
            }
            for (const asked of queries) {
              const whole = { ...asked, after: undefined, limit: 1000 };
              const expected = lookedFor(folders, whole);
              const page = await index.search(account, whole);
              expect(page).toEqual({ ...expected, more: false });
              // Page by page, it is the same.
              const seen: SearchPosition[] = [];
              for (let after: SearchPosition | undefined; ; after = seen.at(-1)) {
                const part = await index.search(account, { ...asked, after });
                if (part === 'unanswerable') throw new Error('The index does not answer.');
                expect(part.total).toBe(expected.total);
                seen.push(...part.hits);
                if (!part.more) break;
              }
              expect(seen).toEqual(expected.hits);
            }
          },
        ),
        { numRuns: 60 },
      );
    });
  });
}

/** A folder with what was added and removed. */
interface Filled {
  readonly path: string;
  readonly add: readonly IndexedMessage[];
  readonly remove: readonly number[];
}

/** What must be found: the text is looked at, plainly. */
function lookedFor(
  folders: readonly Filled[],
  { words, from, sinceMs, folders: asked }: IndexQuery,
): Omit<IndexPage, 'more'> {
  const unknown = new Map<string, number>();
  const hits = folders.flatMap(({ path, add, remove }) => {
    const scope = asked.find((one) => one.path === path);
    return add.flatMap(({ uid, receivedMs, text }) => {
      const isAsked = scope !== undefined && (scope.among?.includes(uid) ?? true) && !remove.includes(uid);
      if (!isAsked || receivedMs < (sinceMs ?? Number.NEGATIVE_INFINITY)) return [];
      if (from !== undefined && !letterForm(text.sender).includes(letterForm(from))) return [];
      const seen = letterForm(`${text.head}\n${text.body}`);
      const says = words.every((word) => seen.includes(letterForm(word)));
      if (!says && !text.isWhole) unknown.set(path, (unknown.get(path) ?? 0) + 1);
      return says ? [{ path, folderKey: folderKey(path), uid, internalDateMs: receivedMs }] : [];
    });
  });
  return { hits: hits.sort(compareSearchPositions), total: hits.length, isExact: true, unknown };
}

/** The places of what is linked with a message, found plainly: as long as anything is added. */
function followed(
  there: readonly (IndexedMessage & { readonly path: string })[],
  path: string,
  uid: number,
): string[] {
  const found = new Set(there.filter((one) => one.path === path && one.uid === uid));
  for (let before = 0; before < found.size; ) {
    before = found.size;
    const ids = new Set([...found].flatMap(({ linkedIds }) => linkedIds ?? []));
    for (const one of there) if (one.linkedIds?.some((id) => ids.has(id)) === true) found.add(one);
  }
  return [...found].map((one) => `${one.path} ${one.uid}`).toSorted();
}

/** Few letters, so that words are found; with forms, cases, marks and blanks that letterForm changes. */
const letters = fc.constantFrom(
  'a',
  'b',
  'A',
  'ä',
  'a\u0308',
  'ß',
  'ﬁ',
  'ｂ',
  'ς',
  '¨',
  '😀',
  '-',
  '@',
  '\u00a0',
  ' ',
  ' ',
  '\n',
);
const text = fc.string({ unit: letters, maxLength: 40 });
const word = fc
  .oneof(fc.string({ unit: letters, minLength: 1, maxLength: 6 }), fc.constantFrom('aaa', 'ab', 'ßa', 'ﬁa'))
  .map((one) => one.replace(/\s/gu, ''))
  .filter((one) => one !== '');
const PATHS = ['INBOX', 'Sent', 'Élan'];

const indexedMessage = fc.record({
  uid: fc.integer({ min: 1, max: 30 }),
  receivedMs: fc.integer({ min: 0, max: 5 }).map((second) => NOON_MS + second * 1000),
  text: fc.record({
    sender: text,
    head: text,
    body: text,
    isWhole: fc.constantFrom(true, true, true, false),
  }),
  linkedIds: fc.array(
    fc.integer({ min: 0, max: 40 }).map((id) => `<${id}>`),
    { maxLength: 3 },
  ),
});

const mailbox: fc.Arbitrary<Filled[]> = fc.uniqueArray(
  fc.record({
    path: fc.constantFrom(...PATHS),
    add: fc.uniqueArray(indexedMessage, { selector: ({ uid }) => uid, maxLength: 15 }),
    remove: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 3 }),
  }),
  { selector: ({ path }) => path, minLength: 1 },
);

const query: fc.Arbitrary<IndexQuery> = fc.record({
  words: fc.array(word, { maxLength: 3 }),
  from: fc.option(fc.string({ unit: letters, minLength: 1, maxLength: 5 }), { nil: undefined }),
  sinceMs: fc.option(
    fc.integer({ min: -1, max: 6 }).map((second) => NOON_MS + second * 1000),
    { nil: undefined },
  ),
  folders: fc.uniqueArray(
    fc.record({
      path: fc.constantFrom(...PATHS),
      among: fc.option(fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 20 }), { nil: undefined }),
    }),
    { selector: ({ path }) => path },
  ),
  after: fc.constant(undefined),
  limit: fc.integer({ min: 1, max: 7 }),
});
