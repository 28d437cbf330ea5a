import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SampleMessage } from '../../adapters/sandbox/sample-message.ts';
import { type MailCall, MailError } from '../../core/ports/mail.ts';
import type { TestKey } from '../open-service.ts';
import { detailsOf, letter, openScene, pageSchema, resultOf } from './scene.ts';

const OTHER = 'other@countersign.test';

async function open(samples: readonly SampleMessage[]) {
  const scene = await openScene({ samples: () => samples });
  return { scene, key: await scene.addKey('read') };
}

async function subjectsOf(key: TestKey, args: object): Promise<string[]> {
  return pageSchema
    .parse(resultOf(await key.call('search_inbox', args)))
    .messages.map(({ subject }) => subject);
}

const PLUM = letter('plum', {
  subject: 'Plum harvest',
  from: 'Ada Lovelace <ada@orchard.example>',
  minutesAgo: 30,
});
const PEAR = letter('pear', {
  subject: 'Pears',
  text: 'The plums are gone, the PEARS are not.\n',
  minutesAgo: 40,
  folder: 'Projects/Atlas',
  flags: ['seen'],
});
const OLD = letter('old', {
  subject: 'An old plum',
  minutesAgo: 4 * 24 * 60,
  folder: 'Archive',
  flags: ['seen'],
});

describe('search_inbox', () => {
  it('finds what has every word in sender, recipient, subject or body, in any folder, newest first', async () => {
    const { key } = await open([PLUM, PEAR, OLD]);
    expect(await subjectsOf(key, { q: 'plum' })).toEqual(['Plum harvest', 'Pears', 'An old plum']);
    expect(await subjectsOf(key, { q: ' PLUM   pears ' })).toEqual(['Pears']);
    expect(await subjectsOf(key, { q: 'lovelace' })).toEqual(['Plum harvest']);
    const { messages, ...facts } = resultOf(await key.call('search_inbox', { q: 'old plum' }));
    expect(messages).toMatchObject([{ folder: 'Archive', account_id: 1 }]);
    expect(facts).toMatchObject({ folder: 'all', total: 1, returned: 1, has_more: false });
    expect(facts.untrusted_fields).toEqual(['messages[].from', 'messages[].subject']);
  });

  it('finds letters in another composition or width, and folders by them', async () => {
    const decomposed = letter('nfd', {
      subject: 'Gru\u0308ne Pla\u0308ne',
      text: 'ＡＢＣ\n',
      folder: 'Projects/Atlas',
    });
    const { key } = await open([decomposed]);
    for (const q of ['grüne', 'GRÜNE', 'gru\u0308ne', 'abc', 'ａｂｃ', 'ＰＬÄＮＥ'])
      expect(await subjectsOf(key, { q })).toEqual(['Gru\u0308ne Pla\u0308ne']);
    expect(await subjectsOf(key, { q: 'abc', folder: 'Ｐｒｏｊｅｃｔｓ/Atlas' })).toEqual([
      'Gru\u0308ne Pla\u0308ne',
    ]);
  });

  it('takes sender, day, unread and folder, alone or together', async () => {
    const { scene, key } = await open([PLUM, PEAR, OLD]);
    expect(await subjectsOf(key, { from: 'LOVE' })).toEqual(['Plum harvest']);
    expect(await subjectsOf(key, { from: 'orchard.example' })).toEqual(['Plum harvest']);
    const since = new Date(scene.clock.now().getTime() - 2 * 24 * 60 * 60_000).toISOString().slice(0, 10);
    expect(await subjectsOf(key, { since })).toEqual(['Plum harvest', 'Pears']);
    expect(await subjectsOf(key, { since, unread: true })).toEqual(['Plum harvest']);
    expect(await subjectsOf(key, { since, unread: false })).toEqual(['Plum harvest', 'Pears']);
    expect(await subjectsOf(key, { q: 'plum', folder: 'archive' })).toEqual(['An old plum']);
    expect(await subjectsOf(key, { q: 'plum', folder: 'Projects/Atlas' })).toEqual(['Pears']);
    expect(await subjectsOf(key, { q: 'plum', from: 'maya', since })).toEqual(['Pears']);
  });

  it('shows the folder that was searched by its name', async () => {
    const { key } = await open([PLUM]);
    expect(resultOf(await key.call('search_inbox', { q: 'plum', folder: 'inbox' })).folder).toBe('INBOX');
    expect(detailsOf(await key.call('search_inbox', { q: 'plum', folder: 'Plums' }))).toEqual({
      code: 'not_found',
      reason: 'folder',
    });
  });

  it('is empty, not an error, if it finds nothing', async () => {
    const { key } = await open([PLUM]);
    const outcome = await key.call('search_inbox', { q: 'plum nothing' });
    expect(outcome.status).toBe('empty');
    expect(resultOf(outcome)).toMatchObject({ messages: [], total: 0, returned: 0, reason: 'no_match' });
  });

  it('gives ids that the other tools take', async () => {
    const { key } = await open([PLUM, PEAR]);
    const [row] = pageSchema.parse(resultOf(await key.call('search_inbox', { q: 'pears' }))).messages;
    expect(resultOf(await key.call('get_email', { id: row?.id }))).toMatchObject({ subject: 'Pears' });
  });

  it('accepts only a cursor of its own arguments', async () => {
    const { key } = await open([PLUM, PEAR]);
    const { next_cursor: cursor } = pageSchema.parse(
      resultOf(await key.call('search_inbox', { q: 'plum', limit: 1 })),
    );
    expect(await subjectsOf(key, { q: 'plum', limit: 1, cursor })).toEqual(['Pears']);
    for (const args of [
      { q: 'pears', limit: 1 },
      { q: 'plum', limit: 2 },
      { from: 'plum', limit: 1 },
    ]) {
      expect(detailsOf(await key.call('search_inbox', { ...args, cursor })).code).toBe('invalid_arguments');
    }
  });
});

