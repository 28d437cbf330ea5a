import { describe, expect, it } from 'vitest';
import { detailsOf, letter, openScene, pageSchema, resultOf } from './scene.ts';

async function open() {
  const samples = () => [
    letter('a', { minutesAgo: 10 }),
    letter('b', { minutesAgo: 20, flags: ['seen'] }),
    letter('c', { minutesAgo: 30 }),
    letter('d', { minutesAgo: 40, flags: ['flagged'] }),
    letter('e', { minutesAgo: 50, folder: 'Archive', flags: ['seen'] }),
  ];
  const scene = await openScene({ samples });
  return { scene, key: await scene.addKey('organise') };
}

describe('list_unread', () => {
  it('lists the unread messages of the inbox, newest first, and counts them', async () => {
    const { key } = await open();
    const page = pageSchema.parse(resultOf(await key.call('list_unread')));
    expect(page.messages.map(({ subject }) => subject)).toEqual(['Subject a', 'Subject c', 'Subject d']);
    expect(page).toMatchObject({ folder: 'INBOX', total: 3, returned: 3, has_more: false });
  });

  it('continues after a page even if its messages have been read since', async () => {
    const { key } = await open();
    const first = pageSchema.parse(resultOf(await key.call('list_unread', { limit: 1 })));
    await key.call('mark_read', { id: first.messages[0]?.id });
    const second = pageSchema.parse(
      resultOf(await key.call('list_unread', { limit: 1, cursor: first.next_cursor })),
    );
    expect(second).toMatchObject({ total: 2, messages: [{ subject: 'Subject c' }] });
  });

  it('is empty if everything is read, and does not find unknown folders', async () => {
    const { key } = await open();
    const outcome = await key.call('list_unread', { folder: 'archive' });
    expect(outcome.status).toBe('empty');
    expect(resultOf(outcome)).toMatchObject({
      folder: 'Archive',
      messages: [],
      reason: 'no_unread_messages',
    });
    expect(detailsOf(await key.call('list_unread', { folder: 'Other' })).code).toBe('not_found');
  });
});
