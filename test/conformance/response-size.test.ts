import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ListedMessage } from '../../core/mail/listed-message.ts';
import { MailError } from '../../core/ports/mail.ts';
import { sizeOf } from '../only-long.ts';
import { type Answer, approvalIn, type Door, openDoor, ownDoor, resultIn, sample } from './door.ts';
import { section } from './sections.ts';

// Limits: no answer exceeds 64 KB, whatever the mailbox contains and whatever the request. The rest
// comes with the next page. Test servers measure every answer; here the mailbox is at its worst.

const MAX_BYTES = 65_536;

/** Characters that grow on their way: in UTF-8, in JSON, or when escaped. */
const growing = fc.constantFrom('x', 'é', '\u{1f4dc}', '"', '\\', '\u200b', '<');
const long = (max: number) =>
  fc.tuple(growing, fc.integer({ min: 1, max })).map(([char, count]) => char.repeat(count));

/** Reads all pages of a list and checks the size of each. */
async function pages({ call }: Door, path: string, rows: string): Promise<Record<string, unknown>[]> {
  const seen: Record<string, unknown>[] = [];
  for (let cursor = ''; ; ) {
    const answer = within(await call('GET', `${path}${path.includes('?') ? '&' : '?'}${cursor}`));
    const page = answer.json.result === undefined ? answer.json : resultIn(answer);
    const shown = page[rows] as Record<string, unknown>[];
    expect(shown.length).toBe(page.returned);
    expect(page.has_more).toBe(page.next_cursor !== undefined);
    seen.push(...shown);
    if (page.next_cursor === undefined) return seen;
    expect(shown.length).toBeGreaterThan(0);
    cursor = `cursor=${String(page.next_cursor)}`;
  }
}

function within(answer: Answer): Answer {
  expect(answer.status).toBeLessThan(500);
  expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(MAX_BYTES);
  return answer;
}

