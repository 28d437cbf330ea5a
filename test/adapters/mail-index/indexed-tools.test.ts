import { expect, it } from 'vitest';
import * as z from 'zod';
import { letter, openScene, resultOf } from '../../core/scene.ts';
import { inlineIndex } from '../../inline-index.ts';
import { slowClock } from '../../slow-clock.ts';

const page = z.looseObject({
  messages: z.array(z.looseObject({ subject: z.string() })),
  total: z.int(),
  next_cursor: z.string().optional(),
});

it('a tool pages through what the index found, of one account and of several', async () => {
  const asked: string[] = [];
  // Besides the samples, the account has written one letter itself.
  const scene = await openScene({
    mailIndex: inlineIndex(),
    clock: { ...slowClock(), shift: () => undefined },
    samples: () => Array.from({ length: 7 }, (_, at) => letter(`${at}`, { minutesAgo: at })),
    mailAs: (mail) => ({
      ...mail,
      search(call, query) {
        asked.push(query.words.join(' '));
        return mail.search(call, query);
      },
    }),
  });
  const { ownerId, service } = scene;
  const key = await scene.addKey('full');
  const titles = async (cursor?: string) => {
    const answer = await key.call('search_inbox', { q: 'Text', limit: 3, ...(cursor && { cursor }) });
    return page.parse(resultOf(answer));
  };
  for (const accounts of [1, 2]) {
    if (accounts === 2) await service.accounts.connect({ ownerId, email: 'other@example.org', settings: {} });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { messages, total, next_cursor } = await titles(cursor);
      expect(total).toBe(8 * accounts);
      seen.push(...messages.map(({ subject }) => subject));
      cursor = next_cursor;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(8 * accounts);
    expect(new Set(seen).size).toBe(8);
  }
  expect(asked).toEqual([]);
});
