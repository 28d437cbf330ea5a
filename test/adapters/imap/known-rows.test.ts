import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { ImapFlow } from 'imapflow';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { ListQuery, MessagePage } from '../../../core/ports/mail-reading.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { callOn, openMail, searchFor } from './mailbox-on.ts';
import { proxyBefore } from './through-proxy.ts';

describe.skipIf(missingServers().length > 0)(titled('rows that were listed before'), () => {
  let dovecot: Dovecot;

  beforeAll(async () => {
    dovecot = await startDovecot();
  });
  afterAll(() => dovecot?.stop());

  const letter = (name: string) =>
    `Message-ID: <${name}@x.example>\r\nFrom: Ada <ada@x.example>\r\nSubject: ${name}\r\n\r\nword\r\n`;

  async function deliver(user: string, names: readonly string[]): Promise<void> {
    for (const name of names) await dovecot.deliver(user, letter(name));
  }

  async function otherProgram(user: string): Promise<ImapFlow> {
    const auth = { user: addressOf(user), pass: PASSWORD };
    const server = { host: '127.0.0.1', port: dovecot.port, tls: { rejectUnauthorized: false } };
    const client = new ImapFlow({ ...server, auth, logger: false, disableAutoIdle: true });
    await client.connect();
    await client.mailboxOpen('INBOX');
    onTestFinished(() => client.close());
    return client;
  }

  const query = (order: ListQuery['order'], unread = false): ListQuery => ({
    ...{ path: 'INBOX', unread, order },
    ...{ limit: 5, after: undefined },
  });
  const LISTS: readonly (readonly [string, (mail: Mail, call: MailCall) => Promise<MessagePage>])[] = [
    ['a list by UID', (mail, call) => mail.list(call, query('uid'))],
    ['a list by date', (mail, call) => mail.list(call, query('date'))],
    ['the unread messages', (mail, call) => mail.list(call, query('uid', true))],
    ['a search', (mail, call) => mail.search(call, { ...searchFor('word'), limit: 5 })],
  ];
  const shown = ({ rows, ...page }: MessagePage) => ({
    ...page,
    rows: rows.map((row) => ({ ...row, header: Buffer.from(row.header).toString('latin1') })),
  });

  it.each(LISTS)('are not fetched again by %s', async (_, list) => {
    const user = dovecot.addUser();
    await deliver(user, ['a', 'b', 'c', 'd', 'e', 'f']);
    const asked: string[] = [];
    const proxy = await proxyBefore(dovecot, {
      refusal(line) {
        asked.push(line);
        return undefined;
      },
    });
    const [mail, call] = [openMail(), callOn(proxy.port, user)];
    const first = await list(mail, call);
    expect(asked.some((line) => line.includes('HEADER.FIELDS'))).toBe(true);
    asked.length = 0;
    const second = await list(mail, call);
    expect(asked.some((line) => line.includes(' FETCH '))).toBe(true);
    expect(asked.filter((line) => line.includes('BODY.PEEK'))).toEqual([]);
    expect(shown(second)).toEqual(shown(first));
    // The header is the same object, so nobody reads it again.
    expect(second.rows.every(({ header }, at) => header === first.rows[at]?.header)).toBe(true);
  });

  it.each(LISTS)(
    'are those of other messages once a restored folder gives their UIDs again: %s',
    async (_, list) => {
      const user = dovecot.addUser();
      const home = `${dovecot.folder}/mail/${user}`;
      await deliver(user, ['kept']);
      execFileSync('cp', ['-a', home, `${home}.backup`]);
      await deliver(user, ['lost 1', 'lost 2']);
      const [mail, call] = [openMail(), callOn(dovecot.port, user)];
      const before = await list(mail, call);
      expect(before.rows).toHaveLength(3);
      execFileSync('rm', ['-r', home]);
      execFileSync('cp', ['-a', `${home}.backup`, home]);
      await dovecot.restart();
      await deliver(user, ['another 1', 'another 2']);
      const after = await list(mail, call);
      expect(after.rows.map(({ place }) => place)).toEqual(before.rows.map(({ place }) => place));
      expect(shown(after)).toEqual(shown(await list(openMail(), call)));
      expect(shown(after).rows.map(({ header }) => /Subject: (.*)\r/.exec(header)?.[1])).toContain(
        'another 2',
      );
    },
  );

  it('show what a mailbox shows that knows none of them, whatever other programs do', async () => {
    const step = fc.oneof(
      fc.record({ does: fc.constant('deliver' as const) }),
      fc.record({
        does: fc.constantFrom('flag' as const, 'unflag' as const, 'mark' as const, 'remove' as const),
        at: fc.nat({ max: 7 }),
      }),
      fc.record({ does: fc.constant('list' as const), which: fc.nat({ max: LISTS.length - 1 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const user = dovecot.addUser();
        const call = callOn(dovecot.port, user);
        const mail = imapMail({ allowPrivateServers: true });
        const client = await otherProgram(user);
        let names = 0;
        const deliverNext = () => deliver(user, [`letter ${names++}`]);
        try {
          await deliverNext();
          await deliverNext();
          for (const [, list] of LISTS) await list(mail, call);
          for (const one of steps) {
            if (one.does === 'deliver') await deliverNext();
            else if (one.does === 'list') await LISTS[one.which]?.[1](mail, call);
            else {
              await client.noop();
              const uids = (await client.search({ all: true }, { uid: true })) || [];
              const uid = String(uids[one.at % Math.max(1, uids.length)] ?? 1);
              if (one.does === 'flag')
                await client.messageFlagsAdd(uid, ['\\Seen', '\\Flagged'], { uid: true });
              if (one.does === 'unflag') await client.messageFlagsRemove(uid, ['\\Seen'], { uid: true });
              if (one.does === 'mark') await client.messageFlagsAdd(uid, ['\\Deleted'], { uid: true });
              if (one.does === 'remove') await client.messageDelete(uid, { uid: true });
            }
          }
          const fresh = imapMail({ allowPrivateServers: true });
          try {
            for (const [, list] of LISTS)
              expect(shown(await list(mail, call))).toEqual(shown(await list(fresh, call)));
          } finally {
            await fresh.close();
          }
        } finally {
          client.close();
          await mail.close();
        }
      }),
      { numRuns: 15 },
    );
  });
});
