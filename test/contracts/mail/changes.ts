import { describe, expect, it, vi } from 'vitest';
import type { MessageRow } from '../../../core/mail/message-row.ts';
import { labelled } from '../../folder-roles.ts';
import type { MailDifferences } from '../mail.ts';
import { readAt } from './read.ts';
import {
  delivered,
  letter,
  lf,
  listIn,
  type Mailbox,
  type MailScene,
  NOON,
  newest,
  started,
} from './scene.ts';

/** Finds every place of a message in all folders by its fingerprint. */
async function placesOf({ mail, call }: MailScene, row: MessageRow): Promise<string[]> {
  const found = await mail.find(call, row);
  return found.filter(({ fingerprint }) => fingerprint === row.fingerprint).map(({ place }) => place.path);
}

export function changePromises(mailbox: Mailbox, { originalStays = false }: MailDifferences): void {
  describe('move', () => {
    it('moves the message unchanged, and it is found again', async () => {
      const scene = mailbox();
      const { mail, call, box, inbox } = scene;
      const archive = await mail.createFolder(call, 'Archive');
      const stays = await delivered(scene, inbox, letter({ Subject: 'stays' }));
      const raw = letter({ Subject: 'moves', 'Message-ID': '<moves@other.example>' });
      const row = await delivered(scene, inbox, raw, new Date('2024-05-06T07:08:09Z'));
      await mail.setFlag(call, row.place, 'flagged', true, started);
      const start = vi.fn(started);
      await mail.move(call, row.place, archive, start);
      expect(start).toHaveBeenCalledTimes(1);

      expect((await box.messages(archive)).map(lf)).toEqual([lf(raw)]);
      const { place, ...moved } = await newest(mail, call, archive);
      const { place: _before, ...was } = row;
      expect(moved).toEqual({ ...was, flags: new Set(['flagged']) });
      expect(place.path).toBe(archive);
      expect(await placesOf(scene, row)).toEqual([archive]);
      expect(await mail.row(call, row.place)).toBeUndefined();
      if (!originalStays) {
        expect((await box.messages(inbox)).map(lf)).toEqual([lf(letter({ Subject: 'stays' }))]);
      }
      expect(await mail.row(call, stays.place)).toEqual(stays);
    });

    it('does nothing if the message is already in the folder', async () => {
      const scene = mailbox();
      const row = await delivered(scene, scene.inbox, letter({ Subject: 'one' }));
      await scene.mail.move(scene.call, row.place, scene.inbox, started);
      expect(await scene.mail.row(scene.call, row.place)).toEqual(row);
      expect(await scene.box.messages(scene.inbox)).toHaveLength(1);
    });

    it('calls start once, and does nothing if it returns false', async () => {
      const scene = mailbox();
      const row = await delivered(scene, scene.inbox, letter({ Subject: 'one' }));
      const start = vi.fn(async () => false);
      await expect(scene.mail.move(scene.call, row.place, scene.sent, start)).rejects.toMatchObject({
        code: 'not_started',
      });
      expect(start).toHaveBeenCalledTimes(1);
      expect(await placesOf(scene, row)).toEqual([scene.inbox]);
    });

    it('throws not_found, without a start, if the message or the folder does not exist', async () => {
      const scene = mailbox();
      const { mail, call, inbox, sent } = scene;
      const row = await delivered(scene, inbox, letter({ Subject: 'one' }));
      const start = vi.fn(started);
      for (const wrong of [{ uid: row.place.uid + 7 }, { uidValidity: '1' }, { path: 'No such folder' }]) {
        await expect(mail.move(call, { ...row.place, ...wrong }, sent, start)).rejects.toMatchObject({
          code: 'not_found',
        });
      }
      await expect(mail.move(call, row.place, 'No such folder', start)).rejects.toMatchObject({
        code: 'not_found',
      });
      expect(start).not.toHaveBeenCalled();
      expect(await placesOf(scene, row)).toEqual([inbox]);
    });

    it('does nothing if its signal was already aborted', async () => {
      const scene = mailbox();
      const row = await delivered(scene, scene.inbox, letter({ Subject: 'one' }));
      const start = vi.fn(started);
      const ended = { ...scene.call, signal: AbortSignal.abort() };
      const changes = [
        scene.mail.move(ended, row.place, scene.sent, start),
        scene.mail.label(ended, row.place, labelled('later'), start),
      ];
      for (const change of changes) await expect(change).rejects.toMatchObject({ code: 'unavailable' });
      expect(start).not.toHaveBeenCalled();
      expect(await placesOf(scene, row)).toEqual([scene.inbox]);
    });

    it('does not confuse the message with a copy that someone else created', async () => {
      const scene = mailbox();
      const { mail, call, inbox } = scene;
      const headers = {
        Subject: 'invoice',
        'Message-ID': '<invoice@other.example>',
        Date: 'Mon, 6 May 2024 09:00:00 +0200',
      };
      const row = await delivered(scene, inbox, letter(headers, 'pay Ada'));
      const archive = await mail.createFolder(call, 'Archive');
      await mail.move(call, row.place, archive, started);
      // The same headers, but a different text received at the same instant; and a text of the same length,
      // received later.
      const copies = [
        await delivered(scene, inbox, letter(headers, 'pay Mallory')),
        await delivered(scene, inbox, letter(headers, 'pay Eve'), new Date(NOON.getTime() + 1_000)),
      ];
      for (const copy of copies) {
        expect(copy.messageId).toBe(row.messageId);
        expect(copy.fingerprint).not.toBe(row.fingerprint);
      }
      const again = (await placesOf(scene, row)).filter((path) => path !== inbox);
      expect(again).toEqual([archive]);
      expect(await placesOf(scene, row)).toEqual([archive]);
    });
  });

  describe('label', () => {
    it.each(['later', 'Two words', 'Überfällig'])('%s: is kept, as a keyword or as a copy', async (label) => {
      const scene = mailbox();
      const { mail, call, box, inbox } = scene;
      await delivered(scene, inbox, letter({ Subject: 'other' }));
      const raw = letter({ Subject: 'labelled' });
      const row = await delivered(scene, inbox, raw);
      const start = vi.fn(started);
      const how = await mail.label(call, row.place, labelled(label), start);
      expect(start).toHaveBeenCalledTimes(1);
      const after = how === 'keyword' ? { ...row, labels: [label] } : row;
      expect(await mail.row(call, row.place)).toEqual(after);
      expect((await mail.read(call, row.place)).row.labels).toEqual(after.labels);
      if (how === 'keyword') {
        expect(await box.keywords(inbox)).toEqual([[], [label]]);
      } else {
        expect(how).toBe('copy');
        const folders = await mail.folders(call);
        const created = folders.find(({ path }) => path === label || path.endsWith(`.${label}`));
        expect((await box.messages(created?.path ?? '')).map(lf)).toEqual([lf(raw)]);
      }
      expect(await mail.label(call, row.place, labelled(label), started)).toBe(how);
    });

    it('makes no second folder of a name whose letters are only composed in another way', async () => {
      const scene = mailbox();
      const { mail, call, box, inbox } = scene;
      const row = await delivered(scene, inbox, letter({ Subject: 'labelled' }));
      const composed = 'Grüne Pläne';
      for (const label of [composed, composed.normalize('NFD'), 'Ｇｒüne Pläne'])
        await mail.label(call, row.place, labelled(label), started);
      const folders = (await mail.folders(call, { fresh: true })).map(({ path }) => path.normalize('NFKC'));
      const made = folders.filter((path) => path.endsWith(composed)).length;
      // A mailbox that stores labels as such has no folder for it.
      const kept = made === 0 ? (await box.keywords(inbox)).flat().length : 0;
      expect(made + kept).toBe(1);
    });

    it('calls start, and does nothing if it returns false', async () => {
      const scene = mailbox();
      const { mail, call, box, inbox } = scene;
      const row = await delivered(scene, inbox, letter({ Subject: 'one' }));
      const before = await mail.folders(call, { fresh: true });
      for (const label of ['later', 'Two words']) {
        const start = vi.fn(async () => false);
        await expect(mail.label(call, row.place, labelled(label), start)).rejects.toMatchObject({
          code: 'not_started',
        });
        expect(start).toHaveBeenCalledTimes(1);
      }
      expect(await box.keywords(inbox)).toEqual([[]]);
      expect(await mail.folders(call, { fresh: true })).toEqual(before);
    });

    it('throws not_found, without a start, if there is no message at the place', async () => {
      const scene = mailbox();
      const row = await delivered(scene, scene.inbox, letter({ Subject: 'one' }));
      const start = vi.fn(started);
      for (const wrong of [{ uid: row.place.uid + 7 }, { uidValidity: '1' }, { path: 'No such folder' }]) {
        await expect(
          scene.mail.label(scene.call, { ...row.place, ...wrong }, labelled('later'), start),
        ).rejects.toMatchObject({ code: 'not_found' });
      }
      expect(start).not.toHaveBeenCalled();
    });
  });

  describe('a label that is a copy', () => {
    it('is not copied into a forbidden folder', async () => {
      const scene = mailbox();
      const { mail, call, inbox } = scene;
      const row = await delivered(scene, inbox, letter({ Subject: 'one' }));
      const queriedPaths: string[] = [];
      const mayCopyInto = (path: string) => {
        queriedPaths.push(path);
        return false;
      };
      const label = { name: 'Two words', mayCopyInto };
      const how = await mail.label(call, row.place, label, started).catch((error: unknown) => error);
      if (how === 'keyword') return expect(queriedPaths).toEqual([]);
      expect(how).toMatchObject({ code: 'refused' });
      expect(queriedPaths).toEqual([expect.stringMatching(/(^|\.)Two words$/)]);
      expect(await placesOf(scene, row)).toEqual([inbox]);
    });
  });

  describe('messages that share a Message-ID', () => {
    it('stay separate: listed, read, in the conversation, and moved alone', async () => {
      const scene = mailbox();
      const { mail, call, inbox, box } = scene;
      for (let index = 0; index < 40; index++) {
        const raw = letter({ 'Message-ID': '<same@other.example>', Subject: `same ${index}` });
        await box.deliver(inbox, raw, { receivedAt: new Date(NOON.getTime() + index * 1000) });
      }
      const query = { path: inbox, unread: false, order: 'uid', after: undefined, limit: 50 } as const;
      const { rows } = await mail.list(call, query);
      expect(new Set(rows.map(({ fingerprint }) => fingerprint)).size).toBe(40);
      const row = rows[20];
      if (row === undefined) throw new Error('the list is too short');
      expect((await readAt(mail, call, row.place)).text).toBe(row.subject);
      // A server may build conversations by its own rules: messages that share a Message-ID need not be in
      // one.
      const { rows: conversation } = await mail.thread(call, row.place);
      expect(conversation).toContainEqual(row);
      const archive = await mail.createFolder(call, 'Archive');
      await mail.move(call, row.place, archive, started);
      expect((await listIn(scene, { path: archive })).rows.map(({ subject }) => subject)).toEqual([
        row.subject,
      ]);
      const found = (await mail.find(call, row)).filter(({ fingerprint }) => fingerprint === row.fingerprint);
      expect(found.map(({ place }) => place.path)).toContain(archive);
      expect(found.every(({ subject }) => subject === row.subject)).toBe(true);
    });
  });
}
