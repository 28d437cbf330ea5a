import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { imapMail } from '../../adapters/imap/mail.ts';
import { postgresStorage } from '../../adapters/postgres/storage.ts';
import type { TogetherMember } from '../../core/requests/approvals.ts';
import { approvalOf, resultOf } from '../core/scene.ts';
import { openTestService, type TestKey, type TestService } from '../open-service.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import { missingServers, titledWithout } from '../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';
import { missingPostgres, type Postgres, startPostgres } from '../servers/postgres.ts';

// Requests that the owner decides together, on Dovecot and Postgres, while other programs work in the mailbox.

const listed = z.object({ messages: z.array(z.object({ id: z.string(), subject: z.string() })) });
const missing = [...missingServers(), ...missingPostgres()];

describe.skipIf(missing.length > 0)(titledWithout(missing, 'requests decided together'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  let postgres: Postgres;
  let url: string;
  let opened: TestService;
  let key: TestKey;
  let user: string;
  beforeAll(async () => {
    [dovecot, postgres] = await Promise.all([startDovecot(), startPostgres()]);
    postfix = await startPostfix(dovecot);
    url = await postgres.createDatabase();
    user = dovecot.addUser();
    const server = { host: '127.0.0.1', security: 'none', user: addressOf(user), pass: PASSWORD } as const;
    opened = await openTestService({
      storage: postgresStorage({ connectionString: url }),
      mail: imapMail({ allowPrivateServers: true }),
      calendar: undefined,
      email: addressOf(user),
      settings: {
        imap: { ...server, port: dovecot.port },
        smtp: {
          ...server,
          port: postfix.port,
          security: 'starttls',
          tlsFingerprint: postfix.certificate.fingerprint,
        },
      },
    });
    await opened.service.owners.update(opened.ownerId, {
      limits: { waitingPerKey: 100, waitingPerOwner: 100 },
    });
    key = await opened.addKey('full');
  });
  afterAll(async () => {
    await opened?.service.stop();
    if (url !== undefined) await postgres.dropDatabase(url);
    await postgres?.stop();
    await postfix?.stop();
    await dovecot?.stop();
  });

  /** Files a request to archive each message. @returns the members of the owner's form, by subject */
  async function archive(subjects: readonly string[]): Promise<Map<string, TogetherMember>> {
    for (const subject of subjects) {
      await dovecot.deliver(
        user,
        `From: a@b.test\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@b.test>\r\n\r\nText\r\n`,
      );
    }
    const { messages } = listed.parse(resultOf(await key.call('summarize_inbox', { limit: 50 })));
    const members = new Map<string, TogetherMember>();
    for (const subject of subjects) {
      const id = messages.find((one) => one.subject === subject)?.id;
      const { id: approvalId } = approvalOf(await key.call('archive_email', { id }));
      const view = await opened.service.approvals.show(opened.ownerId, approvalId);
      members.set(subject, { approvalId, digest: view?.approval.digest ?? '' });
    }
    return members;
  }

  async function subjectsIn(mailbox: string): Promise<string[]> {
    const texts = await dovecot.messages(user, mailbox);
    return texts.map((text) => /^Subject: (.*)$/m.exec(text)?.[1] ?? '').sort();
  }

  const decide = (members: readonly TogetherMember[]) =>
    opened.service.approvals.decideTogether(opened.ownerId, 'approve', members);

  it('are each carried out once, although two tabs send them at the same time', async () => {
    const subjects = Array.from({ length: 10 }, (_, n) => `twice-${n}`);
    const members = [...(await archive(subjects)).values()];
    const both = await Promise.all([decide(members), decide(members.toReversed())]);
    const won = both.flat().filter(({ left }) => left === null);
    expect(won.map(({ approval }) => approval?.state)).toEqual(subjects.map(() => 'executed'));
    expect(new Set(won.map(({ approvalId }) => approvalId)).size).toBe(10);
    expect(await subjectsIn('Archive')).toEqual(subjects);
    expect(await subjectsIn('INBOX')).toEqual([]);
  });

  it('keep their own outcomes: done, moved meanwhile, withdrawn, changed, and of a key that was switched off', async () => {
    const names = ['done', 'moved', 'withdrawn', 'changed'];
    const members = await archive(names);
    const other = await opened.addKey('full');
    const mine = key;
    key = other;
    for (const [name, member] of await archive(['switched-off'])) members.set(name, member);
    key = mine;
    await dovecot.doveadm('move', user, ['Trash', 'mailbox', 'INBOX', 'subject', 'moved']);
    await mine.call('cancel_approval', { approval_id: members.get('withdrawn')?.approvalId });
    await opened.service.keys.revoke(opened.ownerId, other.keyId);
    const posted = [...members].map(([name, member]) =>
      name === 'changed' ? { ...member, digest: 'a'.repeat(64) } : member,
    );
    const outcomes = (await decide(posted)).map(({ left, approval }) => [left, approval?.state]);
    expect(outcomes).toEqual([
      [null, 'executed'],
      [null, 'failed'],
      ['not_possible', 'cancelled'],
      ['changed', 'pending'],
      ['not_possible', 'cancelled'],
    ]);
    expect(await subjectsIn('Archive')).toContain('done');
    expect(await subjectsIn('Trash')).toEqual(['moved']);
    expect(await subjectsIn('INBOX')).toEqual(['changed', 'switched-off', 'withdrawn']);
  });
});
