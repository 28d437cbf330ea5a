import { describe, expect, it } from 'vitest';
import { messageRow } from '../../../core/mail/message-row.ts';
import type { FolderState } from '../../../core/ports/mail-reading.ts';
import { doJob } from '../../../core/readers/do-job.ts';
import { delivered, letter, type Mailbox, started, WITH_ATTACHMENT } from './scene.ts';

/** What an index beside the mailbox needs. An adapter whose `states` are undefined keeps these promises, too. */
export function followingPromises(mailbox: Mailbox): void {
  const stateOf = async (path: string): Promise<FolderState | undefined> => {
    const { mail, call } = mailbox();
    return (await mail.states(call))?.find((one) => one.path === path);
  };

  function expectOther(before: FolderState | undefined, after: FolderState | undefined): void {
    // Otherwise the server does not tell.
    if (before?.state === null || before === undefined) return;
    expect(after?.state).not.toBe(before.state);
  }

  describe('rows', () => {
    it('returns the rows of a list, in the order of the places, and undefined for what is not there', async () => {
      const scene = mailbox();
      const inInbox = await delivered(scene, scene.inbox, letter({ Subject: 'in the inbox' }));
      const inSent = await delivered(scene, scene.sent, letter({ Subject: 'in Sent' }));
      const another = await delivered(scene, scene.inbox, letter({ Subject: 'another' }));
      const gone = { ...inInbox.place, uid: another.place.uid + 1000 };
      const replaced = { ...inInbox.place, uidValidity: '1' };
      const places = [another.place, inSent.place, gone, inInbox.place, replaced];
      const rows = (await scene.mail.rows(scene.call, places)).map((row) => row && messageRow(row));
      expect(rows).toEqual([another, inSent, undefined, inInbox, undefined]);
      expect(await scene.mail.rows(scene.call, [])).toEqual([]);
    });
  });

  describe('readTexts', () => {
    it('returns what a person would read, in the order of the places, also of a message with a large attachment', async () => {
      const scene = mailbox();
      const large = WITH_ATTACHMENT.replace('YXR0YWNoZWQ=', `${'QUJD'.repeat(19)}\r\n`.repeat(3000));
      const attached = await delivered(scene, scene.inbox, large);
      const short = await delivered(scene, scene.sent, letter({ Subject: 'short' }, 'a short text'));
      const gone = { ...attached.place, uid: attached.place.uid + 1000 };
      const places = [short.place, gone, attached.place];
      const [first, second, third] = await scene.mail.readTexts(scene.call, places);
      expect(second).toBeUndefined();
      expect(first && messageRow(first.row)).toEqual(short);
      expect(third && messageRow(third.row)).toEqual(attached);
      if (first === undefined || third === undefined) throw new Error('a message is missing');
      expect(await doJob('searchable', first.source)).toMatchObject({ body: 'a short text' });
      expect(await doJob('searchable', third.source)).toMatchObject({ body: 'Körper\nzwei' });
    });
  });

  describe('states and uids', () => {
    it('name each folder once, with its messages in ascending order', async () => {
      const scene = mailbox();
      const first = await delivered(scene, scene.inbox, letter({ Subject: 'first' }));
      const second = await delivered(scene, scene.inbox, letter({ Subject: 'second' }));
      const states = (await scene.mail.states(scene.call)) ?? [];
      const paths = states.map(({ path }) => path);
      expect(paths).toEqual([...new Set(paths)]);
      for (const { path, uidValidity, isPart } of states) {
        const listed = await scene.mail.uids(scene.call, { path, unread: false });
        expect([listed.uidValidity, null]).toContain(uidValidity);
        expect(listed.uids).toEqual(listed.uids.toSorted((a, b) => a - b));
        if (path !== scene.inbox || isPart) continue;
        expect(listed).toEqual({
          uidValidity: first.place.uidValidity,
          uids: [first.place.uid, second.place.uid],
        });
      }
    });

    it('leave out what is read, if only unread messages are wanted', async () => {
      const scene = mailbox();
      const read = await delivered(scene, scene.inbox, letter({ Subject: 'read' }));
      const unread = await delivered(scene, scene.inbox, letter({ Subject: 'unread' }));
      await scene.mail.setFlag(scene.call, read.place, 'seen', true, started);
      if ((await stateOf(scene.inbox)) === undefined) return;
      const { uids } = await scene.mail.uids(scene.call, { path: scene.inbox, unread: true });
      expect(uids).toEqual([unread.place.uid]);
    });

    it('show that a message came', async () => {
      const scene = mailbox();
      const before = await stateOf(scene.inbox);
      await delivered(scene, scene.inbox, letter({ Subject: 'came' }));
      expectOther(before, await stateOf(scene.inbox));
    });

    it('show that a message went', async () => {
      const scene = mailbox();
      const { place } = await delivered(scene, scene.inbox, letter({ Subject: 'goes' }));
      const before = await stateOf(scene.inbox);
      await scene.mail.move(scene.call, place, scene.sent, started);
      expectOther(before, await stateOf(scene.inbox));
    });

    it('report a folder that does not exist', async () => {
      const { mail, call } = mailbox();
      if ((await mail.states(call)) === undefined) return;
      await expect(mail.uids(call, { path: 'No such folder', unread: false })).rejects.toMatchObject({
        code: 'not_found',
      });
    });
  });
}
