import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import type { Disguise } from '../../servers/proxy.ts';
import { callOn, newestOf, searchFor } from './mailbox-on.ts';
import { callThrough } from './through-proxy.ts';

describe.skipIf(missingServers().length > 0)(titled('a server that lists folders in its own way'), () => {
  let dovecot: Dovecot;
  let mail: Mail;
  let user: string;

  beforeAll(async () => {
    dovecot = await startDovecot();
  });
  beforeEach(async () => {
    mail = imapMail({ allowPrivateServers: true });
    user = dovecot.addUser();
    await dovecot.deliver(user, 'Message-ID: <one@x.example>\r\nSubject: one\r\n\r\nneedle\r\n');
  });
  afterEach(async () => {
    await mail.close();
  });
  afterAll(() => dovecot?.stop());

  const callBy = (disguise: Disguise) => callThrough(dovecot, user, disguise);

  /** Leaves the inbox out of the answer to a LIST. */
  const withoutInbox = (left: (asked: string) => boolean): Disguise => {
    let asked = '';
    return {
      refusal: (line) => {
        asked = line;
        return undefined;
      },
      reply: (line) => (/^\* (LIST|STATUS) .*INBOX\b/.test(line) && left(asked) ? '' : line),
    };
  };

  it.each([
    ['never', withoutInbox((asked) => / (LIST|LSUB) /.test(asked))],
    ['only without RETURN', withoutInbox((asked) => / LIST /.test(asked) && asked.includes('RETURN'))],
    ['only with RETURN', withoutInbox((asked) => / LIST /.test(asked) && !asked.includes('RETURN'))],
  ])(
    'has an inbox that it lists %s: it is listed, counted and searched all the same',
    async (_, disguise) => {
      const call = await callBy(disguise);
      expect((await mail.folders(call)).map(({ path }) => path).toSorted()).toEqual(
        ['INBOX', 'Sent', 'Drafts', 'Trash', 'Junk', 'Archive'].toSorted(),
      );
      expect(await mail.counts(call)).toContainEqual({
        path: 'INBOX',
        delimiter: '/',
        specialUse: null,
        total: 1,
        unread: 1,
      });
      expect(await mail.search(call, searchFor('needle'))).toMatchObject({ total: 1 });
      const { place } = await newestOf(mail, call);
      expect(await mail.thread(call, place)).toHaveLength(1);
    },
  );

  it.each([
    ['LIST-STATUS', 'NO', / LIST .*RETURN \(.*STATUS/],
    ['LIST-STATUS', 'BAD', / LIST .*RETURN \(.*STATUS/],
    ['LIST with RETURN', 'NO', / LIST .*RETURN /],
    ['LIST with RETURN', 'BAD', / LIST .*RETURN /],
  ])(
    'refuses %s by %s: folders, counts and conversations are the same, and it is not asked so again',
    async (_name, answer, refused) => {
      await mail.close();
      mail = imapMail({ allowPrivateServers: true, maxConnectionsPerAccount: 1 });
      let refusals = 0;
      const odd = await callBy({
        refusal: (line) => {
          if (!refused.test(line)) return undefined;
          refusals += 1;
          return `${answer} no`;
        },
      });
      const look = async (call: MailCall) => {
        const folders = await mail.folders(call, { fresh: true });
        const { place } = await newestOf(mail, call);
        return {
          folders: new Set(folders),
          counts: new Set(await mail.counts(call)),
          found: (await mail.search(call, searchFor('needle'))).total,
          conversation: await mail.thread(call, place),
        };
      };
      const first = await look(odd);
      expect(refusals).toBeGreaterThan(0);
      refusals = 0;
      expect(await look(odd)).toEqual(first);
      expect(refusals).toBe(0);
      await mail.forget(odd.account.ownerId, odd.account.accountId);
      expect(await look(callOn(dovecot.port, user))).toEqual(first);
    },
  );

  it.each(['UIDVALIDITY', 'UIDNEXT'])('reports a folder with %s 0: it is opened instead', async (name) => {
    const reply = 'Message-ID: <two@x.example>\r\nIn-Reply-To: <one@x.example>\r\n\r\nneedle\r\n';
    await dovecot.deliver(user, reply, { mailbox: 'Archive' });
    let reported = 0;
    const call = await callBy({
      reply(line) {
        if (!line.startsWith('* STATUS Archive ')) return line;
        reported += 1;
        return line.replace(new RegExp(`${name} \\d+`), `${name} 0`).replace(/MESSAGES \d+/, 'MESSAGES 0');
      },
    });
    const archive = (await mail.states(call))?.find(({ path }) => path === 'Archive');
    expect(archive).toMatchObject({ uidValidity: null, uidNext: null, state: null });
    const counts = await mail.counts(call);
    // Only the other one is asked for.
    if (name === 'UIDVALIDITY')
      expect(counts).toContainEqual(expect.objectContaining({ path: 'Archive', total: 1 }));
    const { place } = await newestOf(mail, call);
    expect(await mail.thread(call, place)).toHaveLength(2);
    expect(reported).toBeGreaterThan(1);
  });

  it.each(['\\NoSelect', '\\NOSELECT', '\\noselect', '\\nonexistent'])(
    'marks a name that is no folder as %s: it is none',
    async (attribute) => {
      const call = await callBy({
        reply: (line) =>
          line.startsWith('* LIST') && line.endsWith('INBOX\r\n')
            ? `* LIST (${attribute} \\HasChildren) "/" Parent\r\n${line}`
            : line,
      });
      expect((await mail.folders(call)).map(({ path }) => path)).not.toContain('Parent');
      expect(await mail.search(call, searchFor('needle'))).not.toHaveProperty('missing');
      expect(await mail.counts(call)).toHaveLength(6);
    },
  );
});