describe('search_inbox of two accounts', () => {
  it('pages through every match once, newest first, even if some share an instant or a folder', async () => {
    const spot = fc.record({
      minutesAgo: fc.integer({ min: 1, max: 3 }),
      folder: fc.constantFrom('INBOX', 'Archive', 'Projects/Atlas'),
    });
    const spots = fc.array(spot, { maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(spots, spots, fc.integer({ min: 1, max: 5 }), async (mine, theirs, limit) => {
        const scene = await openScene({
          samples: (owner) =>
            (owner === OTHER ? theirs : mine).map((one, n) =>
              letter(`${owner}-${n}`, { ...one, subject: `Word ${one.minutesAgo}` }),
            ),
        });
        const key = await scene.addKey('read');
        await scene.service.accounts.connect({ ownerId: scene.ownerId, email: OTHER, settings: {} });
        const rows: { id: string; subject: string }[] = [];
        let cursor: string | undefined;
        do {
          const args = { q: 'word', limit, ...(cursor === undefined ? {} : { cursor }) };
          const outcome = await key.call('search_inbox', args);
          const page = pageSchema.parse(resultOf(outcome));
          expect(page.total).toBe(mine.length + theirs.length);
          expect(page.returned).toBe(Math.min(limit, page.total - rows.length));
          rows.push(...page.messages);
          cursor = page.next_cursor;
        } while (cursor !== undefined);
        expect(new Set(rows.map(({ id }) => id)).size).toBe(mine.length + theirs.length);
        const ages = [...mine, ...theirs].map(({ minutesAgo }) => `Word ${minutesAgo}`);
        expect(rows.map(({ subject }) => subject)).toEqual(ages.sort());
        await scene.service.stop();
      }),
      { numRuns: 25 },
    );
  });

  it('never leaves out results silently: an account that cannot be searched fails the call and is named', async () => {
    let other = 0;
    const scene = await openScene({
      samples: () => [PLUM],
      mailAs: (mail) => ({
        ...mail,
        search: async (call: MailCall, query) => {
          if (call.account.accountId === other)
            throw new MailError('unavailable', 'A folder was not searched.');
          return mail.search(call, query);
        },
      }),
    });
    const key = await scene.addKey('read');
    const { ownerId } = scene;
    other = (await scene.service.accounts.connect({ ownerId, email: OTHER, settings: {} })).accountId;
    expect(detailsOf(await key.call('search_inbox', { q: 'plum' }))).toEqual({
      code: 'upstream_mail_error',
      account_id: other,
      reason: 'unavailable',
    });
    expect(await subjectsOf(key, { q: 'plum', account_id: 1 })).toEqual(['Plum harvest']);
  });
});
