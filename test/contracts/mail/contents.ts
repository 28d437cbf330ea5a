import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import type { MessageRow } from '../../../core/mail/message-row.ts';
import { attachmentAt, readAt } from './read.ts';
import {
  aMessage,
  delivered,
  flagsOf as flagsIn,
  letter,
  type Mailbox,
  newest as newestIn,
  WITH_ATTACHMENT,
} from './scene.ts';

const DOCUMENT = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 256));

/** Attachments at several depths, texts between them that are not attachments, and one attached message. */
const NESTED = [
  'From: zoe@other.example',
  'Subject: papers',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="outer"',
  '',
  '--outer',
  'Content-Type: multipart/alternative; boundary="inner"',
  '',
  '--inner',
  'Content-Type: text/plain',
  '',
  'the text',
  '--inner',
  'Content-Type: text/html',
  '',
  '<p>the text</p>',
  '--inner--',
  '--outer',
  'Content-Type: application/octet-stream',
  'Content-Disposition: attachment; filename="document.bin"',
  'Content-Transfer-Encoding: base64',
  '',
  DOCUMENT.toString('base64').replace(/.{76}/g, '$&\r\n'),
  '--outer',
  'Content-Type: text/plain',
  '',
  'more text',
  '--outer',
  'Content-Type: message/rfc822',
  '',
  'Subject: inside',
  '',
  'a message in a message',
  '--outer',
  'Content-Type: text/csv; name="table.csv"; charset=Windows-1250',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'a=3Db;c',
  '--outer--',
  '',
].join('\r\n');

