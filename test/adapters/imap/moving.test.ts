import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { MailError } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { type Dovecot, type DovecotVariant, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type MailProxy, startProxy } from '../../servers/proxy.ts';
import { callOn, newestOf, started } from './mailbox-on.ts';

const LOOK = ['SELECT', 'UID FETCH'];
const LOOK_AT_BOTH = ['SELECT', 'STATUS', 'UID FETCH'];

/** The capabilities of a server, and the commands of a move there: those that look, and those that change. */
const SERVERS: readonly [string, DovecotVariant, readonly string[], readonly string[]][] = [
  ['MOVE', {}, LOOK, ['UID MOVE']],
  [
    'UIDPLUS',
    { capability: 'IMAP4rev1 LITERAL+ NAMESPACE UIDPLUS' },
    LOOK_AT_BOTH,
    ['UID COPY', 'UID STORE', 'UID EXPUNGE'],
  ],
  [
    'neither',
    { capability: 'IMAP4rev1 LITERAL+ NAMESPACE' },
    LOOK_AT_BOTH,
    ['UID COPY', 'UID STORE', 'UID FETCH'],
  ],
];

describe.skipIf(missingServers().length > 0).each(SERVERS)(
  titled('moving on a Dovecot with %s'),
  (name, variant, look, changes) => {
    const conversation = [...look, ...changes];
    let dovecot: Dovecot;
    let proxy: MailProxy;
    let mail: Mail;
    let user: string;

    beforeAll(async () => {
      dovecot = await startDovecot(variant);
      proxy = await startProxy('imap', dovecot.port);
    });
    beforeEach(async () => {
      user = dovecot.addUser();
      mail = imapMail({ allowPrivateServers: true, maxConnectionsPerAccount: 1 });
      void proxy.script();
      return () => mail.close();
    });
    afterAll(async () => {
      await proxy?.stop();
      await dovecot?.stop();
    });

    const messagesIn = async (path: string) => (await dovecot.messages(user, path)).length;

    it('does not expunge a message that another program marked as deleted', async () => {
      await dovecot.deliver(user, 'Subject: marked\r\n\r\nx\r\n');
      await dovecot.doveadm('flags add', user, ['\\Deleted', 'mailbox', 'INBOX', 'all']);
      await dovecot.deliver(user, 'Subject: moves\r\n\r\nx\r\n');
      const call = callOn(proxy.port, user);
      await mail.move(call, (await newestOf(mail, call)).place, 'Archive', started);
      expect(await dovecot.messages(user, 'Archive')).toEqual(['Subject: moves\n\nx\n']);
      const stays =
        name === 'neither' ? ['Subject: marked\n\nx\n', 'Subject: moves\n\nx\n'] : ['Subject: marked\n\nx\n'];
      expect(await dovecot.messages(user)).toEqual(stays);
    });

    it('uses these commands', async () => {
      await dovecot.deliver(user, 'Subject: moves\r\n\r\nx\r\n');
      const call = callOn(proxy.port, user);
      await mail.folders(call);
      const { place } = await newestOf(mail, call);
      void proxy.script();
      await mail.move(call, place, 'Archive', started);
      expect(proxy.commands).toEqual(conversation);
    });

    const faults = conversation.flatMap((command, index) =>
      (['cut before', 'cut unanswered', 'hang', 'refuse'] as const).map((does) => ({
        does,
        command,
        at: index + 1,
      })),
    );

    it.each(faults)('$does, $command ($at): reports whether it may have been done', async ({ does, at }) => {
      await dovecot.deliver(user, 'Subject: moves\r\n\r\nx\r\n');
      const givenUp = new AbortController();
      const call = callOn(proxy.port, user, { signal: givenUp.signal });
      await mail.folders(call);
      const { place } = await newestOf(mail, call);
      const start = vi.fn(started);
      const happened = proxy.script({ at, does });
      const moving = mail.move(call, place, 'Archive', start).then(
        () => 'moved',
        (error: MailError) => error.code,
      );
      await happened;
      if (does === 'hang') givenUp.abort();
      const outcome = await moving;
      void proxy.script();

      const isChange = at > look.length;
      expect(start).toHaveBeenCalledTimes(isChange || outcome === 'moved' ? 1 : 0);
      if (!isChange) {
        // An idle connection that died is replaced.
        if (outcome !== 'moved') expect(outcome).toBe(does === 'refuse' ? 'refused' : 'unavailable');
      } else if (does === 'refuse' && at === look.length + 1) expect(outcome).toBe('refused');
      else expect(outcome).toBe('outcome_unknown');

      const there = await messagesIn('INBOX');
      const arrived = await messagesIn('Archive');
      if (outcome === 'moved') expect(arrived).toBe(1);
      else if (outcome !== 'outcome_unknown') expect([there, arrived]).toEqual([1, 0]);
      expect(there + arrived).toBeGreaterThan(0);
    });
  },
);
