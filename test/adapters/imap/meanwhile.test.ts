import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../../../core/call/outcome.ts';
import { type MailboxService, mailboxService } from '../../mailbox-service.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../../servers/postfix.ts';
import { eventually } from '../../until.ts';

function letter(subject: string, body = 'x'): string {
  return `From: ada@example.test\r\nMessage-ID: <${subject}@x.example>\r\nDate: Fri, 20 Nov 2026 10:00:00 +0100\r\nSubject: ${subject}\r\n\r\n${body}\r\n`;
}

describe.skipIf(missingServers().length > 0)(titled('changes that other programs make meanwhile'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  let user: string;
  let box: MailboxService;

  beforeAll(async () => {
    dovecot = await startDovecot({ tls: false, folders: ['Sent', 'Archive'] });
    postfix = await startPostfix(dovecot, { tls: false });
  });
  beforeEach(async () => {
    user = dovecot.addUser();
    box = await mailboxService({ user, ports: { imap: dovecot.port, smtp: postfix.port }, mode: 'approval' });
    return async () => {
      vi.restoreAllMocks();
      await box.stop();
    };
  });
  afterAll(async () => {
    await postfix?.stop();
    await dovecot?.stop();
  });

  const subjectsIn = async (path: string) =>
    (await dovecot.messages(user, path)).map((raw) => /^Subject: (.*)$/m.exec(raw)?.[1]).sort();
  const recreated = async (path: string) => {
    await dovecot.doveadm('mailbox delete', user, [path]);
    await dovecot.doveadm('mailbox create', user, [path]);
  };
  /** For a while Dovecot shows a deleted folder to sessions that have it selected. */
  const later = () => {
    const { now } = performance;
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 90_000);
  };

  describe('between the pages of a list', () => {
    const page = async (cursor?: unknown) =>
      box.call('summarize_inbox', {
        folder: 'Projects',
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
    beforeEach(async () => {
      await dovecot.doveadm('mailbox create', user, ['Projects']);
      for (const subject of ['one', 'two', 'three'])
        await dovecot.deliver(user, letter(subject), { mailbox: 'Projects' });
    });

    it('a deleted folder is not found: the list never becomes silently shorter', async () => {
      const first = result(await page());
      expect(first).toMatchObject({ returned: 2, has_more: true });
      await dovecot.doveadm('mailbox delete', user, ['Projects']);
      later();
      expect(await page(first.next_cursor)).toMatchObject({ status: 'error', code: 'not_found' });
    });

    it('a recreated folder is a different one: the cursor does not continue in it', async () => {
      const first = result(await page());
      await recreated('Projects');
      for (const subject of ['four', 'five', 'six', 'seven']) {
        await dovecot.deliver(user, letter(subject), { mailbox: 'Projects' });
      }
      later();
      expect(await page(first.next_cursor)).toMatchObject({ status: 'error', code: 'not_found' });
      expect(result(await page())).toMatchObject({ total: 4 });
    });

    it('of a search, the other folders continue, each message once', async () => {
      for (const subject of ['four', 'five']) await dovecot.deliver(user, letter(subject));
      const search = (more: object) => box.call('search_inbox', { from: 'ada@', limit: 2, ...more });
      const first = result(await search({}));
      await dovecot.doveadm('mailbox delete', user, ['Projects']);
      later();
      const seen = subjectsOf(first);
      for (let cursor = first.next_cursor; cursor !== undefined; ) {
        const next = result(await search({ cursor }));
        seen.push(...subjectsOf(next));
        cursor = next.next_cursor;
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining(['four', 'five']));
    });
  });

  describe('between a request and its approval', () => {
    async function filed(tool: string, args: object): Promise<string> {
      const outcome = await box.call(tool, args);
      if (outcome.status !== 'pending_approval') throw new Error(`the answer is ${outcome.status}`);
      return outcome.approval.id;
    }
    async function approved(id: string) {
      const shown = await box.service.approvals.show(box.ownerId, id);
      return (await box.service.approvals.approve(box.ownerId, id, shown?.approval.digest ?? ''))?.approval;
    }

    it('a moved message stays where another program put it, and its id then finds it there', async () => {
      await dovecot.deliver(user, letter('one'));
      const [id] = await box.ids();
      const request = await filed('archive_email', { id });
      await dovecot.doveadm('mailbox create', user, ['Elsewhere']);
      await dovecot.doveadm('move', user, ['Elsewhere', 'mailbox', 'INBOX', 'all']);
      expect(await approved(request)).toMatchObject({ state: 'failed', error: 'not_found' });
      expect(await subjectsIn('Archive')).toEqual([]);
      expect(await subjectsIn('Elsewhere')).toEqual(['one']);
      expect(await approved(await filed('archive_email', { id }))).toMatchObject({ state: 'executed' });
      expect(await subjectsIn('Archive')).toEqual(['one']);
    });

    it('a message that took its place and number is left alone', async () => {
      await dovecot.doveadm('mailbox create', user, ['Projects']);
      await dovecot.deliver(user, letter('one'), { mailbox: 'Projects' });
      const [id] = await box.ids('Projects');
      const request = await filed('archive_email', { id });
      await recreated('Projects');
      await dovecot.deliver(user, letter('two'), { mailbox: 'Projects' });
      later();
      expect(await approved(request)).toMatchObject({ state: 'failed', error: 'not_found' });
      expect(await subjectsIn('Projects')).toEqual(['two']);
      expect(await subjectsIn('Archive')).toEqual([]);
    });

    it.each([
      ['of another length', 'pay Mallory'],
      ['of the same length', 'y'],
    ])('a copy with its headers and a text %s is not mistaken for it', async (_name, body) => {
      await dovecot.deliver(user, letter('one'));
      const [id] = await box.ids();
      const request = await filed('delete_email', { id });
      const deliveredS = Math.floor(Date.now() / 1000);
      await dovecot.doveadm('expunge', user, ['mailbox', 'INBOX', 'all']);
      // INTERNALDATE has only seconds: a copy received in the same second looks like the original.
      await eventually(() => expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(deliveredS));
      await dovecot.deliver(user, letter('one', body));
      expect(await approved(request)).toMatchObject({ state: 'failed', error: 'not_found' });
      expect(await subjectsIn('INBOX')).toEqual(['one']);
      expect(result(await box.call('summarize_inbox'))).toMatchObject({ total: 1 });
      expect(await box.call('get_email', { id })).toMatchObject({ status: 'error', code: 'not_found' });
    });
  });
});

function result(outcome: Outcome): Record<string, unknown> {
  if (outcome.status !== 'ok' && outcome.status !== 'empty') throw new Error(JSON.stringify(outcome));
  return outcome.result;
}

function subjectsOf(page: Record<string, unknown>): string[] {
  const { messages } = page;
  return Array.isArray(messages) ? messages.map(({ subject }: { subject: unknown }) => String(subject)) : [];
}
