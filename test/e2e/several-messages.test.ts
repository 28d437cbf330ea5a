import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { imapMail } from '../../adapters/imap/mail.ts';
import { approvalIn, type Door, expectFailure, openDoor, resultIn } from '../conformance/door.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';

// Requests about several messages of two mailboxes on Dovecot, and pages of them, while other programs work there.

const listed = z.object({
  messages: z.array(z.object({ id: z.string(), subject: z.string() })),
  next_cursor: z.string().optional(),
});
const ended = z.looseObject({
  state: z.string(),
  result: z
    .object({
      items: z.array(z.looseObject({ id: z.string(), done: z.boolean(), code: z.string().optional() })),
    })
    .optional(),
});

describe.skipIf(missingServers().length > 0)(titled('several messages of two mailboxes'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  let door: Door;
  let mine: string;
  let other: string;
  let sent = 0;

  beforeAll(async () => {
    dovecot = await startDovecot();
    postfix = await startPostfix(dovecot);
    [mine, other] = [dovecot.addUser(), dovecot.addUser()];
    const [account, second] = [mine, other].map((user) => ({
      email: addressOf(user),
      settings: settingsOf(user),
    }));
    door = await openDoor({
      ...(account && { account }),
      given: { mail: imapMail({ allowPrivateServers: true }) },
    });
    const { service, ownerId } = door.server;
    if (second !== undefined) await service.accounts.connect({ ownerId, ...second });
  });
  afterAll(async () => {
    await door?.server.stop();
    await postfix?.stop();
    await dovecot?.stop();
  });

  function settingsOf(user: string) {
    const server = { host: '127.0.0.1', security: 'none', user: addressOf(user), pass: PASSWORD } as const;
    const { tlsPort, certificate } = postfix;
    return {
      imap: { ...server, port: dovecot.port },
      smtp: { ...server, security: 'tls', port: tlsPort, tlsFingerprint: certificate.fingerprint },
    } as const;
  }

  /** @param text  the same number of bytes makes a message of the same size */
  async function deliver(user: string, subject: string, mailbox = 'INBOX', text = 'Text'): Promise<void> {
    sent += 1;
    const raw = [
      'From: Friend <friend@example.test>',
      `Subject: ${subject}`,
      `Message-ID: <${subject}@example.test>`,
      'Date: Fri, 20 Nov 2026 10:00:00 +0100',
      '',
      text,
      '',
    ].join('\r\n');
    await dovecot.deliver(user, raw, { mailbox, receivedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, sent)) });
  }

  async function pageOf(query: Readonly<Record<string, string>>) {
    const search = new URLSearchParams(query).toString();
    return listed.parse(resultIn(await door.call('GET', `/v1/messages?${search}`)));
  }

  async function idOf(subject: string, folder = 'INBOX'): Promise<string> {
    const { messages } = await pageOf({ folder, limit: '50' });
    const found = messages.find((row) => row.subject === subject);
    if (found === undefined) throw new Error(`${folder} has no ${subject}`);
    return found.id;
  }

  const move = (ids: readonly string[], folder = 'Archive') =>
    door.tool('move_email', { ids, target_folder: folder });

  /** Approves as the owner. @returns how it ended */
  async function approved(asked: Awaited<ReturnType<typeof move>>) {
    const { id } = approvalIn(asked);
    await door.approve(id);
    return ended.parse(approvalIn(await door.call('GET', `/v1/approvals/${id}`)));
  }

  async function subjectsIn(user: string, mailbox: string): Promise<string[]> {
    const texts = await dovecot.messages(user, mailbox);
    return texts.map((text) => /^Subject: (.*)$/m.exec(text)?.[1] ?? '');
  }

  it('are each moved once within their own mailbox, even if named several times', async () => {
    await deliver(mine, 'a1');
    await deliver(other, 'b1');
    const [a, b] = [await idOf('a1'), await idOf('b1')];
    expect(await approved(await move([a, b, a, a]))).toMatchObject({
      state: 'executed',
      result: {
        items: [
          { id: a, done: true },
          { id: b, done: true },
        ],
      },
    });
    expect(await subjectsIn(mine, 'Archive')).toEqual(['a1']);
    expect(await subjectsIn(other, 'Archive')).toEqual(['b1']);
  });

  it('stay if they differ from what the owner saw: moved, replaced, or in a recreated folder', async () => {
    await dovecot.doveadm('mailbox create', mine, ['Work']);
    for (const subject of ['stays', 'moved', 'replaced']) await deliver(mine, subject);
    await deliver(mine, 'anew', 'Work');
    const ids = [
      await idOf('stays'),
      await idOf('moved'),
      await idOf('replaced'),
      await idOf('anew', 'Work'),
    ];
    const asked = await move(ids);
    await dovecot.doveadm('move', mine, ['Trash', 'mailbox', 'INBOX', 'subject', 'moved']);
    await dovecot.doveadm('expunge', mine, ['mailbox', 'INBOX', 'subject', 'replaced']);
    await deliver(mine, 'replaced', 'INBOX', 'Tent');
    await dovecot.doveadm('mailbox delete', mine, ['Work']);
    await dovecot.doveadm('mailbox create', mine, ['Work']);
    await dovecot.doveadm('mailbox update', mine, ['--uid-validity', '7', 'Work']);
    await deliver(mine, 'anew', 'Work');
    expect(await approved(asked)).toMatchObject({
      state: 'executed',
      result: {
        items: [{ done: true }, ...ids.slice(1).map((id) => ({ id, done: false }))],
      },
    });
    expect(await subjectsIn(mine, 'Archive')).toEqual(['a1', 'stays']);
    expect(await subjectsIn(mine, 'Trash')).toEqual(['moved']);
    expect(await subjectsIn(mine, 'Work')).toEqual(['anew']);
    expect(await subjectsIn(mine, 'INBOX')).toEqual(['replaced']);
  });

  it('are not moved if the folder no longer exists, and no folder is created for them', async () => {
    for (const user of [mine, other]) await dovecot.doveadm('mailbox create', user, ['Trip']);
    await deliver(mine, 'c1');
    await deliver(other, 'c2');
    const ids = [await idOf('c1'), await idOf('c2')];
    const asked = await move(ids, 'Trip');
    await dovecot.doveadm('mailbox delete', mine, ['Trip']);
    expect(await approved(asked)).toMatchObject({
      state: 'executed',
      result: {
        items: [
          { id: ids[0], done: false },
          { id: ids[1], done: true },
        ],
      },
    });
    expect(await subjectsIn(mine, 'INBOX')).toContain('c1');
    expect((await dovecot.doveadm('mailbox list', mine)).split('\n')).not.toContain('Trip');
  });

  it.each([
    ['a list', {}],
    ['a search', { from: 'friend' }],
  ])('appear once each on the pages of %s, whatever changes in the meantime', async (_what, query) => {
    const lasting = Array.from({ length: 9 }, (_, n) => `lasting${n}`);
    const passing = Array.from({ length: 9 }, (_, n) => `passing${n}`);
    for (const [n, subject] of lasting.entries()) {
      await deliver(n % 2 === 0 ? mine : other, subject);
      await deliver(n % 2 === 0 ? mine : other, passing[n] ?? '');
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await pageOf({ ...query, limit: '3', ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.messages.map(({ id }) => id));
      cursor = page.next_cursor;
      const gone = passing.pop();
      for (const user of gone === undefined ? [] : [mine, other]) {
        await dovecot.doveadm('move', user, ['Junk', 'mailbox', 'INBOX', 'subject', gone ?? '']);
        await deliver(user, `new${sent}`);
      }
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    for (const subject of lasting) expect(seen).toContain(await idOf(subject));
    for (const user of [mine, other]) await dovecot.doveadm('expunge', user, ['mailbox', 'INBOX', 'all']);
  });

  it('of a removed account are cancelled together with the others, and no longer found', async () => {
    await deliver(mine, 'd1');
    await deliver(other, 'd2');
    const ids = [await idOf('d1'), await idOf('d2')];
    const { id } = approvalIn(await move(ids));
    const { service, ownerId } = door.server;
    const [, second] = await service.accounts.list(ownerId);
    await service.accounts.remove(ownerId, second?.accountId ?? 0);
    expect(approvalIn(await door.call('GET', `/v1/approvals/${id}`))).toMatchObject({
      state: 'cancelled',
      error: 'account_removed',
    });
    expectFailure(await move(ids), 404, 'not_found', { reason: 'message' });
    expect(await subjectsIn(mine, 'INBOX')).toEqual(['d1']);
    expect(await subjectsIn(other, 'INBOX')).toEqual(['d2']);
  });
});
