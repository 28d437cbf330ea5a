import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { newestOf, searchFor, started } from './mailbox-on.ts';
import { callThrough } from './through-proxy.ts';

const CODES = ['THROTTLED', 'TEMPFAIL', 'UNAVAILABLE', 'INUSE', 'LIMIT'];
const COMMANDS = ['LIST', 'SELECT|EXAMINE', 'UID SEARCH', 'UID FETCH'];

describe.skipIf(missingServers().length > 0)(titled('a server that asks to try again later'), () => {
  let dovecot: Dovecot;
  let mail: Mail;
  let user: string;

  beforeAll(async () => {
    dovecot = await startDovecot();
  });
  beforeEach(async () => {
    mail = imapMail({ allowPrivateServers: true });
    user = dovecot.addUser();
    await dovecot.deliver(user, 'Message-ID: <a@x.example>\r\nSubject: one\r\n\r\nneedle\r\n');
  });
  afterEach(() => mail.close());
  afterAll(() => dovecot?.stop());

  const reader = () => mailReader(mail, systemClock);
  const listed = { path: 'INBOX', unread: false, order: 'date', after: undefined, limit: 10 } as const;

  describe.each(COMMANDS)('instead of %s', (command) => {
    it.each(CODES)('is answered as an error (%s), and everything is there once it is well', async (code) => {
      let isIll = false;
      const isRefused = new RegExp(`^\\S+ (?:${command}) `);
      const call: MailCall = await callThrough(dovecot, user, {
        refusal: (line) => (isIll && isRefused.test(line) ? `NO [${code}] not now` : undefined),
      });
      const { place } = await newestOf(mail, call);
      await mail.close();
      mail = imapMail({ allowPrivateServers: true });
      const calls: readonly (() => Promise<unknown>)[] = [
        async () => (await reader().list(call, listed)).rows.map(({ subject }) => subject),
        async () => (await reader().search(call, searchFor('needle'))).total,
        async () => (await reader().thread(call, place)).rows.length,
        async () => (await reader().read(call, place)).row.subject,
        async () => (await reader().readAll(call, [place])).map((one) => one?.row.subject),
        async () => mail.setFlag(call, place, 'flagged', true, started),
      ];
      const answers = async () => {
        const all: unknown[] = [];
        for (const one of calls) all.push(await one().catch((error: unknown) => error));
        return all;
      };
      isIll = true;
      const ill = await answers();
      isIll = false;
      const well = await answers();
      expect(well).toEqual([['one'], 1, 1, 'one', ['one'], true]);
      expect(ill.some((answer) => answer instanceof Error)).toBe(true);
      // Right, or an honest error: never less.
      for (const [index, answer] of ill.entries()) {
        if (answer instanceof Error) expect(answer).toMatchObject({ code: 'unavailable' });
        else expect(answer).toEqual(well[index]);
      }
    });
  });
});
