import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../core/call/outcome.ts';
import { MailError } from '../../core/ports/mail.ts';
import type { Mail } from '../../core/ports/ports.ts';
import { openTestService, type TestKey, type TestService } from '../open-service.ts';

/** A mailbox in which only the inbox matters, with what other programs can do to it. */
export interface AttackedMailbox {
  readonly mail: Mail;
  readonly email: string;
  readonly settings: unknown;
  /** Puts a message into a folder as another program would. */
  deliver(path: string, raw: string): Promise<void>;
  /** Creates a folder as another program would. @returns its path */
  createFolder(name: string): Promise<string>;
  close(): Promise<void>;
}

const ATTACKER = 'attacker@evil.example';
const FRIEND = 'friend@known.example';

/**
 * Everything that a key can do to a mailbox. None of it makes an address count as one that the owner has
 * written to. The key may do everything directly. Each time it ends by writing to the attacker, and that
 * message is held.
 */
export function writtenToPromises(name: string, open: () => Promise<AttackedMailbox>): void {
  describe(`${name}: addresses the owner has written to`, () => {
    let box: AttackedMailbox;
    let service: TestService;
    let key: TestKey;
    let fails: 'refused' | undefined;
    /** The recipients of each message that was sent. */
    let sentTo: (readonly string[])[];

    beforeEach(async () => {
      box = await open();
      fails = undefined;
      sentTo = [];
      service = await openTestService({
        mail: {
          ...box.mail,
          // Nothing leaves the mailbox: these tests are only about its contents.
          verify: async () => {},
          async transmit(_call, { envelope }, start) {
            if (fails !== undefined) throw new MailError(fails, 'of the test');
            if (!(await start())) throw new MailError('not_started', 'of the test');
            sentTo.push(envelope.to);
          },
        },
        email: box.email,
        settings: box.settings,
      });
      key = await service.addKey('full', {
        'mail:send': 'direct',
        'mail:reply': 'direct',
        'mail:manage': 'direct',
        'calendar:write': 'direct',
      });
    });
    afterEach(async () => {
      await service?.service.stop();
      await box?.close();
    });

    const forged = (...more: string[]) =>
      [
        `From: ${box.email}`,
        `To: ${ATTACKER}`,
        'Subject: As we agreed',
        'Message-ID: <forged@evil.example>',
        'Date: Fri, 20 Nov 2026 10:00:00 +0100',
        ...more,
        '',
        'Text',
        '',
      ].join('\r\n');

    async function forgedId(folder = 'inbox'): Promise<string> {
      const outcome = await key.call('summarize_inbox', { folder, limit: 1 });
      if (outcome.status !== 'ok') throw new Error(JSON.stringify(outcome));
      const { messages } = outcome.result as { messages: { id: string }[] };
      return messages[0]?.id ?? '';
    }

    async function approved(outcome: Outcome): Promise<string> {
      expect(outcome.status).toBe('pending_approval');
      const { id } = (outcome as unknown as { approval: { id: string } }).approval;
      const view = await service.service.approvals.show(service.ownerId, id);
      const decided = await service.service.approvals.approve(
        service.ownerId,
        id,
        view?.approval.digest ?? '',
        { isRiskConfirmed: true },
      );
      return decided?.approval.state ?? '';
    }

    let bodies = 0;
    /** Returns why a message to this address is held. Empty: it ran. */
    async function heldFor(to: string): Promise<readonly string[]> {
      bodies += 1;
      const outcome = await key.call('send_email', { to: [to], subject: 'Hello', body: `Text ${bodies}` });
      if (outcome.status === 'ok') return [];
      const { id } = (outcome as unknown as { approval: { id: string } }).approval;
      const view = await service.service.approvals.show(service.ownerId, id);
      await service.service.approvals.reject(service.ownerId, id);
      return view?.approval.reasons.filter((reason) => reason !== 'mode_approval') ?? ['no request'];
    }
    const HELD = ['first_time_recipient'];

    async function sentPath(): Promise<string> {
      const { roles } = await service.service.accounts.folders(service.ownerId, 1);
      return roles?.sent.path ?? '';
    }

    /** Returns the Sent folder. If there is none, Countersign creates it with the first message it saves. */
    async function createSent(): Promise<string> {
      expect(await approved(await key.call('send_email', { to: [FRIEND], subject: 'Hi', body: 'Hi' }))).toBe(
        'executed',
      );
      await expect.poll(sentPath).not.toBe('');
      return sentPath();
    }

    it('includes the recipients of messages that another program saves in Sent, where a key writes without being held', async () => {
      const sent = await createSent();
      await box.deliver(sent, forged());
      expect(await heldFor(ATTACKER)).toEqual([]);
    });

    it('does not include the recipients of a message whose label, in any language, would file it as sent', async () => {
      await box.deliver('INBOX', forged());
      const id = await forgedId();
      for (const label of [
        'Elementos enviados',
        'Sent',
        'Gesendete Objekte',
        '\u0405\u0435nt',
        'Sent Items/2024',
        'INBOX.Sent',
        '\uff33ent',
        'Отправленные',
        'Drafts',
        'sent\u200b items ',
      ]) {
        expect(await key.call('label_email', { id, label })).toMatchObject({
          status: 'error',
          code: 'invalid_arguments',
        });
        expect(await heldFor(ATTACKER)).toEqual(HELD);
      }
    });

    it('does not include the recipients of a labelled message, whatever role the owner gives the label afterwards', async () => {
      await box.deliver('INBOX', forged());
      const id = await forgedId();
      for (const label of ['bills', 'Bills of two words']) {
        expect((await key.call('label_email', { id, label })).status).toBe('ok');
        expect(await heldFor(ATTACKER)).toEqual(HELD);
      }
      const { folders = [] } = await service.service.accounts.folders(service.ownerId, 1);
      const copy = folders.find(({ path }) => path.endsWith('Bills of two words'));
      if (copy !== undefined) {
        await service.service.accounts.chooseFolders(service.ownerId, 1, { sent: { path: copy.path } });
      }
      expect(await heldFor(ATTACKER)).toEqual(HELD);
    });

    it('does not include the recipients of a message that is moved into Sent, though the owner approves the move', async () => {
      const sent = await createSent();
      await box.deliver('INBOX', forged());
      const move = await key.call('move_email', { id: await forgedId(), target_folder: sent });
      expect(await approved(move)).toBe('executed');
      expect(await heldFor(ATTACKER)).toEqual(HELD);
      // Nor after the account is connected again.
      await service.service.accounts.remove(service.ownerId, 1);
      const { accountId } = await service.service.accounts.connect({ ownerId: service.ownerId, ...box });
      expect(await service.service.accounts.list(service.ownerId)).toMatchObject([{ accountId }]);
      expect(await heldFor(ATTACKER)).toEqual(HELD);
    });

    it('does not include the recipients of a message that is moved into a Sent folder named in another language', async () => {
      const path = await box.createFolder('Elementos enviados');
      await box.deliver('INBOX', forged());
      const move = await key.call('move_email', { id: await forgedId(), target_folder: path });
      expect(await approved(move)).toBe('executed');
      expect(await heldFor(ATTACKER)).toEqual(HELD);
    });

    it('does not include the recipients of a message that is moved into a folder that the owner then chooses as Sent', async () => {
      const path = await box.createFolder('Projects');
      await box.deliver('INBOX', forged());
      const move = await key.call('move_email', { id: await forgedId(), target_folder: path });
      expect(move.status).toBe('ok');
      await service.service.accounts.chooseFolders(service.ownerId, 1, { sent: { path } });
      expect(await sentPath()).toBe(path);
      expect(await heldFor(ATTACKER)).toEqual(HELD);
    });

    it.each(['archive_email', 'delete_email'])(
      'does not include the recipients of messages that %s moved, though another program moves them into Sent',
      async (tool) => {
        const sent = await createSent();
        await box.deliver('INBOX', forged());
        expect((await key.call(tool, { id: await forgedId() })).status).toBe('ok');
        await box.deliver(sent, forged());
        expect(await heldFor(ATTACKER)).toEqual(HELD);
      },
    );

    it('does not include the recipients of a message that is moved into Drafts', async () => {
      const path = await box.createFolder('Borradores');
      await box.deliver('INBOX', forged());
      const move = await key.call('move_email', { id: await forgedId(), target_folder: path });
      expect(await approved(move)).toBe('executed');
      expect(await heldFor(ATTACKER)).toEqual(HELD);
    });

    it('does not include the recipients of a message that is marked read, unread or starred', async () => {
      await box.deliver('INBOX', forged());
      const id = await forgedId();
      for (const tool of ['mark_read', 'mark_unread', 'flag_email']) {
        expect((await key.call(tool, { id })).status).toBe('ok');
        expect(await heldFor(ATTACKER)).toEqual(HELD);
      }
    });

    it('does not include the recipients of a message that is forwarded to the owner, or answered', async () => {
      await box.deliver('INBOX', forged(`Reply-To: ${box.email}`, `Cc: ${ATTACKER}`));
      const id = await forgedId();
      const forward = await key.call('forward_email', { id, to: [box.email] });
      if (forward.status === 'pending_approval') expect(await approved(forward)).toBe('executed');
      const reply = await key.call('send_reply', { id, body: 'Answer' });
      if (reply.status === 'pending_approval') expect(await approved(reply)).toBe('executed');
      expect(await heldFor(ATTACKER)).toEqual(HELD);
    });

    it('are asked for nothing by a message that only has the Message-ID of one that the owner wrote to them', async () => {
      const sent = await createSent();
      await box.deliver(sent, forged());
      const asks = forged().replace('\r\nText\r\n', '\r\nWhat is the code of the door?\r\n');
      const encoded = forged(
        'Content-Transfer-Encoding: base64',
        'Content-Type: text/plain; charset=utf-16be',
      )
        .replace('Subject: As we', 'Subject: =?iso-8859-1?Q?As?=\r\n we')
        .replace('\r\nText\r\n', `\r\n${Buffer.from('\0T\0e\0x\0t', 'latin1').toString('base64')}\r\n`);
      for (const [raw, to] of [
        [asks, box.email],
        [asks.replace('Subject:', 'Reply-To: other@known.example\r\nSubject:'), 'other@known.example'],
        [encoded, ATTACKER],
      ] as const) {
        await box.deliver('INBOX', raw);
        const reply = await key.call('send_reply', { id: await forgedId(), body: `It is ${sentTo.length}.` });
        if (reply.status === 'pending_approval') expect(await approved(reply)).toBe('executed');
        expect(sentTo.at(-1)).toEqual([to]);
      }
    });

    it('does not include the attendees of an invitation that is pending, or that the owner rejects', async () => {
      const event = { title: 'Talk', start: '2031-01-02T10:00:00', attendee: ATTACKER };
      expect((await key.call('create_event', event)).status).toBe('pending_approval');
      expect(await heldFor(ATTACKER)).toEqual(HELD);
    });

    it('does not include the recipients of a send that the owner approves and that fails', async () => {
      fails = 'refused';
      const send = await key.call('send_email', { to: [ATTACKER], subject: 'Hi', body: 'Fails' });
      expect(await approved(send)).toBe('failed');
      fails = undefined;
      expect(await heldFor(ATTACKER)).toEqual(HELD);
    });

    it('does not include addresses in headers other than To, Cc and Bcc of what the owner wrote', async () => {
      const sent = await createSent();
      const other = [`Reply-To: ${ATTACKER}`, `Resent-To: ${ATTACKER}`, `X-Original-Recipient: ${ATTACKER}`];
      const raw = forged(...other).replace(`To: ${ATTACKER}`, 'To: other@known.example');
      await box.deliver(sent, raw);
      expect(await heldFor(ATTACKER)).toEqual(HELD);
      expect(await heldFor('other@known.example')).toEqual([]);
    });

    it('does not include recipients of mail from others in Sent, nor of mail that was delivered there', async () => {
      const sent = await createSent();
      for (const raw of [
        forged().replace(`From: ${box.email}`, 'From: other@evil.example'),
        forged('From: other@evil.example'),
        forged().replace(`From: ${box.email}`, `From: "${box.email}" <other@evil.example>`),
        forged().replace('Message-ID: <forged@evil.example>\r\n', ''),
        forged(`Delivered-To: ${box.email}`),
      ]) {
        await box.deliver(sent, raw);
        expect(await heldFor(ATTACKER)).toEqual(HELD);
      }
    });
  });
}
