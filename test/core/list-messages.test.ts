import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MailCall, MailError } from '../../core/ports/mail.ts';
import { UNTRUSTED_NOTICE } from '../../core/safety/untrusted.ts';
import { anyText, including, textLike } from './matchers.ts';
import { detailsOf, FRIEND, letter, openScene, pageSchema, resultOf, type Scene } from './scene.ts';

const OTHER = 'other@countersign.test';

async function connectOther({ service, ownerId }: Scene): Promise<number> {
  return (await service.accounts.connect({ ownerId, email: OTHER, settings: {} })).accountId;
}

/** Walks the pages to their end. @returns the rows of all of them */
async function walk(call: (args: object) => Promise<unknown>, args: object) {
  const rows: { id: string; account_id: number; subject: string }[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 100; pages++) {
    const page = pageSchema.parse(await call({ ...args, ...(cursor === undefined ? {} : { cursor }) }));
    expect(page.returned).toBe(page.messages.length);
    expect(page.has_more).toBe(page.next_cursor !== undefined);
    rows.push(...page.messages);
    cursor = page.next_cursor;
    if (cursor === undefined) return rows;
  }
  throw new Error('the pages do not end');
}

describe('summarize_inbox of one account', () => {
  it('has the rows and fields of the contract', async () => {
    const scene = await openScene({
      samples: () => [
        letter('older', { minutesAgo: 90 }),
        letter('newer', {
          minutesAgo: 30,
          subject: 'Grüße \u{1f44b}',
          from: `Jörg <${FRIEND}>`,
          offsetMin: 120,
        }),
      ],
    });
    const key = await scene.addKey('read');
    expect(await key.call('summarize_inbox')).toEqual({
      status: 'ok',
      result: {
        messages: [
          {
            id: textLike(/^m1_[A-Za-z0-9_-]+$/),
            account_id: 1,
            folder: 'INBOX',
            from: `Jörg <${FRIEND}>`,
            subject: 'Grüße \u{1f44b}',
            date: textLike(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+02:00$/),
          },
          including({ subject: 'Subject older', date: textLike(/\+00:00$/) }),
        ],
        folder: 'INBOX',
        total: 2,
        returned: 2,
        has_more: false,
        untrusted_fields: ['messages[].from', 'messages[].subject'],
        untrusted_notice: UNTRUSTED_NOTICE,
      },
    });
  });

  it('is empty with a reason, which is not an error', async () => {
    const scene = await openScene();
    const key = await scene.addKey('read');
    expect(await key.call('summarize_inbox', { folder: 'drafts' })).toEqual({
      status: 'empty',
      result: {
        messages: [],
        folder: 'Drafts',
        total: 0,
        returned: 0,
        has_more: false,
        reason: 'no_messages',
      },
    });
  });

  it('takes a folder by its exact name or its role', async () => {
    const scene = await openScene({
      samples: () => [letter('a', { folder: 'Projects/Atlas' }), letter('b')],
    });
    const key = await scene.addKey('read');
    for (const [folder, shown] of [
      ['Projects/Atlas', 'Projects/Atlas'],
      ['INBOX', 'INBOX'],
      ['inbox', 'INBOX'],
      ['Inbox', 'INBOX'],
      ['sent', 'Sent'],
    ]) {
      expect(resultOf(await key.call('summarize_inbox', { folder }))).toMatchObject({
        folder: shown,
        returned: 1,
      });
    }
    for (const folder of ['projects/atlas', 'Atlas', 'outbox', 'INBOX ']) {
      expect(detailsOf(await key.call('summarize_inbox', { folder }))).toEqual({
        code: 'not_found',
        reason: 'folder',
      });
    }
  });

  it('pages through every message once, newest first, whatever the size of a page', async () => {
    const names = Array.from({ length: 23 }, (_, n) => `n${n}`);
    const scene = await openScene({
      samples: () => names.map((id, n) => letter(id, { minutesAgo: 10 + n })),
    });
    const key = await scene.addKey('read');
    const expected = names.map((id) => `Subject ${id}`);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 50 }), async (limit) => {
        const rows = await walk(async (args) => resultOf(await key.call('summarize_inbox', args)), { limit });
        expect(rows.map(({ subject }) => subject)).toEqual(expected);
        expect(new Set(rows.map(({ id }) => id)).size).toBe(23);
      }),
      { numRuns: 15 },
    );
    const standard = pageSchema.parse(resultOf(await key.call('summarize_inbox')));
    expect([standard.returned, standard.total, standard.has_more]).toEqual([20, 23, true]);
  });

  it('continues at its position when new mail arrives in between', async () => {
    const scene = await openScene({
      samples: () => ['a', 'b', 'c', 'd'].map((id, n) => letter(id, { minutesAgo: 10 + n })),
    });
    const key = await scene.addKey('read');
    const first = pageSchema.parse(resultOf(await key.call('summarize_inbox', { limit: 2 })));
    const account = { ownerId: scene.ownerId, accountId: 1, email: '', settings: async () => ({}) };
    await scene.mail.deliver(account, 'INBOX', Buffer.from('Subject: New\r\n\r\nNew\r\n'));
    const args = { limit: 2, cursor: first.next_cursor };
    const second = pageSchema.parse(resultOf(await key.call('summarize_inbox', args)));
    expect(second.messages.map(({ subject }) => subject)).toEqual(['Subject c', 'Subject d']);
    expect(second.has_more).toBe(false);
  });
});

