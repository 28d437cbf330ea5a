import { describe, expect, it } from 'vitest';
import type { ListPosition } from '../../../core/ports/mail-reading.ts';
import { aMessage, listIn, type Mailbox, newest as newestIn, positionOf, WITH_ATTACHMENT } from './scene.ts';

/** list, row. */
export function listPromises(mailbox: Mailbox): void {
  const newest = (path: string) => newestIn(mailbox().mail, mailbox().call, path);
  const list = (query: Parameters<typeof listIn>[1]) => listIn(mailbox(), query);

  describe('list', () => {
    it('is empty and complete for an empty folder', async () => {
      const { inbox } = mailbox();
      expect(await list({ path: inbox })).toEqual({ rows: [], more: false, total: 0 });
      expect(await list({ path: inbox, order: 'date' })).toEqual({ rows: [], more: false, total: 0 });
      expect(await list({ path: inbox, unread: true })).toEqual({ rows: [], more: false, total: 0 });
    });

    it('returns the newest first', async () => {
      const { box, inbox } = mailbox();
      for (const subject of ['one', 'two', 'three']) await box.deliver(inbox, aMessage(subject));
      const { rows, more, total } = await list({ path: inbox, limit: 2 });
      expect(rows.map(({ subject }) => subject)).toEqual(['three', 'two']);
      expect({ more, total }).toEqual({ more: true, total: 3 });
    });

    it('shows a message that was just delivered, however often the folder was listed before', async () => {
      const { box, inbox } = mailbox();
      for (const subject of ['one', 'two', 'three', 'four']) {
        await box.deliver(inbox, aMessage(subject));
        expect((await list({ path: inbox, limit: 1 })).rows.map((row) => row.subject)).toEqual([subject]);
        expect((await list({ path: inbox, limit: 1, unread: true })).rows.map((row) => row.subject)).toEqual([
          subject,
        ]);
        expect(
          (await list({ path: inbox, limit: 9, order: 'date' })).rows.map((row) => row.subject),
        ).toContain(subject);
      }
    });

    it.each(['uid', 'date'] as const)(
      'ordered by %s, returns every message once over its pages',
      async (order) => {
        const { box, inbox } = mailbox();
        // Not received in the order of delivery; from days to years apart, and two at the same instant.
        const days = [3, 1, 4, 1, 5, 9, 2].map((day) => day ** 4);
        for (const [index, day] of days.entries()) {
          await box.deliver(inbox, aMessage(`m${index}`), {
            receivedAt: new Date(Date.UTC(2000, 0, day, 12)),
          });
        }
        const byDate = ['m5', 'm4', 'm2', 'm0', 'm6', 'm3', 'm1'];
        const byUid = ['m6', 'm5', 'm4', 'm3', 'm2', 'm1', 'm0'];
        const seen: string[] = [];
        let after: ListPosition | undefined;
        for (let more = true; more; ) {
          const page = await list({ path: inbox, order, after, limit: 2 });
          expect(page.total).toBe(days.length);
          expect(page.rows.length).toBeGreaterThan(0);
          seen.push(...page.rows.map(({ subject }) => subject));
          after = positionOf(page.rows.at(-1));
          more = page.more;
        }
        expect(seen).toEqual(order === 'uid' ? byUid : byDate);
      },
    );

    it('throws not_found if the folder is missing, or the position has another uidValidity', async () => {
      const { box, inbox } = mailbox();
      await expect(list({ path: 'No such folder' })).rejects.toMatchObject({ code: 'not_found' });
      await box.deliver(inbox, aMessage('one'));
      const after = { ...positionOf(await newest(inbox)), uidValidity: '1' };
      await expect(list({ path: inbox, after })).rejects.toMatchObject({ code: 'not_found' });
    });

    it('returns a row as a person would read it', async () => {
      const { box, mail, call, inbox } = mailbox();
      await box.deliver(inbox, WITH_ATTACHMENT, { receivedAt: new Date('2024-05-06T07:08:09Z') });
      const row = await newest(inbox);
      expect(row).toMatchObject({
        messageId: '<quarter@other.example>',
        from: 'Zoë Lab <zoe@other.example>',
        subject: 'Grüße',
        date: '2024-05-06T09:00:00+02:00',
        internalDate: new Date('2024-05-06T07:08:09Z'),
        sizeBytes: Buffer.byteLength(WITH_ATTACHMENT),
        flags: new Set(),
      });
      expect(row.place).toEqual({
        path: inbox,
        uidValidity: expect.stringMatching(/^\d+$/) as unknown,
        uid: expect.any(Number) as unknown,
      });
      expect(row.fingerprint).toMatch(/^[0-9a-f]{64}$/);
      expect(await mail.row(call, row.place)).toEqual(row);
    });

    it('lists a message without any header', async () => {
      const { box, inbox } = mailbox();
      await box.deliver(inbox, '\r\nonly a body\r\n', { receivedAt: new Date('2024-05-06T07:08:09Z') });
      expect(await newest(inbox)).toMatchObject({
        messageId: null,
        from: '',
        subject: '',
        date: '2024-05-06T07:08:09+00:00',
      });
    });
  });

  describe('row', () => {
    it('is undefined if there is no message at the place, or its uidValidity is different', async () => {
      const { box, mail, call, inbox } = mailbox();
      await box.deliver(inbox, aMessage('one'));
      const { place } = await newest(inbox);
      for (const wrong of [{ uid: place.uid + 7 }, { uidValidity: '1' }, { path: 'No such folder' }]) {
        expect(await mail.row(call, { ...place, ...wrong })).toBeUndefined();
      }
    });
  });
}
