import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resultOf } from '../../core/scene.ts';
import { type MailboxService, mailboxService } from '../../mailbox-service.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { addressOf } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../../servers/postfix.ts';

/** Postfix writes results above its own Received, and hands the message to Dovecot by LMTP, which adds one more. */

const RECEIVER = 'mx.example.test';
const FORGED = `Authentication-Results: ${RECEIVER}; dmarc=pass header.from=bank.example`;

describe.skipIf(missingServers().length > 0)(
  titled('the senders of mail that a real server received'),
  () => {
    let dovecot: Dovecot;
    let submission: Postfix;
    const running: Postfix[] = [];

    beforeAll(async () => {
      dovecot = await startDovecot({ tls: false });
      submission = await startPostfix(dovecot, { tls: false });
      running.push(submission);
    });
    afterAll(async () => {
      for (const postfix of running) await postfix.stop();
      await dovecot?.stop();
    });

    async function opened(authservId?: string) {
      const variant = authservId === undefined ? {} : { authservId };
      const postfix = await startPostfix(dovecot, { tls: false, auth: false, ...variant });
      running.push(postfix);
      const user = dovecot.addUser();
      const box = await mailboxService({
        user,
        ports: { imap: dovecot.port, smtp: submission.port },
        mode: 'direct',
      });
      const sender = createTransport({ host: '127.0.0.1', port: postfix.port, ignoreTLS: true });
      async function receive(envelope: string, from: string, head = ''): Promise<void> {
        await sender.sendMail({
          envelope: { from: envelope, to: [addressOf(user)] },
          raw: `${head}From: ${from}\r\nSubject: From ${from}\r\n\r\nText\r\n`,
        });
        await postfix.delivered();
      }
      return { box, receive };
    }

    /** From twelve domains, as many messages as show whose results count. */
    async function receiveMany(
      receive: (envelope: string, from: string, head?: string) => Promise<void>,
      head = '',
    ) {
      for (let at = 0; at < 12; at += 1) await receive(`a@d${at}.example`, `a@d${at}.example`, head);
    }

    const authservId = ({ service, ownerId }: MailboxService) => service.accounts.authservId(ownerId, 1);
    const authenticationOf = async ({ call, ids }: MailboxService) => {
      const [id] = await ids();
      const { messages } = resultOf(await call('get_thread', { id }));
      const { authentication } = resultOf(await call('get_email', { id }));
      expect(messages).toMatchObject([{ authentication }]);
      return authentication;
    };

    it('are proven once the owner has confirmed its name, and nothing that a stranger writes proves them', async () => {
      const { box, receive } = await opened(RECEIVER);
      await receiveMany(receive);
      const [account] = await box.service.accounts.list(box.ownerId);
      expect([await authservId(box), account?.authservId]).toEqual([RECEIVER, null]);
      expect(await authenticationOf(box)).toBe('none');
      await box.service.accounts.confirmAuthservId(box.ownerId, 1, RECEIVER);
      expect(await authenticationOf(box)).toBe('pass');

      await receive('mallory@evil.example', 'ceo@bank.example', `${FORGED}\r\n`);
      expect(await authenticationOf(box)).toBe('none');
      await receive('ceo@bank.example', 'ceo@bank.example', 'From: mallory@bank.example\r\n');
      expect(await authenticationOf(box)).toBe('none');
      await receive('ceo@bank.example', 'ceo@bank.example');
      expect(await authenticationOf(box)).toBe('pass');

      await box.service.accounts.confirmAuthservId(box.ownerId, 1, null);
      expect(await authenticationOf(box)).toBe('none');
      await box.stop();
    });

    it('are never proven by a server that writes no results, however often strangers do', async () => {
      const { box, receive } = await opened();
      await receiveMany(receive, `${FORGED}\r\n`);
      expect(await authservId(box)).toBeUndefined();
      const confirmed = box.service.accounts.confirmAuthservId(box.ownerId, 1, RECEIVER);
      await expect(confirmed).rejects.toMatchObject({ code: 'invalid_arguments' });
      expect(await authenticationOf(box)).toBe('none');
      await box.stop();
    });
  },
);