describe('summarize_inbox of two accounts', () => {
  it('merges them by date, and pages through every message once, even if some share an instant', async () => {
    const ages = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 0, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(ages, ages, fc.integer({ min: 1, max: 5 }), async (mine, theirs, limit) => {
        const scene = await openScene({
          samples: (owner) =>
            (owner === OTHER ? theirs : mine).map((minutesAgo, n) =>
              letter(`${owner}-${n}`, { minutesAgo, subject: String(minutesAgo) }),
            ),
        });
        const key = await scene.addKey('read');
        const other = await connectOther(scene);
        const total = mine.length + theirs.length;
        if (total > 0) {
          const rows = await walk(async (args) => resultOf(await key.call('summarize_inbox', args)), {
            limit,
          });
          expect(rows).toHaveLength(total);
          expect(new Set(rows.map(({ id }) => id)).size).toBe(total);
          const sorted = [...mine.map((age) => [age, 1]), ...theirs.map((age) => [age, other])].sort(
            ([ageA = 0, accountA = 0], [ageB = 0, accountB = 0]) => ageA - ageB || accountA - accountB,
          );
          expect(rows.map((row) => [Number(row.subject), row.account_id])).toEqual(sorted);
        }
        await scene.service.stop();
      }),
      { numRuns: 25 },
    );
  });

  it('can be restricted to one account, and does not find an unknown one', async () => {
    const scene = await openScene({ samples: (owner) => [letter(`of-${owner}`)] });
    const key = await scene.addKey('read');
    const other = await connectOther(scene);
    const both = pageSchema.parse(resultOf(await key.call('summarize_inbox')));
    expect([both.total, both.folder]).toEqual([2, 'inbox']);
    const one = pageSchema.parse(resultOf(await key.call('summarize_inbox', { account_id: other })));
    expect(one.messages.map(({ account_id }) => account_id)).toEqual([other]);
    expect(detailsOf(await key.call('summarize_inbox', { account_id: 3 }))).toEqual({
      code: 'not_found',
      reason: 'account',
    });
  });

  it('never leaves out results silently: an unavailable account fails the call and is named', async () => {
    let other = 0;
    const scene = await openScene({
      mailAs: (mail) => ({
        ...mail,
        list: async (call: MailCall, query) => {
          if (call.account.accountId === other) throw new MailError('unavailable', 'The server is away.');
          return mail.list(call, query);
        },
      }),
    });
    const key = await scene.addKey('read');
    other = await connectOther(scene);
    expect(detailsOf(await key.call('summarize_inbox'))).toEqual({
      code: 'upstream_mail_error',
      account_id: other,
      reason: 'unavailable',
    });
    expect(resultOf(await key.call('summarize_inbox', { account_id: 1 }))).toMatchObject({ returned: 1 });
  });
});

describe('a cursor', () => {
  it('belongs to its tool, its other arguments and its owner', async () => {
    const scene = await openScene({ samples: () => ['a', 'b', 'c'].map((id) => letter(id)) });
    const key = await scene.addKey('read');
    const args = { folder: 'inbox', limit: 1 };
    const { next_cursor: cursor } = pageSchema.parse(resultOf(await key.call('summarize_inbox', args)));
    const refused = {
      code: 'invalid_arguments',
      errors: [{ field: 'cursor', rule: 'cursor', message: anyText }],
    };
    for (const other of [
      { limit: 1 },
      { folder: 'inbox', limit: 2 },
      { folder: 'INBOX', limit: 1 },
      { ...args, account_id: 1 },
    ]) {
      expect(detailsOf(await key.call('summarize_inbox', { ...other, cursor }))).toEqual(refused);
    }
    expect(detailsOf(await key.call('list_accounts', { cursor }))).toEqual(refused);
    expect(detailsOf(await key.call('list_approvals', { limit: 1, cursor }))).toEqual(refused);
    const changed = `${cursor?.slice(0, -1)}${cursor?.endsWith('A') ? 'B' : 'A'}`;
    expect(detailsOf(await key.call('summarize_inbox', { ...args, cursor: changed }))).toEqual(refused);
    const again = await scene.addKey('full');
    expect(
      resultOf(await again.call('summarize_inbox', { limit: 1, folder: 'inbox', cursor })),
    ).toMatchObject({
      returned: 1,
    });
  });
});

describe('a cursor of all accounts', () => {
  it('is refused after a second account is added, or all but one are removed: the order differs', async () => {
    const scene = await openScene({
      samples: (owner) => [5, 10, 15].map((minutesAgo) => letter(`${owner}-${minutesAgo}`, { minutesAgo })),
    });
    const key = await scene.addKey('read');
    const cursorNow = async () =>
      pageSchema.parse(resultOf(await key.call('summarize_inbox', { limit: 1 }))).next_cursor;
    const refused = { code: 'invalid_arguments', errors: [including({ field: 'cursor' })] };
    const ofOne = await cursorNow();
    const other = await connectOther(scene);
    expect(detailsOf(await key.call('summarize_inbox', { limit: 1, cursor: ofOne }))).toEqual(refused);
    const ofBoth = await cursorNow();
    await scene.service.accounts.remove(scene.ownerId, other);
    expect(detailsOf(await key.call('summarize_inbox', { limit: 1, cursor: ofBoth }))).toEqual(refused);
    expect(resultOf(await key.call('summarize_inbox', { limit: 1, cursor: ofOne }))).toMatchObject({
      returned: 1,
    });
  });
});

describe('without a mailbox', () => {
  it.each([
    ['summarize_inbox', {}],
    ['list_unread', {}],
    ['search_inbox', { q: 'word' }],
    ['list_accounts', {}],
    ['list_folders', {}],
    ['send_email', { to: [FRIEND], subject: 'Subject', body: 'Text' }],
  ])('%s reports that no account is connected, not that there is no mail', async (tool, args) => {
    const scene = await openScene();
    await scene.service.accounts.remove(scene.ownerId, 1);
    const key = await scene.addKey('full');
    expect(detailsOf(await key.call(tool, args))).toEqual({ code: 'no_mail_account_connected' });
  });
});
