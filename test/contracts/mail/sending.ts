import { describe, expect, it, vi } from 'vitest';
import { SENT_COPIES_MAX } from '../../../core/ports/mail-reading.ts';
import { lf, type Mailbox, newest as newestIn, outgoing as outgoingIn, started } from './scene.ts';

/** transmit, saveSent, messageWithId, sentCopies. */
export function sendingPromises(mailbox: Mailbox): void {
  const newest = (path: string) => newestIn(mailbox().mail, mailbox().call, path);
  const outgoing = (to?: readonly string[]) => outgoingIn(mailbox(), to);

  describe('transmit', () => {
    it('delivers the message to its recipient once, byte for byte', async () => {
      const { box, mail, call } = mailbox();
      const start = vi.fn(started);
      const message = outgoing();
      await mail.transmit(call, message, start);
      expect(start).toHaveBeenCalledTimes(1);
      await vi.waitFor(async () => expect(await box.arrived()).toHaveLength(1), { timeout: 120_000 });
      const [arrived = ''] = await box.arrived();
      expect(lf(arrived)).toContain(lf(Buffer.from(message.bytes).toString()));
    });

    it('delivers nothing if start returns false', async () => {
      const { box, mail, call } = mailbox();
      await expect(mail.transmit(call, outgoing(), async () => false)).rejects.toMatchObject({
        code: 'not_started',
      });
      expect(await box.arrived()).toEqual([]);
    });

    it('delivers nothing to anyone if one of several recipients is refused', async () => {
      const { box, mail, call } = mailbox();
      const start = vi.fn(started);
      const message = outgoing([box.recipient, box.refusedRecipient]);
      await expect(mail.transmit(call, message, start)).rejects.toMatchObject({ code: 'refused' });
      expect(start).not.toHaveBeenCalled();
      expect(await box.arrived()).toEqual([]);
    });
  });

  describe('the Sent folder', () => {
    it('contains a sent message once, read, however often it is saved', async () => {
      const { box, mail, call, sent } = mailbox();
      const message = outgoing();
      expect(await mail.messageWithId(call, sent, message.messageId)).toBeUndefined();
      await mail.saveSent(call, sent, message);
      await mail.saveSent(call, sent, message);
      expect((await box.messages(sent)).map(lf)).toEqual([lf(Buffer.from(message.bytes).toString())]);
      const copy = await newest(sent);
      expect([...copy.flags]).toEqual(['seen']);
      expect(await mail.messageWithId(call, sent, message.messageId)).toEqual(copy);
      // A part of the id names nothing.
      expect(await mail.messageWithId(call, sent, message.messageId.slice(0, -2))).toBeUndefined();
    });

    it('receives no second copy if the server saved the message itself', async () => {
      const { box, mail, call, sent } = mailbox();
      const message = outgoing();
      await mail.folders(call);
      await box.deliver(sent, Buffer.from(message.bytes).toString());
      await mail.saveSent(call, sent, message);
      expect(await box.messages(sent)).toHaveLength(1);
    });

    it('returns the first of several messages with the same Message-ID', async () => {
      const { box, mail, call, sent } = mailbox();
      const copy = (subject: string) => `Message-ID: <same@example.test>\r\nSubject: ${subject}\r\n\r\nx\r\n`;
      for (const subject of ['First', 'Second']) await box.deliver(sent, copy(subject));
      expect(await mail.messageWithId(call, sent, '<same@example.test>')).toMatchObject({ subject: 'First' });
    });

    it('returns exactly the copies from the account to these addresses', async () => {
      const { box, mail, call, sent } = mailbox();
      const own = box.account.email;
      await box.deliver(sent, `From: ${own}\r\nTo: Ada <Ada@Other.Example>\r\nSubject: x\r\n\r\nx\r\n`);
      await box.deliver(
        sent,
        `From: ${own}\r\nTo: x@other.example\r\nCc: copied@other.example\r\nSubject: x\r\n\r\nx\r\n`,
      );
      await box.deliver(
        sent,
        'From: somebody@else.example\r\nTo: moved@other.example\r\nSubject: x\r\n\r\nx\r\n',
      );
      const asked = [
        'ada@other.example',
        'da@other.example',
        'copied@other.example',
        'moved@other.example',
        'ada@other.exam',
      ];
      const copies = await mail.sentCopies(call, sent, asked);
      expect(copies.flatMap(({ recipients }) => recipients).sort()).toEqual([
        'ada@other.example',
        'copied@other.example',
        'x@other.example',
      ]);
      expect(await mail.sentCopies(call, sent, [])).toEqual([]);
      const [ofMailbox, ofName] = [
        await mail.sentCopies(call, sent, ['ada@', 'da@']),
        await mail.sentCopies(call, sent, ['@other.', '@the.', '@example.']),
      ];
      expect(ofMailbox.flatMap(({ recipients }) => recipients)).toEqual(['ada@other.example']);
      expect(ofName.flatMap(({ recipients }) => recipients).sort()).toEqual([
        'ada@other.example',
        'copied@other.example',
        'x@other.example',
      ]);
    });

    it('returns of each copy what shows whether the owner wrote it', async () => {
      const { box, mail, call, sent } = mailbox();
      const own = box.account.email;
      const to = 'To: Ada <ada@other.example>';
      const from = `From: ${own.toUpperCase()}`;
      for (const head of [
        [from, to, 'Message-ID: <one@example.test>', 'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?='],
        [from, 'From: other@else.example', to, 'Subject: two senders'],
        ['Delivered-To: ada@other.example', from, to, 'Message-ID: <three@example.test>', 'Subject: came in'],
      ]) {
        await box.deliver(sent, [...head, '', 'x', ''].join('\r\n'));
      }
      const recipients = ['ada@other.example'];
      const copies = await mail.sentCopies(call, sent, recipients);
      // A server may read only one of two From headers, and not find the message.
      for (const { subject, from } of copies) {
        expect(from).toEqual(subject === 'two senders' ? [own, 'other@else.example'] : [own]);
      }
      expect(copies.filter(({ subject }) => subject !== 'two senders')).toEqual([
        {
          messageId: '<three@example.test>',
          subject: 'came in',
          from: [own],
          recipients,
          wasDelivered: true,
        },
        { messageId: '<one@example.test>', subject: 'Grüße', from: [own], recipients, wasDelivered: false },
      ]);
    });

    it('returns the newest copies of each address, not all of them', async () => {
      const { box, mail, call, sent } = mailbox();
      const own = box.account.email;
      const copyTo = (address: string, n: number) =>
        box.deliver(
          sent,
          `From: ${own}\r\nTo: ${address}\r\nMessage-ID: <${n}@x.test>\r\nSubject: x\r\n\r\nx\r\n`,
        );
      await copyTo('rare@other.example', 0);
      for (let n = 1; n <= SENT_COPIES_MAX + 2; n++) await copyTo('often@other.example', n);
      const copies = await mail.sentCopies(call, sent, ['often@other.example', 'rare@other.example']);
      const newest = Array.from({ length: SENT_COPIES_MAX }, (_, n) => `<${SENT_COPIES_MAX + 2 - n}@x.test>`);
      expect(copies.map(({ messageId }) => messageId)).toEqual([...newest, '<0@x.test>']);
    });

    it('that does not exist contains nothing, and nothing can be saved in it', async () => {
      const { mail, call } = mailbox();
      expect(await mail.sentCopies(call, 'No such folder', ['ada@other.example'])).toEqual([]);
      expect(await mail.messageWithId(call, 'No such folder', '<sent-once@example.test>')).toBeUndefined();
      await expect(mail.saveSent(call, 'No such folder', outgoing())).rejects.toMatchObject({
        code: 'not_found',
      });
    });
  });
}
