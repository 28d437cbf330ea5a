import { describe, expect, it } from 'vitest';
import type { MessageRow } from '../../../core/mail/message-row.ts';
import type { MailDifferences } from '../mail.ts';
import { delivered, letter, type Mailbox, type MailScene } from './scene.ts';

export function threadPromises(mailbox: Mailbox, { joinsItself = false }: MailDifferences): void {
  const subjectsOf = async (scene: MailScene, row: MessageRow) =>
    (await scene.mail.thread(scene.call, row.place)).rows.map(({ subject }) => subject);
  const day = (date: number) => new Date(Date.UTC(2024, 0, date, 12));

  describe('thread', () => {
    it('returns the same conversation, oldest first, from any of its messages', async () => {
      const scene = mailbox();
      const archive = await scene.mail.createFolder(scene.call, 'Archive');
      const rows = [
        await delivered(
          scene,
          archive,
          letter({ 'Message-ID': '<root@other.example>', Subject: 'Plan' }),
          day(1),
        ),
        await delivered(
          scene,
          scene.sent,
          letter({
            'Message-ID': '<answer@example.test>',
            'In-Reply-To': '<root@other.example>',
            References: '<root@other.example>',
            Subject: 'Re: Plan',
          }),
          day(2),
        ),
        // Names only the message before it.
        await delivered(
          scene,
          scene.inbox,
          letter({
            'Message-ID': '<third@other.example>',
            'In-Reply-To': '<answer@example.test>',
            Subject: 'Re: Plan',
          }),
          day(3),
        ),
        await delivered(
          scene,
          scene.inbox,
          letter({
            'Message-ID': '<fourth@other.example>',
            References: '<root@other.example>\r\n <answer@example.test>\r\n <third@other.example>',
            Subject: 'Re: Plan',
          }),
          day(4),
        ),
      ];
      await delivered(
        scene,
        scene.inbox,
        letter({ 'Message-ID': '<alone@other.example>', Subject: 'Plan' }),
        day(5),
      );
      for (const row of rows) expect((await scene.mail.thread(scene.call, row.place)).rows).toEqual(rows);
    });

    it('of a message without Message-ID and references is that message', async () => {
      const scene = mailbox();
      await delivered(scene, scene.inbox, letter({ Subject: 'nameless' }, 'one'));
      const row = await delivered(scene, scene.inbox, letter({ Subject: 'nameless' }, 'two'));
      expect((await scene.mail.thread(scene.call, row.place)).rows).toEqual([row]);
    });

    it('of a message whose ancestors are gone includes messages with the same references', async () => {
      const scene = mailbox();
      const lost = '<lost@other.example>';
      const one = await delivered(
        scene,
        scene.inbox,
        letter({ 'Message-ID': '<one@other.example>', References: lost, Subject: 'Re: Plan' }),
        day(1),
      );
      const two = await delivered(
        scene,
        scene.sent,
        letter({ 'Message-ID': '<two@other.example>', References: lost, Subject: 'Re: Plan' }),
        day(2),
      );
      expect((await scene.mail.thread(scene.call, one.place)).rows).toEqual([one, two]);
    });

    it('shows a message that lies in two folders once, and also a different one with its Message-ID', async () => {
      const scene = mailbox();
      const archive = await scene.mail.createFolder(scene.call, 'Archive');
      const raw = letter({ 'Message-ID': '<root@other.example>', Subject: 'Plan' }, 'pay Ada');
      const row = await delivered(scene, scene.inbox, raw, day(1));
      await delivered(scene, archive, raw, day(1));
      await delivered(
        scene,
        scene.inbox,
        letter({ 'Message-ID': '<root@other.example>', Subject: 'Plan' }, 'pay Mallory'),
        day(2),
      );
      expect(await subjectsOf(scene, row)).toEqual(['Plan', 'Plan']);
    });

    it('does not join different messages that a program sent with one Message-ID', async () => {
      const scene = mailbox();
      const id = { 'Message-ID': '<noreply@other.example>' };
      const invoice = await delivered(scene, scene.inbox, letter({ ...id, Subject: 'Invoice' }), day(1));
      const welcome = await delivered(scene, scene.inbox, letter({ ...id, Subject: 'Welcome' }), day(2));
      const answer = await delivered(
        scene,
        scene.inbox,
        letter({
          'Message-ID': '<answer@other.example>',
          Subject: 'Re: Invoice',
          'In-Reply-To': id['Message-ID'],
        }),
        day(3),
      );
      expect(await subjectsOf(scene, invoice)).toEqual(['Invoice', 'Re: Invoice']);
      expect(await subjectsOf(scene, answer)).toEqual(['Invoice', 'Re: Invoice']);
      expect(await subjectsOf(scene, welcome)).not.toContain('Invoice');
    });

    it.skipIf(joinsItself).each([
      [
        'an address beside the id',
        { 'In-Reply-To': 'Message from Bob <bob@other.example> <root@other.example>' },
      ],
      [
        'the id behind an address',
        {
          'In-Reply-To':
            'Your message of "Tue, 04 Nov 2025 10:03:00 +0100"\r\n from Bob <bob@other.example>, <root@other.example>',
        },
      ],
      ['an empty References', { References: '', 'In-Reply-To': '<root@other.example>' }],
      ['two References', { References: '<other@other.example>\r\nReferences: <root@other.example>' }],
      ['an id without brackets', { 'In-Reply-To': 'root@other.example' }],
      [
        'an id in an encoded word',
        { 'In-Reply-To': '=?utf-8?q?=3Croot=40other=2Eexa?=\r\n =?utf-8?q?mple=3E?=' },
      ],
      ['an id with a blank', { References: '<root@ other.example>' }],
    ])('joins an answer that names its message by %s, and nothing else', async (_how, names) => {
      const scene = mailbox();
      const root = letter({ 'Message-ID': '<root@other.example>', Subject: 'Roof' });
      const answer = letter({ 'Message-ID': '<answer@other.example>', Subject: 'Re: Roof', ...names });
      const bill = letter({ 'Message-ID': '<bill@other.example>', Subject: 'Bill' });
      const paid = letter({
        'Message-ID': '<paid@other.example>',
        Subject: 'Re: Bill',
        'In-Reply-To': 'Message from Bob <bob@other.example> <bill@other.example>',
      });
      const rows: MessageRow[] = [];
      for (const [index, raw] of [root, answer, bill, paid].entries())
        rows.push(await delivered(scene, scene.inbox, raw, day(index + 1)));
      for (const row of rows.slice(0, 2)) expect(await subjectsOf(scene, row)).toEqual(['Roof', 'Re: Roof']);
      for (const row of rows.slice(2)) expect(await subjectsOf(scene, row)).toEqual(['Bill', 'Re: Bill']);
    });

    it('does not join ids of which one is a part of the other', async () => {
      const scene = mailbox();
      const row = await delivered(
        scene,
        scene.inbox,
        letter({ 'Message-ID': '<1@other.example>', Subject: 'one' }),
      );
      const others = ['<11@other.example>', '<1@other.example.org>', '<x.1@other.example>'];
      for (const id of others) {
        await delivered(scene, scene.inbox, letter({ 'Message-ID': id, Subject: `other ${id}` }));
      }
      expect(await subjectsOf(scene, row)).toEqual(['one']);
    });

    it('of a message with a megabyte of references is that message', async () => {
      const scene = mailbox();
      const ids = Array.from({ length: 22_000 }, (_, i) => `<${i}-${'x'.repeat(30)}@other.example>`);
      const headers = {
        'Message-ID': '<wide@other.example>',
        Subject: 'wide',
        References: ids.join('\r\n '),
      };
      const row = await delivered(scene, scene.inbox, letter(headers));
      expect(await subjectsOf(scene, row)).toEqual(['wide']);
    });

    it('follows answers that name only the message they answer', async () => {
      const scene = mailbox();
      const rows: MessageRow[] = [];
      for (let index = 0; index < 12; index += 1) {
        const headers = {
          'Message-ID': `<chain${index}@other.example>`,
          ...(index === 0 ? {} : { 'In-Reply-To': `<chain${index - 1}@other.example>` }),
          Subject: index === 0 ? 'Chain' : 'Re: Chain',
        };
        rows.push(
          await delivered(scene, index % 3 === 0 ? scene.sent : scene.inbox, letter(headers), day(index)),
        );
      }
      for (const at of [0, 7, 11]) {
        const row = rows[at];
        expect(row && (await scene.mail.thread(scene.call, row.place)).rows).toEqual(rows);
      }
    });

    it('of fifty messages contains all of them', async () => {
      const scene = mailbox();
      const ids = Array.from({ length: 50 }, (_, index) => `<m${index}@other.example>`);
      for (const [index, id] of ids.entries()) {
        const references = [ids[0], ...ids.slice(Math.max(1, index - 5), index)].slice(0, index);
        await scene.box.deliver(
          index % 2 === 0 ? scene.inbox : scene.sent,
          letter({
            'Message-ID': id,
            ...(index === 0 ? {} : { References: references.join(' ') }),
            Subject: index === 0 ? 'Long' : 'Re: Long',
          }),
          { receivedAt: day(index) },
        );
      }
      const middle = (
        await scene.mail.list(scene.call, {
          path: scene.sent,
          unread: false,
          order: 'uid',
          after: undefined,
          limit: 20,
        })
      ).rows.at(-1);
      const found = middle && (await scene.mail.thread(scene.call, middle.place)).rows;
      expect(found?.map(({ messageId }) => messageId)).toEqual(ids);
    });

    it('throws not_found if there is no message at the place', async () => {
      const { mail, call, ...scene } = mailbox();
      const { place } = await delivered({ mail, call, ...scene }, scene.inbox, letter({ Subject: 'one' }));
      for (const wrong of [{ uid: place.uid + 7 }, { uidValidity: '1' }, { path: 'No such folder' }]) {
        await expect(mail.thread(call, { ...place, ...wrong })).rejects.toMatchObject({ code: 'not_found' });
      }
    });
  });
}
