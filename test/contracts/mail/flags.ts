import { describe, expect, it, vi } from 'vitest';
import type { MessageRow } from '../../../core/mail/message-row.ts';
import {
  aMessage,
  flagsOf as flagsIn,
  listIn,
  type Mailbox,
  newest as newestIn,
  positionOf,
  started,
} from './scene.ts';

/** setFlag, counts, and lists of unread messages. */
export function flagPromises(mailbox: Mailbox): void {
  const newest = (path: string) => newestIn(mailbox().mail, mailbox().call, path);
  const list = (query: Parameters<typeof listIn>[1]) => listIn(mailbox(), query);
  const flagsOf = (row: MessageRow) => flagsIn(mailbox(), row);

  describe('setFlag', () => {
    it.each(['seen', 'flagged', 'answered', 'forwarded', 'draft'] as const)(
      'sets %s, clears it, and may be repeated',
      async (flag) => {
        const { box, mail, call, inbox } = mailbox();
        await box.deliver(inbox, aMessage('one'));
        const row = await newest(inbox);
        for (const on of [true, true, false, false]) {
          expect(await mail.setFlag(call, row.place, flag, on, started)).toBe(true);
          expect(await flagsOf(row)).toEqual(on ? [flag] : []);
        }
      },
    );

    it('calls start once, and does nothing if it returns false', async () => {
      const { box, mail, call, inbox } = mailbox();
      await box.deliver(inbox, aMessage('one'));
      const row = await newest(inbox);
      const start = vi.fn(async () => false);
      await expect(mail.setFlag(call, row.place, 'seen', true, start)).rejects.toMatchObject({
        code: 'not_started',
      });
      expect(start).toHaveBeenCalledTimes(1);
      expect(await flagsOf(row)).toEqual([]);
    });

    it('throws not_found, without a start, if the place holds another message or none', async () => {
      const { box, mail, call, inbox } = mailbox();
      await box.deliver(inbox, aMessage('one'));
      const row = await newest(inbox);
      const start = vi.fn(started);
      for (const wrong of [{ uid: row.place.uid + 7 }, { uidValidity: '1' }, { path: 'No such folder' }]) {
        const place = { ...row.place, ...wrong };
        await expect(mail.setFlag(call, place, 'seen', true, start)).rejects.toMatchObject({
          code: 'not_found',
        });
      }
      expect(start).not.toHaveBeenCalled();
      expect(await flagsOf(row)).toEqual([]);
    });
  });

  describe('counts', () => {
    it('counts all and unread messages of every folder, in the order of the folders', async () => {
      const { box, mail, call, inbox, sent } = mailbox();
      await box.deliver(inbox, aMessage('one'));
      await box.deliver(inbox, aMessage('two'));
      await mail.setFlag(call, (await newest(inbox)).place, 'seen', true, started);
      const counts = await mail.counts(call);
      expect(counts.map(({ path }) => path)).toEqual((await mail.folders(call)).map(({ path }) => path));
      expect(counts.find(({ path }) => path === inbox)).toMatchObject({
        total: 2,
        unread: 1,
      });
      expect(counts.find(({ path }) => path === sent)).toMatchObject({ total: 0, unread: 0 });
    });
  });

  describe('a list of unread messages', () => {
    it('returns only unread ones if the query says so, and counts only those', async () => {
      const { box, mail, call, inbox } = mailbox();
      for (const subject of ['one', 'two', 'three', 'four']) await box.deliver(inbox, aMessage(subject));
      await mail.setFlag(call, (await newest(inbox)).place, 'seen', true, started);
      for (const order of ['uid', 'date'] as const) {
        const first = await list({ path: inbox, unread: true, order, limit: 2 });
        expect(first.rows.map(({ subject }) => subject)).toEqual(['three', 'two']);
        expect(first).toMatchObject({ more: true, total: 3 });
        const rest = await list({
          path: inbox,
          unread: true,
          order,
          limit: 2,
          after: positionOf(first.rows.at(-1)),
        });
        expect(rest.rows.map(({ subject }) => subject)).toEqual(['one']);
        expect(rest.more).toBe(false);
      }
    });
  });
}
