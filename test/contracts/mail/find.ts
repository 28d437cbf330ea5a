import { describe, expect, it } from 'vitest';
import { aMessage, type Mailbox, newest as newestIn, WITH_ATTACHMENT } from './scene.ts';

/** find. */
export function findPromises(mailbox: Mailbox): void {
  const newest = (path: string) => newestIn(mailbox().mail, mailbox().call, path);

  describe('find', () => {
    it('finds a message in every folder that contains it, and no other message', async () => {
      const { box, mail, call, inbox, sent } = mailbox();
      const receivedAt = new Date('2024-05-06T07:08:09Z');
      await box.deliver(inbox, WITH_ATTACHMENT, { receivedAt });
      await box.deliver(sent, WITH_ATTACHMENT, { receivedAt });
      const row = await newest(inbox);
      await box.deliver(inbox, `${WITH_ATTACHMENT}longer\r\n`, { receivedAt });
      await box.deliver(inbox, WITH_ATTACHMENT, { receivedAt: new Date('2024-05-06T07:08:10Z') });
      const found = await mail.find(call, { ...row, stableId: null });
      expect(found.map(({ place }) => place.path).sort()).toEqual([inbox, sent].sort());
      expect(found.map(({ fingerprint }) => fingerprint)).toEqual([row.fingerprint, row.fingerprint]);
    });

    it('finds nothing if there is nothing', async () => {
      const { box, mail, call, inbox } = mailbox();
      await box.deliver(inbox, aMessage('one'));
      const wanted = { stableId: null, internalDate: new Date('2024-05-06T07:08:09Z'), sizeBytes: 7 };
      expect(await mail.find(call, wanted)).toEqual([]);
    });
  });
}
