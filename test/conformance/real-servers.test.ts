import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imapMail } from '../../adapters/imap/mail.ts';
import type { ImapSettings } from '../../adapters/imap/settings.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { type Postfix, RECIPIENTS, startPostfix } from '../servers/postfix.ts';
import { eventually } from '../until.ts';
import { type Answer, approvalIn, type Door, expectFailure, idOf, openDoor, resultIn } from './door.ts';
import { type Section, section } from './sections.ts';

// The main parts of the contract again, with a real mailbox behind the door: Dovecot and Postfix.

const someText: unknown = expect.stringMatching(/\S/);
let dovecot: Dovecot;
let postfix: Postfix;
let door: Door;
let user: string;
let friend: string;

beforeAll(async () => {
  if (missingServers().length > 0) return;
  dovecot = await startDovecot();
  postfix = await startPostfix(dovecot);
  user = dovecot.addUser();
  friend = dovecot.addUser();
  const server = { host: '127.0.0.1', security: 'none', user: addressOf(user), pass: PASSWORD } as const;
  const settings: ImapSettings = {
    imap: { ...server, port: dovecot.port },
    smtp: {
      ...server,
      security: 'tls',
      port: postfix.tlsPort,
      tlsFingerprint: postfix.certificate.fingerprint,
    },
  };
  door = await openDoor({
    account: { email: addressOf(user), settings },
    given: { mail: imapMail({ allowPrivateServers: true }) },
  });
  // The account has written to its friend.
  await dovecot.deliver(user, message('Before', { from: addressOf(user), to: addressOf(friend) }), {
    mailbox: 'Sent',
  });
});
afterAll(async () => {
  await door?.server.stop();
  await postfix?.stop();
  await dovecot?.stop();
});

function realSection(name: Section, checks: () => void): void {
  section(name, () => {
    describe.skipIf(missingServers().length > 0)(titled('on Dovecot and Postfix'), checks);
  });
}

