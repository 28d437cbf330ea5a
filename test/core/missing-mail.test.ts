import { describe, expect, it } from 'vitest';
import { MailError } from '../../core/ports/mail.ts';
import type { MissingMail } from '../../core/ports/mail-reading.ts';
import { detailsOf, firstId, letter, OWN, openScene, resultOf, type Scene } from './scene.ts';

// What a server refuses for good is named beside the rest, in every answer that is without it.

const folders = (count: number): readonly MissingMail[] =>
  Array.from({ length: count }, (_, index) => ({ path: `Team ${index}`, reason: 'refused' }));

function openWith(missing: readonly MissingMail[]): Promise<Scene> {
  return openScene({
    samples: () => [letter('1')],
    mailAs: (mail) => ({
      ...mail,
      search: async (...asked) => ({ ...(await mail.search(...asked)), missing }),
      thread: async (...asked) => {
        const found = await mail.thread(...asked);
        return { rows: 'missing' in found ? found.rows : found, missing };
      },
      counts: async (...asked) => [
        ...(await mail.counts(...asked)),
        ...missing.map(({ path }) => ({ path, delimiter: '/', specialUse: null, refused: true as const })),
      ],
    }),
  });
}

const named = (missing: readonly MissingMail[], accountId = 1) =>
  missing.map(({ path, reason }) => ({ account_id: accountId, folder: path, reason }));

describe('a folder that the server refuses', () => {
  it.each([
    ['search_inbox', async () => ({ q: 'Subject' })],
    ['get_thread', async (key: Parameters<typeof firstId>[0]) => ({ id: await firstId(key) })],
  ])('is named beside the rows of %s, and `total` is said not to be exact', async (tool, args) => {
    const missing = folders(1);
    const scene = await openWith(missing);
    const key = await scene.addKey('read');
    const answer = await key.call(tool, await args(key));
    expect(answer).toMatchObject({
      status: 'ok',
      result: { missing: named(missing), total_exact: false },
    });
    expect(answer).toHaveProperty(
      'result.untrusted_fields',
      expect.arrayContaining(['messages[].subject', 'missing[].folder']),
    );
  });

  it('is named with the number of its messages that cannot be delivered', async () => {
    const missing: MissingMail[] = [{ path: 'Team', reason: 'undeliverable', messages: 3 }];
    const key = await (await openWith(missing)).addKey('read');
    const { missing: part, total_exact } = resultOf(await key.call('get_thread', { id: await firstId(key) }));
    expect(part).toEqual([{ account_id: 1, folder: 'Team', reason: 'undeliverable', messages: 3 }]);
    expect(total_exact).toBe(false);
  });

  it('is named if nothing is found in the others', async () => {
    const missing = folders(1);
    const key = await (await openWith(missing)).addKey('read');
    expect(await key.call('search_inbox', { q: 'nowhere' })).toMatchObject({
      status: 'empty',
      result: { reason: 'no_match', missing: named(missing), total_exact: false },
    });
  });

  it('is one of at most 20 names; the rest is counted', async () => {
    const missing = folders(25);
    const key = await (await openWith(missing)).addKey('read');
    expect(await key.call('search_inbox', { q: 'Subject' })).toMatchObject({
      result: { missing: named(missing.slice(0, 20)), missing_count: 25 },
    });
  });

  it('is named in the row of its account, beside the folders that are counted', async () => {
    const missing = folders(2);
    const key = await (await openWith(missing)).addKey('read');
    const answer = await key.call('list_accounts');
    expect(answer).toMatchObject({
      result: {
        accounts: [{ email: OWN, missing: named(missing), by_role: { inbox: { total: 1 } } }],
        untrusted_fields: ['accounts[].missing[].folder'],
      },
    });
    expect(answer).not.toHaveProperty('result.accounts.0.error');
    expect(answer).not.toHaveProperty(
      'result.accounts.0.folders',
      expect.arrayContaining([expect.objectContaining({ display_name: 'Team 0' })]),
    );
  });

  it('is nowhere if nothing is missing', async () => {
    const key = await (await openScene()).addKey('read');
    for (const answer of [await key.call('search_inbox', { q: 'Subject' }), await key.call('list_accounts')])
      expect(JSON.stringify(answer)).not.toMatch(/missing|total_exact/);
  });
});

describe('the inbox of one account of several', () => {
  async function openTwo(refused: readonly number[]) {
    const scene = await openScene({
      mailAs: (mail) => ({
        ...mail,
        list: async (call, query) => {
          if (refused.includes(call.account.accountId)) throw new MailError('refused', 'not allowed');
          return mail.list(call, query);
        },
        search: async (call, query) => {
          if (refused.includes(call.account.accountId)) throw new MailError('refused', 'not allowed');
          return mail.search(call, query);
        },
      }),
    });
    const { service, ownerId } = scene;
    await service.accounts.connect({ ownerId, email: 'two@countersign.test', settings: {} });
    return scene.addKey('read');
  }

  it.each([
    ['summarize_inbox', {}],
    ['list_unread', {}],
    ['search_inbox', { q: 'Subject', folder: 'inbox' }],
  ])('is named by %s if its server refuses it', async (tool, args) => {
    const key = await openTwo([2]);
    expect(await key.call(tool, args)).toMatchObject({
      status: 'ok',
      result: {
        messages: [{ account_id: 1 }],
        missing: [{ account_id: 2, folder: 'INBOX', reason: 'refused' }],
        total_exact: false,
      },
    });
  });

  it.each([
    ['summarize_inbox', {}],
    ['search_inbox', { q: 'Subject', folder: 'inbox' }],
  ])('is an error of %s if all are refused', async (tool, args) => {
    const key = await openTwo([1, 2]);
    expect(detailsOf(await key.call(tool, args))).toEqual({
      code: 'upstream_mail_error',
      account_id: 1,
      reason: 'refused',
    });
  });

  it('is an error if the server refuses a search in every folder', async () => {
    const key = await openTwo([2]);
    expect(detailsOf(await key.call('search_inbox', { q: 'Subject' }))).toEqual({
      code: 'upstream_mail_error',
      account_id: 2,
      reason: 'refused',
    });
  });
});

describe('a message that the server cannot deliver', () => {
  it('is a row that says so, and its text in a conversation says so too', async () => {
    const scene = await openScene({
      samples: () => [letter('1'), letter('2', { minutesAgo: 30 })],
      mailAs: (mail) => ({
        ...mail,
        list: async (...asked) => {
          const page = await mail.list(...asked);
          const [first, ...others] = page.rows;
          if (first === undefined) return page;
          return { ...page, rows: [{ ...first, header: new Uint8Array(), undeliverable: true }, ...others] };
        },
        readAll: async (...asked) =>
          (await mail.readAll(...asked)).map(
            (message) =>
              message && {
                row: { ...message.row, undeliverable: true },
                source: { kind: 'whole', bytes: new Uint8Array() },
              },
          ),
      }),
    });
    const key = await scene.addKey('read');
    const listed = await key.call('summarize_inbox');
    expect(listed).toMatchObject({
      result: { messages: [{ undeliverable: true, subject: '' }, { subject: 'Subject 1' }] },
    });
    expect(listed).not.toHaveProperty('result.messages.1.undeliverable');
    const { messages } = resultOf(await key.call('search_inbox', { q: 'Subject' })) as {
      messages: { id: string }[];
    };
    const thread = await key.call('get_thread', { id: messages[0]?.id });
    expect(JSON.stringify(thread)).toContain('the mail server cannot deliver it');
  });
});
