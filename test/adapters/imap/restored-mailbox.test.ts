import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import type { InboxPosition } from '../../../core/watching/inbox-state.ts';
import { nextBatch } from '../../../core/watching/next-batch.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { callOn, newestOf } from './mailbox-on.ts';

describe.skipIf(missingServers().length > 0)(titled('a mailbox restored from a backup'), () => {
  let dovecot: Dovecot;
  let mail: Mail;

  beforeAll(async () => {
    dovecot = await startDovecot();
    mail = imapMail({ allowPrivateServers: true });
  });
  afterAll(async () => {
    await mail?.close();
    await dovecot?.stop();
  });

  const reader = () => mailReader(mail, systemClock);
  let minutes = 0;

  async function deliver(user: string, names: readonly string[], answered?: string) {
    for (const name of names) {
      minutes += 1;
      const receivedAt = new Date(Date.UTC(2026, 0, 1, 0, minutes));
      const references = answered === undefined ? '' : `References: <${answered}@x.example>\r\n`;
      await dovecot.deliver(
        user,
        `Message-ID: <${name}@x.example>\r\n${references}Subject: ${name}\r\n\r\n.\r\n`,
        {
          receivedAt,
        },
      );
    }
  }

  /** Reads the new mail of the inbox as the watcher does. */
  async function look(call: MailCall, position: InboxPosition) {
    let to = position;
    const subjects: string[] = [];
    await mail.visitInbox(call, async (inbox) => {
      const ports = { mail: reader(), clock: systemClock };
      const batch = await nextBatch(ports, call, inbox, position, { isFirst: true, limit: 100 });
      to = batch.to;
      for (const { subject } of batch.fresh) subjects.push(subject);
    });
    return { to, subjects };
  }

  const START: InboxPosition = { uidValidity: null, uid: 0, sinceS: 0, recent: [], sift: null };
  const LATER = Array.from({ length: 10 }, (_, index) => `later ${index}`);

  /** A mailbox that lost its last six messages, together with their UIDs. */
  async function restored(): Promise<{ user: string; call: MailCall; position: InboxPosition }> {
    const user = dovecot.addUser();
    const call = callOn(dovecot.port, user);
    await deliver(user, ['kept 0', 'kept 1', 'kept 2']);
    const home = `${dovecot.folder}/mail/${user}`;
    execFileSync('cp', ['-a', home, `${home}.backup`]);
    await deliver(user, ['lost 0', 'lost 1', 'lost 2', 'lost 3', 'lost 4', 'lost 5'], 'kept 0');
    const { to, subjects } = await look(call, START);
    expect(subjects).toHaveLength(9);
    const { rows } = await reader().thread(call, (await newestOf(mail, call)).place);
    expect(rows).toHaveLength(7);
    const before = await newestOf(mail, call);
    execFileSync('rm', ['-r', home]);
    execFileSync('cp', ['-a', `${home}.backup`, home]);
    await dovecot.restart();
    const after = await newestOf(mail, call);
    expect(after.place.uidValidity).toBe(before.place.uidValidity);
    expect(after.place.uid).toBe(before.place.uid - 6);
    return { user, call, position: to };
  }

  it.each([
    ['before it arrives', 0],
    ['while some UIDs are still free', 4],
    ['after all has arrived', 10],
  ])('announces all mail that arrives later, looked at %s', async (_, first) => {
    const { user, call, position } = await restored();
    await deliver(user, LATER.slice(0, first));
    const one = await look(call, position);
    await deliver(user, LATER.slice(first));
    const two = await look(call, one.to);
    const three = await look(call, two.to);
    expect([one.subjects, two.subjects, three.subjects]).toEqual([
      LATER.slice(0, first),
      LATER.slice(first),
      [],
    ]);
  });

  it('lists it in the order in which it arrived, and does not find it in conversations of what was lost', async () => {
    const { user, call } = await restored();
    await deliver(user, ['alone', 'answer to kept 1'], undefined);
    await deliver(user, ['answer'], 'kept 1');
    const query = { path: 'INBOX', unread: false, order: 'date', after: undefined, limit: 20 } as const;
    const { rows } = await reader().list(call, query);
    expect(rows.map(({ subject }) => subject)).toEqual([
      'answer',
      'answer to kept 1',
      'alone',
      'kept 2',
      'kept 1',
      'kept 0',
    ]);
    const conversationOf = async (name: string) => {
      const found = rows.find(({ subject }) => subject === name);
      if (found === undefined) throw new Error(`${name} is not listed`);
      return (await reader().thread(call, found.place)).rows.map(({ subject }) => subject);
    };
    expect(await conversationOf('alone')).toEqual(['alone']);
    expect(await conversationOf('kept 0')).toEqual(['kept 0']);
    expect(await conversationOf('answer')).toEqual(['kept 1', 'answer']);
  });
});
