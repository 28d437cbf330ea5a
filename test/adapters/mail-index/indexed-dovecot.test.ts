import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { SearchQuery } from '../../../core/ports/mail-reading.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { mailContract } from '../../contracts/mail.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { imapMailbox } from '../../servers/imap-mailbox.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { callOn, newestOf, openMail, searchFor, started } from '../imap/mailbox-on.ts';
import { indexed, indexFolder, withoutSearch } from './indexed-mail.ts';

describe.skipIf(missingServers().length > 0)(titled('a mailbox on Dovecot with an index'), () => {
  let dovecot: Dovecot;
  let withoutModseq: Dovecot;
  beforeAll(async () => {
    [dovecot, withoutModseq] = await Promise.all([
      startDovecot(),
      startDovecot({ capability: 'IMAP4rev1 UIDPLUS MOVE LIST-EXTENDED LIST-STATUS SPECIAL-USE' }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([dovecot?.stop(), withoutModseq?.stop()]);
  });

  async function indexOn(
    server: Dovecot,
    user: string,
    opened: Mail = withoutSearch(openMail()),
  ): Promise<{ mail: Mail; call: MailCall }> {
    const folder = await indexFolder();
    const mail = indexed(opened, folder.open());
    onTestFinished(async () => {
      await mail.close();
      folder.remove();
    });
    return { mail, call: callOn(server.port, user) };
  }

  for (const [name, server, sections] of [
    ['Dovecot with an index', () => dovecot, ['searching', 'following']],
    // The same searches would prove nothing new.
    ['Dovecot without CONDSTORE, with an index', () => withoutModseq, ['following']],
  ] as const) {
    mailContract(
      name,
      async () => {
        const user = server().addUser();
        const { mail, call } = await indexOn(server(), user);
        return {
          ...{ mail, account: call.account, recipient: '', refusedRecipient: '' },
          ...imapMailbox(server().port, user),
          arrived: async () => [],
          close: async () => undefined,
        };
      },
      { sections },
    );

    describe(name, () => {
      const subject = async (mail: Mail, call: MailCall, query: Partial<SearchQuery>) =>
        (await mail.search(call, { ...searchFor('needle'), ...query })).total;

      it('shows what another client has done a moment ago', async () => {
        const user = server().addUser();
        const box = imapMailbox(server().port, user);
        const { mail, call } = await indexOn(server(), user);
        await mail.createFolder(call, 'Projects');
        for (const name of ['one', 'two', 'three'])
          await box.deliver('INBOX', `Subject: ${name}\r\n\r\nneedle\r\n`);
        expect(await subject(mail, call, {})).toBe(3);
        const other = openMail();
        const { place } = await newestOf(other, call);
        await other.move(call, place, 'Projects', started);
        expect(await subject(mail, call, { path: 'Projects' })).toBe(1);
        expect(await subject(mail, call, { path: 'INBOX' })).toBe(2);
        expect(await subject(mail, call, { unread: true })).toBe(3);
        await other.setFlag(call, (await newestOf(other, call)).place, 'seen', true, started);
        expect(await subject(mail, call, { unread: true })).toBe(2);
        await box.erase('three');
        expect(await subject(mail, call, {})).toBe(2);
        await box.deliver('INBOX', 'Subject: four\r\n\r\nneedle\r\n');
        expect(await subject(mail, call, {})).toBe(3);
      });
    });
  }

  it('indexes a folder anew that was restored from a backup, with its UIDs given once more', async () => {
    const user = dovecot.addUser();
    const { mail, call } = await indexOn(dovecot, user);
    const deliver = (name: string) => dovecot.deliver(user, `Subject: ${name}\r\n\r\n${name} needle\r\n`);
    const found = async (word: string) => (await mail.search(call, searchFor(word))).total;
    await deliver('kept');
    const home = `${dovecot.folder}/mail/${user}`;
    execFileSync('cp', ['-a', home, `${home}.backup`]);
    await deliver('lost');
    await deliver('gone');
    expect(await found('needle')).toBe(3);
    execFileSync('rm', ['-r', home]);
    execFileSync('cp', ['-a', `${home}.backup`, home]);
    await dovecot.restart();
    await deliver('fresh');
    expect(await found('lost')).toBe(0);
    expect(await found('fresh')).toBe(1);
    expect(await found('needle')).toBe(2);
  });

  it('does not find what was in a folder that was deleted and created anew', async () => {
    const user = dovecot.addUser();
    const box = imapMailbox(dovecot.port, user);
    // Dovecot shows the old folder to whoever has it selected: then the server is asked.
    const { mail, call } = await indexOn(dovecot, user, openMail());
    const found = async (word: string) => (await mail.search(call, searchFor(word))).total;
    await box.create('Projects');
    await box.deliver('Projects', 'Subject: before\r\n\r\nneedle\r\n');
    expect(await found('needle')).toBe(1);
    await dovecot.doveadm('mailbox delete', user, ['Projects']);
    await box.create('Projects');
    await box.deliver('Projects', 'Subject: after\r\n\r\nhaystack\r\n');
    expect(await found('needle')).toBe(0);
    expect(await found('haystack')).toBe(1);
  });
});
