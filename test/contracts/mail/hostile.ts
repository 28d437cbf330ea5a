import { describe, expect, it } from 'vitest';
import type { MailDifferences } from '../mail.ts';
import { attachmentAt, readAt } from './read.ts';
import { delivered, letter, type Mailbox, type MailScene } from './scene.ts';

/**
 * Mail that strangers write to break a mailbox. No list loses it, and each message shows as much as possible.
 */
export function hostilePromises(mailbox: Mailbox, { attachmentsAtMost = 501 }: MailDifferences): void {
  const subjectsIn = async ({ mail, call }: MailScene, path: string) => {
    const query = { path, unread: false, order: 'uid', after: undefined, limit: 100 } as const;
    return (await mail.list(call, query)).rows.map(({ subject }) => subject);
  };

  describe('a message', () => {
    it('with more attachments than can be numbered shows the first ones, unchanged', async () => {
      const scene = mailbox();
      const { mail, call, inbox } = scene;
      const parts = Array.from({ length: 600 }, (_, index) => [
        '--many',
        `Content-Type: application/octet-stream; name="part-${index}.bin"`,
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from(`content ${index}`).toString('base64'),
      ]);
      const { place } = await delivered(
        scene,
        inbox,
        multipart('many', ['--many', '', 'the text', ...parts.flat()]),
      );
      const { text, attachments } = await readAt(mail, call, place);
      if (attachmentsAtMost === 501) {
        expect(text).toMatch(/^the text\n\n\[This message has too many parts.*\]$/);
      } else expect(text).toBe('the text');
      expect(attachments).toHaveLength(attachmentsAtMost);
      for (const index of [0, 250, attachmentsAtMost - 1]) {
        const found = await attachmentAt(mail, call, place, index, 1000);
        expect(found?.info).toEqual(attachments[index]);
        expect(found?.info.name).toBe(`part-${index}.bin`);
        expect(Buffer.from(found?.bytes ?? []).toString()).toBe(`content ${index}`);
      }
      expect(await attachmentAt(mail, call, place, 501, 1000)).toBeNull();
    });

    it('with five hundred and one attachments shows all of them, and reports none as left out', async () => {
      const scene = mailbox();
      const { mail, call, inbox } = scene;
      const parts = Array.from({ length: 501 }, (_, index) => [
        '--all',
        'Content-Type: image/png',
        '',
        `picture ${index}`,
      ]);
      const { place } = await delivered(
        scene,
        inbox,
        multipart('all', ['--all', '', 'the text', ...parts.flat()]),
      );
      const { text, attachments } = await readAt(mail, call, place);
      expect([text, attachments.length]).toEqual(['the text', attachmentsAtMost]);
      const last = await attachmentAt(mail, call, place, attachmentsAtMost - 1, 1000);
      expect(
        Buffer.from(last?.bytes ?? [])
          .toString()
          .trimEnd(),
      ).toBe(`picture ${attachmentsAtMost - 1}`);
    });

    it('with three hundred levels shows its header, and reports that the rest cannot be shown', async () => {
      const scene = mailbox();
      const levels = Array.from({ length: 300 }, (_, depth) => [
        `Content-Type: multipart/mixed; boundary="level${depth}"`,
        '',
        `--level${depth}`,
      ]);
      const raw = [
        'From: bob@example.test',
        'Subject: deep',
        'MIME-Version: 1.0',
        ...levels.flat(),
        '',
        'the end',
        '',
      ];
      const { place, subject } = await delivered(scene, scene.inbox, raw.join('\r\n'));
      expect(subject).toBe('deep');
      const { text, headers } = await readAt(scene.mail, scene.call, place);
      expect(text).toMatch(/cannot be shown\.\]$/);
      expect(headers.from).toEqual([{ name: '', address: 'bob@example.test' }]);
      expect(await subjectsIn(scene, scene.inbox)).toEqual(['deep']);
    });

    it.each([
      ['of one field', `X-Filler: ${Array.from({ length: 16_000 }, () => 'x'.repeat(63)).join('\r\n ')}`],
      ['of many', Array.from({ length: 13_000 }, () => `X-Filler: ${'x'.repeat(68)}`).join('\r\n')],
      [
        'of references',
        `References: ${Array.from({ length: 22_000 }, (_, i) => `<${i}-${'x'.repeat(30)}@other.example>`).join('\r\n ')}`,
      ],
    ])('with a header of a megabyte, %s, shows its row and its text', async (_name, filler) => {
      const scene = mailbox();
      const { mail, call, inbox } = scene;
      const head = ['From: bob@example.test', 'Subject: wide', 'Message-ID: <wide@other.example>', filler];
      const row = await delivered(scene, inbox, [...head, '', 'the text', ''].join('\r\n'));
      expect(row).toMatchObject({ subject: 'wide', messageId: '<wide@other.example>' });
      const { text, headers } = await readAt(mail, call, row.place);
      expect([text, headers.subject]).toEqual(['the text', 'wide']);
    });

    it('with a subject of a megabyte keeps no other message from the list', async () => {
      const scene = mailbox();
      await delivered(scene, scene.inbox, letter({ Subject: 'before' }));
      const long = Array.from({ length: 14_000 }, () => 'y'.repeat(70)).join('\r\n ');
      const { subject } = await delivered(scene, scene.inbox, letter({ Subject: long }, 'x'));
      expect(subject.length).toBeGreaterThan(60);
      await delivered(scene, scene.inbox, letter({ Subject: 'behind' }));
      const subjects = await subjectsIn(scene, scene.inbox);
      expect([subjects[0], subjects[1]?.slice(0, 5), subjects[2]]).toEqual(['behind', 'yyyyy', 'before']);
    });
  });
}

function multipart(boundary: string, body: readonly string[]): string {
  const head = ['From: bob@example.test', 'Subject: many', 'MIME-Version: 1.0'];
  return [
    ...head,
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    '',
    ...body,
    `--${boundary}--`,
    '',
  ].join('\r\n');
}
