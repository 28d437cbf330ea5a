import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import type { MessageRow } from '../../../core/mail/message-row.ts';
import { folderKey, type SearchPosition, type SearchQuery } from '../../../core/ports/mail-reading.ts';
import { contains } from './read.ts';
import { delivered, letter, type Mailbox, NOON, started } from './scene.ts';

const NOTHING: SearchQuery = {
  words: [],
  from: undefined,
  since: undefined,
  unread: false,
  path: undefined,
  after: undefined,
  limit: 20,
  contains,
};

export function searchPromises(mailbox: Mailbox): void {
  const search = (query: Partial<SearchQuery>) => {
    const { mail, call } = mailbox();
    return mail.search(call, { ...NOTHING, ...query });
  };
  const subjects = async (query: Partial<SearchQuery>) =>
    (await search(query)).rows.map(({ subject }) => subject).sort();

  describe('search', () => {
    it('is empty and complete for an empty mailbox', async () => {
      expect(await search({ words: ['anything'] })).toMatchObject({ rows: [], more: false, total: 0 });
    });

    it('covers every folder, newest first, and returns every message once over its pages', async () => {
      const scene = mailbox();
      const archive = await scene.mail.createFolder(scene.call, 'Archive');
      const paths = [scene.inbox, scene.sent, archive];
      // Three instants, each with messages of several folders and several of one folder.
      const placed: SearchPosition[] = [];
      for (const [index, day] of [2, 1, 2, 3, 2, 2, 1, 3, 2].entries()) {
        const path = paths[index % paths.length] ?? '';
        const receivedAt = new Date(Date.UTC(2024, 0, day, 12));
        const { place } = await delivered(
          scene,
          path,
          letter({ Subject: `s${index}` }, 'needle'),
          receivedAt,
        );
        const internalDateMs = receivedAt.getTime();
        placed.push({ internalDateMs, folderKey: folderKey(path), uid: place.uid });
      }
      await scene.box.deliver(scene.inbox, letter({ Subject: 'other' }), { receivedAt: NOON });

      const seen: SearchPosition[] = [];
      let after: SearchPosition | undefined;
      for (let more = true; more; ) {
        const page = await search({ words: ['needle'], after, limit: 2 });
        expect(page.total).toBe(placed.length);
        expect(page.rows.length).toBeGreaterThan(0);
        seen.push(...page.rows.map(positionOf));
        const last = seen.at(-1);
        after = last && { ...last, by: page.by ?? 'server' };
        more = page.more;
      }
      expect(seen).toEqual(placed.sort(inOrder));
    });

    it('returns the same rows as a list', async () => {
      const scene = mailbox();
      const row = await delivered(scene, scene.inbox, letter({ Subject: 'one' }));
      expect((await search({ words: ['one'] })).rows).toEqual([row]);
    });

    it('matches a word in sender, recipient, subject and body, and nowhere else', async () => {
      const { box, inbox } = mailbox();
      const places = {
        'in the name of the sender': { From: 'Needle Fan <fan@other.example>' },
        'in the address of the sender': { From: 'fan@needle.example' },
        'in the recipient': { To: 'needle@other.example' },
        'in the copied recipient': { Cc: 'Needle <fan@other.example>' },
        'needle in the subject': {},
        'in another header': { 'X-Note': 'needle' },
      };
      for (const [subject, headers] of Object.entries(places)) {
        await box.deliver(inbox, letter({ ...headers, Subject: subject }, 'x'));
      }
      await box.deliver(inbox, letter({ Subject: 'in the body' }, 'a haystack\r\nwith a needle.'));
      expect(await subjects({ words: ['needle'] })).toEqual([
        'in the address of the sender',
        'in the body',
        'in the copied recipient',
        'in the name of the sender',
        'in the recipient',
        'needle in the subject',
      ]);
      expect(await subjects({ words: ['NeeDLE', 'subject'] })).toEqual(['needle in the subject']);
    });

    it('requires every word, each of them anywhere', async () => {
      const { box, inbox } = mailbox();
      await box.deliver(inbox, letter({ From: 'Ada <ada@other.example>', Subject: 'budget' }, 'for spring'));
      await box.deliver(inbox, letter({ From: 'Ada <ada@other.example>', Subject: 'budget' }, 'for autumn'));
      expect((await search({ words: ['spring', 'ada', 'budget'] })).total).toBe(1);
      expect((await search({ words: ['spring', 'autumn'] })).total).toBe(0);
      expect((await search({ words: ['ada', 'budget'] })).total).toBe(2);
    });

    it('finds words in encoded text, and words beyond ASCII', async () => {
      const { box, inbox } = mailbox();
      const encoded = [
        'From: =?utf-8?Q?Zo=C3=AB_Lab?= <zoe@other.example>',
        'Subject: =?utf-8?B?R3LDvMOfZQ==?=',
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from('Schöne Tage im Moor').toString('base64'),
        '',
      ].join('\r\n');
      await box.deliver(inbox, encoded);
      await box.deliver(inbox, letter({ Subject: 'other' }));
      for (const word of ['Grüße', 'Schöne', 'Moor', 'Zoë']) {
        expect((await search({ words: [word] })).rows.map(({ subject }) => subject)).toEqual(['Grüße']);
      }
      expect((await search({ words: ['Grüße', 'moor', 'Tage'] })).total).toBe(1);
      expect((await search({ words: ['Grüße', 'nowhere'] })).total).toBe(0);
      expect((await search({ from: 'zoë' })).total).toBe(1);
    });

    it('finds letters whether they are composed, decomposed or full-width in the word', async () => {
      const { box, inbox } = mailbox();
      const base64 = (text: string) => Buffer.from(text).toString('base64');
      for (const form of ['NFC', 'NFD']) {
        const said = 'Zoë wartet'.normalize(form);
        const head = [
          `From: =?utf-8?B?${base64(said)}?= <zoe@other.example>`,
          `Subject: ${form}`,
          'MIME-Version: 1.0',
        ];
        const text = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64'];
        await box.deliver(inbox, [...head, ...text, '', base64(said), ''].join('\r\n'));
      }
      for (const word of ['Zoë'.normalize('NFC'), 'Zoë'.normalize('NFD'), 'Ｚｏë']) {
        for (const asked of [{ words: [word] }, { from: word }]) {
          const { rows } = await search(asked);
          expect(rows.map(({ subject }) => subject).toSorted()).toEqual(['NFC', 'NFD']);
        }
      }
    });

    it.each([
      '50%',
      '"quoted"',
      'back\\slash',
      '\\share',
      '\\',
      '(round)',
      '{5}',
      '*',
      'a"b\\c',
      '~{3+}',
      '~',
      'NIL',
    ])('takes %s literally', async (word) => {
      const { box, inbox } = mailbox();
      await box.deliver(inbox, letter({ Subject: 'with' }, `here is ${word} written`));
      await box.deliver(inbox, letter({ Subject: 'without' }, 'nothing'));
      expect(await subjects({ words: [word] })).toEqual(['with']);
    });

    it('finds a sender by a part of name or address, and no recipient', async () => {
      const { box, inbox } = mailbox();
      await box.deliver(inbox, letter({ From: 'Ada Lovelace <ada@other.example>', Subject: 'from' }));
      await box.deliver(inbox, letter({ To: 'Ada Lovelace <ada@other.example>', Subject: 'to' }));
      for (const from of ['lovelace', 'ada@other', 'Ada Love'])
        expect(await subjects({ from })).toEqual(['from']);
      expect(await subjects({ from: 'ada', words: ['from'] })).toEqual(['from']);
      expect(await subjects({ from: 'ada', words: ['to'] })).toEqual([]);
    });

    it('finds what was received on a day or later, whatever the Date header says', async () => {
      const { box, inbox } = mailbox();
      for (const day of ['2024-05-05T23:59:59Z', '2024-05-06T00:00:00Z', '2024-05-09T12:00:00Z']) {
        const raw = letter({ Subject: day, Date: 'Mon, 6 May 2030 09:00:00 +0200' });
        await box.deliver(inbox, raw, { receivedAt: new Date(day) });
      }
      expect(await subjects({ since: '2024-05-06' })).toEqual([
        '2024-05-06T00:00:00Z',
        '2024-05-09T12:00:00Z',
      ]);
      expect((await search({ since: '2024-05-06', words: ['2024'] })).total).toBe(2);
      expect((await search({ since: '2024-05-10' })).total).toBe(0);
      expect((await search({ since: '9999-12-31' })).total).toBe(0);
      for (const since of [
        '0000-01-01',
        '0001-01-01',
        '1500-06-01',
        '1899-12-31',
        '1970-01-01',
        '1970-01-02',
      ])
        expect((await search({ since })).total).toBe(3);
    });

    it('can be limited to one folder, and to unread messages', async () => {
      const scene = mailbox();
      const read = await delivered(scene, scene.inbox, letter({ Subject: 'read' }, 'needle'));
      await scene.mail.setFlag(scene.call, read.place, 'seen', true, started);
      await delivered(scene, scene.inbox, letter({ Subject: 'unread' }, 'needle'));
      await delivered(scene, scene.sent, letter({ Subject: 'sent' }, 'needle'));
      expect(await subjects({ words: ['needle'], path: scene.inbox })).toEqual(['read', 'unread']);
      expect(await subjects({ words: ['needle'], unread: true })).toEqual(['sent', 'unread']);
      expect(await subjects({ words: ['needle'], unread: true, path: scene.inbox })).toEqual(['unread']);
      await expect(search({ words: ['needle'], path: 'No such folder' })).rejects.toMatchObject({
        code: 'not_found',
      });
    });

    it('finds a message that was just delivered', async () => {
      const { box, inbox } = mailbox();
      for (const [index, subject] of ['one', 'two', 'three'].entries()) {
        await box.deliver(inbox, letter({ Subject: subject }, 'needle'));
        expect((await search({ words: ['needle'] })).total).toBe(index + 1);
      }
    });
  });
}

function positionOf({ place, internalDate }: MessageRow): SearchPosition {
  return { internalDateMs: internalDate.getTime(), folderKey: folderKey(place.path), uid: place.uid };
}

function inOrder(a: SearchPosition, b: SearchPosition): number {
  if (a.internalDateMs !== b.internalDateMs) return b.internalDateMs - a.internalDateMs;
  if (a.folderKey !== b.folderKey) return a.folderKey < b.folderKey ? -1 : 1;
  return b.uid - a.uid;
}