section('Limits', () => {
  it('64 KB: thousands of folders, and folders with names as long as a page', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(1, 40, 3000), long(70_000), async (count, name) => {
        const named = Array.from(
          { length: count },
          (_, n) => `${n} ${name.slice(0, count > 40 ? 300 : name.length)}`,
        );
        const own = await openDoor({
          mailAs: (mail) => ({
            ...mail,
            folders: async (call) => [
              ...(await mail.folders(call)),
              ...named.map((path) => ({ path, delimiter: null, specialUse: null })),
            ],
            counts: async (call) => [
              ...(await mail.counts(call)),
              ...named.map((path) => ({ path, delimiter: null, specialUse: null, unread: 1, total: 1 })),
            ],
          }),
        });
        try {
          expect(await pages(own, '/v1/folders', 'folders')).toHaveLength(count + 7);
          const [account, ...others] = await pages(own, '/v1/accounts', 'accounts');
          expect(others).toEqual([]);
          const { folders, folders_total = count + 7 } = account as {
            folders: unknown[];
            folders_total?: number;
          };
          expect(folders_total).toBe(count + 7);
          expect(folders.length).toBeGreaterThan(7);
        } finally {
          await own.server.stop();
        }
      }),
      { numRuns: sizeOf('response size: letters', 6, 3) },
    );
  });

  it('64 KB: messages with long senders, subjects, texts and attachments', async () => {
    const letter = fc.record({
      subject: long(3000),
      name: long(2000),
      text: long(90_000),
      files: fc.constantFrom(0, 30, 400),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(letter, { minLength: 1, maxLength: 30 }), async (letters) => {
        const own = await openDoor({
          samples: () =>
            letters.map(({ subject, name, text, files }, n) =>
              sample(String(n), {
                subject,
                from: `"${name.replace(/["\\<]/g, '_')}" <a@example.org>`,
                text: `${text}\n`,
                ...(n === 0 ? {} : { thread: ['0'] }),
                attachments: Array.from({ length: n === 0 ? files : 0 }, (_, at) => ({
                  name: `${name}${at}`,
                  mime: 'text/plain',
                  content: Buffer.from('x'),
                })),
              }),
            ),
        });
        try {
          const rows = await pages(own, '/v1/messages?limit=50', 'messages');
          expect(new Set(rows.map(({ id }) => id)).size).toBe(letters.length);
          const id = String(rows.at(-1)?.id);
          expect(await pages(own, `/v1/threads/${id}?limit=50`, 'messages')).toHaveLength(letters.length);
          within(await own.call('GET', `/v1/messages/${id}`));
          await pages(own, `/v1/messages/${id}/attachments`, 'attachments');
        } finally {
          await own.server.stop();
        }
      }),
      { numRuns: sizeOf('response size: letters', 20, 2) },
    );
  });

  it('64 KB: changes of 50 messages with the longest ids, some of which fail, and their approvals', async () => {
    const own = await ownDoor({
      samples: () => Array.from({ length: 50 }, (_, n) => sample(String(n), { minutesAgo: n + 1 })),
      mailAs: (mail) => {
        const named = (row: ListedMessage) => ({
          ...row,
          stableId: `${row.place.uid}-${row.place.path}-`.padEnd(255, 'x'),
        });
        return {
          ...mail,
          list: async (call, query) => {
            const page = await mail.list(call, query);
            return { ...page, rows: page.rows.map(named) };
          },
          row: async (call, place) => {
            const row = await mail.row(call, place);
            return row && named(row);
          },
          setFlag: async (call, place, flag, on, start) => {
            if (place.uid % 3 === 0) throw new MailError('unavailable', 'down');
            return mail.setFlag(call, place, flag, on, start);
          },
        };
      },
    });
    const ids = (await pages(own, '/v1/messages?limit=50', 'messages')).map(({ id }) => id);
    const items = (answer: Answer) => resultIn(within(answer)).items as { done: boolean }[];
    const flagged = items(await own.tool('flag_email', { ids }));
    expect(flagged).toHaveLength(50);
    expect(flagged.filter(({ done }) => !done)).toHaveLength(16);
    const key = await own.key({ modes: { 'mail:organize': 'approval' } });
    const asked = await own.call('POST', '/v1/tools/mark_read', { body: { arguments: { ids } }, key });
    const { id } = approvalIn(within(asked));
    await own.approve(id);
    const { result } = approvalIn(within(await own.call('GET', `/v1/approvals/${id}`, { key })));
    expect(result).toMatchObject({ done: true, items: expect.any(Array) as unknown });
  });

  it('64 KB: a page of approvals that each changed 50 messages', async () => {
    const own = await ownDoor({
      samples: () => Array.from({ length: 50 }, (_, n) => sample(String(n), { minutesAgo: n + 1 })),
    });
    const ids = (await pages(own, '/v1/messages?limit=50', 'messages')).map(({ id }) => id);
    const filed: string[] = [];
    const key = await own.key({ modes: { 'mail:organize': 'approval' } });
    for (let n = 0; n < 9; n++) {
      const { id } = approvalIn(await own.tool(n % 2 === 0 ? 'mark_read' : 'mark_unread', { ids }, { key }));
      await own.approve(id);
      filed.unshift(id);
    }
    const call: Door['call'] = (method, path) => own.call(method, path, { key });
    const rows = await pages({ ...own, call }, '/v1/approvals?state=all&limit=50', 'approvals');
    expect(rows.map(({ id }) => id)).toEqual(filed);
  });

  it('64 KB: hundreds of wrong arguments, and arguments as long as a page', async () => {
    const own = await ownDoor();
    const names = fc
      .tuple(fc.constantFrom(1, 31, 400, 5000), long(120_000))
      .map(([count, name]) =>
        Array.from({ length: count }, (_, n) => `${n}${name.slice(0, Math.floor(100_000 / count / 3))}`),
      );
    await fc.assert(
      fc.asyncProperty(names, async (fields) => {
        const body = Object.fromEntries(fields.map((name) => [name, name.slice(0, 5)]));
        for (const answer of [
          within(await own.call('POST', '/v1/messages', { body })),
          within(await own.tool('get_me', body)),
          within(await own.call('POST', '/v1/messages', { body: own.letter({ to: fields }) })),
        ]) {
          expect(answer.json.code).toBe('invalid_arguments');
        }
      }),
      { numRuns: sizeOf('response size: letters', 8, 3) },
    );
    const query = Array.from({ length: 2000 }, (_, n) => `%01${n.toString(36)}`).join('&');
    const answer = within(await own.call('GET', `/v1/tools?${query}`));
    expect(answer.json.details).toMatchObject({ errors_total: 2000 });
  });

  it('64 KB: trackers with long notes and many links, and long titles of events', async () => {
    const own = await ownDoor({ limits: { filedPerDay: 1000 } });
    const key = await own.key({ modes: { 'calendar:write': 'direct' } });
    const long = (char: string, count: number) => char.repeat(count);
    const ids: number[] = [];
    for (const char of ['x', '\u{1f4dc}', '"', '\\']) {
      for (let n = 0; n < 15; n++) {
        const body = { title: long(char, 200), keywords: long(char, 500) };
        ids.push(Number(resultIn(within(await own.call('POST', '/v1/trackers', { body }))).tracker_id));
      }
      const path = `/v1/trackers/${ids.at(-1)}/notes`;
      for (let n = 0; n < 6; n++)
        within(await own.call('POST', path, { body: { note: `${n}${long(char, 9_999)}` } }));
      const event = { title: long(char, 300), start: '2026-12-01T09:00' };
      within(await own.call('POST', '/v1/events', { body: event, key }));
      const links = await pages(own, `/v1/trackers/${ids.at(-1)}`, 'links');
      expect(new Set(links.map(({ link_id }) => link_id)).size).toBe(6);
      const notes = links.map(({ note }) => Array.from(String(note)).length);
      expect(notes.reduce((sum, length) => sum + length, 0)).toBe(6 * 10_000);
    }
    const trackers = await pages(own, '/v1/trackers', 'trackers');
    expect(trackers.map(({ tracker_id }) => tracker_id)).toEqual(ids.toReversed());
    await pages(own, '/v1/events?days=365&past_days=365', 'events');
  });

  it('64 KB: the list of tools', async () => {
    const own = await ownDoor();
    within(await own.call('GET', '/v1/tools'));
  });
});