export function contentPromises(mailbox: Mailbox): void {
  const newest = (path: string) => newestIn(mailbox().mail, mailbox().call, path);
  const flagsOf = (row: MessageRow) => flagsIn(mailbox(), row);

  describe('read', () => {
    it('returns text, headers and attachments', async () => {
      const { box, mail, call, inbox } = mailbox();
      await box.deliver(inbox, WITH_ATTACHMENT);
      const row = await newest(inbox);
      const content = await readAt(mail, call, row.place);
      expect(content.row).toEqual(row);
      expect(content.text.trim()).toBe('Körper\nzwei');
      expect(content.attachments).toEqual([{ index: 0, name: 'note.txt', mime: 'text/plain', sizeBytes: 8 }]);
      expect(content.headers).toMatchObject({
        from: [{ name: 'Zoë Lab', address: 'zoe@other.example' }],
        replyTo: [{ name: '', address: 'answers@other.example' }],
        to: [{ name: '', address: 'alice@example.test' }],
        cc: [],
        subject: 'Grüße',
        messageId: '<quarter@other.example>',
        references: ['<a@other.example>', '<b@other.example>'],
      });
    });

    it('does not mark the message as read', async () => {
      const { box, mail, call, inbox } = mailbox();
      await box.deliver(inbox, aMessage('one'));
      const row = await newest(inbox);
      await mail.read(call, row.place);
      expect(await flagsOf(row)).toEqual([]);
    });

    it('throws not_found if there is no message at the place, or its uidValidity is different', async () => {
      const { box, mail, call, inbox } = mailbox();
      await box.deliver(inbox, aMessage('one'));
      const { place } = await newest(inbox);
      for (const wrong of [{ uid: place.uid + 7 }, { uidValidity: '1' }, { path: 'No such folder' }]) {
        await expect(mail.read(call, { ...place, ...wrong })).rejects.toMatchObject({ code: 'not_found' });
      }
    });
  });

  describe('row', () => {
    it('has what the receiving server wrote above the message about its sender, and nothing from below', async () => {
      const scene = mailbox();
      const results = (value: string) => ({ 'Authentication-Results': `mx.example.org; ${value}` });
      const received = { Received: 'from mail.other.example by mx.example.org with ESMTP id 7' };
      const sender = { From: 'zoe@other.example', Subject: 'one' };
      const above = await delivered(
        scene,
        scene.inbox,
        letter({ ...results('spf=pass'), ...received, ...sender }),
      );
      expect((await scene.mail.row(scene.call, above.place))?.receiverResults).toEqual([
        'mx.example.org; spf=pass',
      ]);
      const below = await delivered(
        scene,
        scene.inbox,
        letter({ ...received, ...results('spf=fail'), ...sender }),
      );
      expect((await scene.mail.row(scene.call, below.place))?.receiverResults).toBeUndefined();
    });
  });

  describe('readAll', () => {
    it('returns messages of several folders in the order of the query, as read returns them', async () => {
      const scene = mailbox();
      const { mail, call } = scene;
      const one = await delivered(scene, scene.inbox, letter({ Subject: 'one' }));
      const two = await delivered(scene, scene.sent, letter({ Subject: 'two' }));
      const three = await delivered(scene, scene.inbox, NESTED);
      const places = [three, two, one, three].map(({ place }) => place);
      const messages = await mail.readAll(call, places);
      expect(messages).toEqual(await Promise.all(places.map((place) => mail.read(call, place))));
      expect(messages.map((message) => message?.row.subject)).toEqual(['papers', 'two', 'one', 'papers']);
      expect(messages[0]?.row.flags).toEqual(new Set());
      expect((await mail.row(call, three.place))?.flags).toEqual(new Set());
    });

    it('leaves out messages that do not exist', async () => {
      const scene = mailbox();
      const { place } = await delivered(scene, scene.inbox, letter({ Subject: 'one' }));
      const wrong = [{ uid: place.uid + 7 }, { uidValidity: '1' }, { path: 'No such folder' }];
      const places = wrong.map((change) => ({ ...place, ...change }));
      const contents = await scene.mail.readAll(scene.call, [...places, place]);
      expect(contents.map((content) => content?.row.subject)).toEqual([
        undefined,
        undefined,
        undefined,
        'one',
      ]);
      expect(await scene.mail.readAll(scene.call, [])).toEqual([]);
    });
  });

  describe('attachment', () => {
    it('returns the decoded bytes of each attachment that read lists', async () => {
      const scene = mailbox();
      const { mail, call } = scene;
      const { place } = await delivered(scene, scene.inbox, NESTED);
      const { attachments } = await readAt(mail, call, place);
      expect(attachments.map(({ name, mime, charset }) => [name, mime, charset])).toEqual([
        ['document.bin', 'application/octet-stream', undefined],
        ['inside', 'message/rfc822', undefined],
        ['table.csv', 'text/csv', 'Windows-1250'],
      ]);
      const found = await Promise.all(
        attachments.map(({ index }) => attachmentAt(mail, call, place, index, 1_000_000)),
      );
      expect(found.map((one) => one?.info)).toEqual(attachments);
      const bytes = found.map((one) =>
        one?.bytes instanceof Uint8Array ? Buffer.from(one.bytes) : undefined,
      );
      expect(bytes[0]).toEqual(DOCUMENT);
      expect(bytes[1]?.toString()).toContain('a message in a message');
      expect(bytes[2]?.toString()).toBe('a=b;c');
    });

    it('returns nothing for an index that does not exist', async () => {
      const scene = mailbox();
      const { mail, call } = scene;
      const { place } = await delivered(scene, scene.inbox, NESTED);
      expect(await attachmentAt(mail, call, place, 3, 1_000_000)).toBeNull();
      const without = await delivered(scene, scene.inbox, letter({ Subject: 'one' }));
      expect(await attachmentAt(mail, call, without.place, 0, 1_000_000)).toBeNull();
    });

    it('is too large if it has more bytes than the limit', async () => {
      const scene = mailbox();
      const { mail, call } = scene;
      const { place } = await delivered(scene, scene.inbox, NESTED);
      const found = await attachmentAt(mail, call, place, 0, DOCUMENT.length - 1);
      expect(found).toMatchObject({ info: { name: 'document.bin' }, bytes: 'tooLarge' });
      const fits = await attachmentAt(mail, call, place, 0, DOCUMENT.length);
      expect(fits?.bytes).toHaveLength(DOCUMENT.length);
    });

    it('throws not_found if there is no message at the place', async () => {
      const scene = mailbox();
      const { place } = await delivered(scene, scene.inbox, NESTED);
      for (const wrong of [{ uid: place.uid + 7 }, { uidValidity: '1' }, { path: 'No such folder' }]) {
        await expect(
          scene.mail.attachment(scene.call, { ...place, ...wrong }, 0, 1_000),
        ).rejects.toMatchObject({ code: 'not_found' });
      }
    });
  });
}