let messages = 0;
function message(
  subject: string,
  { from = addressOf(friend), to = addressOf(user), text = 'Text', above = '' } = {},
): string {
  messages += 1;
  return [
    `From: Friend <${from}>`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Message-ID: <m${messages}@example.test>`,
    'Date: Fri, 20 Nov 2026 10:00:00 +0100',
    ...(above === '' ? [] : [above]),
    '',
    text,
    '',
  ].join('\r\n');
}

/** @returns the id of the new message */
async function delivered(subject: string, options = {}): Promise<string> {
  await dovecot.deliver(user, message(subject, options));
  return idOf(await door.call('GET', '/v1/messages?limit=1'));
}

realSection('Resources: Message summary', () => {
  it('and detail have their fields', async () => {
    const id = await delivered('Lunch?', { text: 'At noon?' });
    const { messages: rows } = resultIn(await door.call('GET', '/v1/messages?limit=1'));
    const row = {
      id,
      account_id: 1,
      folder: 'INBOX',
      from: `Friend <${addressOf(friend)}>`,
      subject: 'Lunch?',
      date: '2026-11-20T10:00:00+01:00',
    };
    expect(rows).toEqual([row]);
    const detail = resultIn(await door.call('GET', `/v1/messages/${id}`));
    expect(detail).toMatchObject({
      ...row,
      body: expect.stringContaining('At noon?') as unknown,
      body_chars: 8,
    });
  });
});

realSection('Notes: What we add', () => {
  it('attachments of several messages, one of which has moved since', async () => {
    const files = (...names: string[]) => ({
      above: 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b',
      text: [
        ...['--b', '', 'See below.'],
        ...names.flatMap((name) => [
          ...['--b', `Content-Type: text/csv; name=${name}`, 'Content-Disposition: attachment', '', 'x,y'],
        ]),
        '--b--',
      ].join('\r\n'),
    });
    const one = await delivered('Prices', files('a.csv', 'b.csv'));
    const other = await delivered('More prices', files('c.csv'));
    const none = await delivered('No prices');
    await dovecot.doveadm('move', user, ['Archive', 'mailbox', 'INBOX', 'subject', 'More prices']);
    const { messages: rows } = resultIn(await door.tool('list_attachments', { ids: [none, other, one] }));
    const row = (index: number, name: string) => ({ index, name, mime: 'text/csv', size: 3 });
    expect(rows).toEqual([
      { id: none, attachments: [], total: 0 },
      { id: other, attachments: [row(0, 'c.csv')], total: 1 },
      { id: one, attachments: [row(0, 'a.csv'), row(1, 'b.csv')], total: 2 },
    ]);
  });

  it('what a list says when asked, and two messages in one answer, one of them large', async () => {
    const above = [
      ...['Cc: ann@example.org', 'Reply-To: desk@example.org', 'List-Id: <news.example.org>'],
      ...['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'],
    ];
    const csv = ['Content-Type: text/csv; name=a.csv', 'Content-Disposition: attachment', ''];
    const parts = ['--b', '', 'The figures.', '--b', ...csv, 'x,y\r\n'.repeat(50_000), '--b--'];
    const large = await delivered('Figures', { above: above.join('\r\n'), text: parts.join('\r\n') });
    const short = await delivered('Lunch', { text: 'At one?' });
    const search = ['mailbox', 'INBOX', 'subject', 'Lunch'];
    await dovecot.doveadm('flags add', user, ['\\Answered later $Forwarded', ...search]);
    const to = [addressOf(user)];
    const { messages: rows } = resultIn(await door.call('GET', '/v1/messages?limit=2&fields=triage'));
    expect(rows).toMatchObject([
      { id: short, to, to_count: 1, flags: ['unread', 'answered'], list: false, snippet: 'At one?' },
      {
        ...{ id: large, to, to_count: 1, flags: ['unread'], list: true, snippet: 'The figures.' },
        ...{ attachment_count: 1, attachment_names: ['a.csv'] },
      },
    ]);
    expect(resultIn(await door.tool('get_email', { ids: [large, short] })).messages).toMatchObject([
      { id: large, to, cc: ['ann@example.org'], reply_to: ['desk@example.org'], attachments_total: 1 },
      { id: short, to, flags: ['unread', 'answered'], labels: ['later'] },
    ]);
  });
});

realSection('Resources: Account', () => {
  it('and its folders', async () => {
    const { accounts } = resultIn(await door.call('GET', '/v1/accounts'));
    expect(accounts).toMatchObject([
      { account_id: 1, email: addressOf(user), by_role: { inbox: { total: expect.any(Number) as unknown } } },
    ]);
    const { folders } = resultIn(await door.call('GET', '/v1/folders'));
    expect(folders).toEqual(
      expect.arrayContaining([
        { name: 'INBOX', role: 'inbox', account_id: 1 },
        { name: 'Sent', role: 'sent', account_id: 1 },
      ]),
    );
  });
});

realSection('Endpoints: Messages', () => {
  it('search: all words must appear, in any folder; no match is empty with a reason', async () => {
    await delivered('Quarterly figures', { text: 'zebra stripes' });
    const found = await door.call('GET', '/v1/messages?q=quarterly%20zebra');
    expect(resultIn(found)).toMatchObject({ returned: 1, messages: [{ subject: 'Quarterly figures' }] });
    const none = await door.call('GET', '/v1/messages?q=quarterly%20giraffe');
    expect(none.json).toMatchObject({ status: 'empty', result: { reason: 'no_match', messages: [] } });
  });

  it('pages return every message once', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = resultIn(await door.call('GET', `/v1/messages?limit=1${cursor}`));
      seen.push(...(page.messages as { id: string }[]).map(({ id }) => id));
      cursor = page.next_cursor === undefined ? '' : `&cursor=${String(page.next_cursor)}`;
    } while (cursor !== '');
    const { total } = resultIn(await door.call('GET', '/v1/messages'));
    expect(new Set(seen).size).toBe(total);
    expect(seen).toHaveLength(Number(total));
  });

  it('an approved reply arrives once, in its thread', async () => {
    const id = await delivered('Boat?');
    const asked = await door.call('POST', `/v1/messages/${id}/reply`, { body: { body: 'Yes.' } });
    expect(asked).toMatchObject({ status: 202, json: { executed: false } });
    await door.approve(approvalIn(asked).id);
    await postfix.delivered();
    const arrived = (await dovecot.messages(friend)).filter((raw) => raw.includes('Subject: Re: Boat?'));
    expect(arrived).toHaveLength(1);
    const ended = await door.call('GET', `/v1/approvals/${approvalIn(asked).id}`);
    expect(approvalIn(ended)).toMatchObject({ state: 'executed', result: { sent: true, recipients: 1 } });
  });

  it.each([
    ['archive', undefined, 'Archive'],
    ['trash', undefined, 'Trash'],
    ['move', { target_folder: 'Drafts' }, 'Drafts'],
  ])('%s, once approved, moves it, and its id stays valid', async (path, body, folder) => {
    const id = await delivered(`To ${path}`);
    const asked = await door.call('POST', `/v1/messages/${id}/${path}`, body === undefined ? {} : { body });
    await door.approve(approvalIn(asked).id);
    expect(resultIn(await door.call('GET', `/v1/messages/${id}`)).folder).toBe(folder);
  });

  it('a label, once approved, is on it', async () => {
    const id = await delivered('To label');
    const { id: request } = approvalIn(
      await door.call('POST', `/v1/messages/${id}/label`, { body: { label: 'Bills' } }),
    );
    await door.approve(request);
    expect(approvalIn(await door.call('GET', `/v1/approvals/${request}`)).result).toMatchObject({
      done: true,
      action: 'label',
    });
    expect(await dovecot.doveadm('search', user, ['mailbox', 'INBOX', 'keyword', 'Bills'])).not.toBe('');
  });
});

realSection('States: Message read state', () => {
  it.each([
    ['mark-read', 'read'],
    ['mark-unread', 'unread'],
    ['flag', 'flagged'],
  ])('%s gives %s', async (path, state) => {
    const id = await delivered(`To ${path}`);
    const answer = await door.call('POST', `/v1/messages/${id}/${path}`);
    expect(resultIn(answer)).toEqual({ id, account_id: 1, folder: 'INBOX', state, matches_request: true });
  });
});

realSection('Resources: Thread', () => {
  it('is oldest first', async () => {
    await delivered('Plan', { text: 'One' });
    const id = await delivered('Re: Plan', {
      text: 'Two',
      above: `In-Reply-To: <m${messages}@example.test>`,
    });
    const { messages: rows, total } = resultIn(await door.call('GET', `/v1/threads/${id}`));
    expect(total).toBe(2);
    expect(rows).toMatchObject([{ subject: 'Plan' }, { subject: 'Re: Plan', id }]);
  });
});

realSection('States: Approval request', () => {
  const direct = () => door.key({ modes: { 'mail:send': 'direct' } });
  const send = (to: string, key: string, idempotencyKey?: string): Promise<Answer> => {
    const body = door.letter({ to: [to] });
    return door.call('POST', '/v1/messages', {
      body,
      key,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  };

  it('to a known recipient: executed at once; to a new one: pending', async () => {
    const key = await direct();
    expect(await send(addressOf(friend), key)).toMatchObject({
      status: 200,
      json: { executed: true, auto_approved: true },
    });
    expect((await send('stranger@example.test', key)).status).toBe(202);
  });

  it.each(['blocked', 'blockedAtEnd'] as const)(
    'a recipient that is %s: failed, and nobody received it',
    async (which) => {
      const asked = await send(RECIPIENTS[which], door.server.apiKey);
      await door.approve(approvalIn(asked).id);
      const answer = await door.call('GET', `/v1/approvals/${approvalIn(asked).id}`);
      expect(answer).toMatchObject({ status: 200, json: { executed: false, result: { meaning: someText } } });
      expect(approvalIn(answer)).toMatchObject({ state: 'failed', error: 'upstream_mail_error' });
    },
  );

  it('one of several recipients is refused: failed, and nobody received it', async () => {
    const body = door.letter({ to: [addressOf(friend), RECIPIENTS.blocked] });
    const asked = await door.call('POST', '/v1/messages', { body });
    await door.approve(approvalIn(asked).id);
    const ended = approvalIn(await door.call('GET', `/v1/approvals/${approvalIn(asked).id}`));
    expect(ended).toMatchObject({ state: 'failed', error: 'upstream_mail_error' });
    await postfix.delivered();
    const arrived = (await dovecot.messages(friend)).filter((raw) =>
      raw.includes(`Subject: ${body.subject}\n`),
    );
    expect(arrived).toEqual([]);
  });

  it('a deferred recipient: still approved', async () => {
    const asked = await send(RECIPIENTS.tempfail, door.server.apiKey);
    await door.approve(approvalIn(asked).id);
    const answer = await door.call('GET', `/v1/approvals/${approvalIn(asked).id}`);
    expect(answer.status).toBe(202);
    expect(approvalIn(answer).state).toBe('approved');
  });
});

realSection('Errors', () => {
  it('the same request with the same Idempotency-Key is sent once, and answered with the same bytes', async () => {
    const key = await door.key({ modes: { 'mail:send': 'direct' } });
    const asks = { body: door.letter({ to: [addressOf(friend)] }), key, idempotencyKey: 'real' };
    const first = await door.call('POST', '/v1/messages', asks);
    const again = await door.call('POST', '/v1/messages', asks);
    expect(first.status).toBe(200);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    await postfix.delivered();
    const arrived = (await dovecot.messages(friend)).filter((raw) =>
      raw.includes(`Subject: ${asks.body.subject}\n`),
    );
    expect(arrived).toHaveLength(1);
  });

  it('not_found: a message that is gone', async () => {
    const id = await delivered('To expunge');
    await dovecot.doveadm('expunge', user, ['mailbox', 'INBOX', 'subject', 'To expunge']);
    expectFailure(await door.call('GET', `/v1/messages/${id}`), 404, 'not_found', { reason: 'message' });
  });

  it('upstream_mail_error: the server is gone; nothing looks empty', async () => {
    await dovecot.crash();
    expectFailure(await door.call('GET', '/v1/messages'), 502, 'upstream_mail_error', { account_id: 1 });
    expectFailure(await door.call('GET', '/v1/messages?q=text'), 502, 'upstream_mail_error', {
      account_id: 1,
    });
    const { accounts } = resultIn(await door.call('GET', '/v1/accounts'));
    expect(accounts).toMatchObject([{ folders: [], error: 'upstream_mail_error' }]);
    await dovecot.restart();
    // An unreachable server is not contacted again at once.
    const again = () => door.call('GET', '/v1/messages');
    await eventually(async () => expect((await again()).status).toBe(200), { intervalMs: 200 });
  });
});
