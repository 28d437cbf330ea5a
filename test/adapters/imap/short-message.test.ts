import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { newestOf, searchFor } from './mailbox-on.ts';
import { callThrough } from './through-proxy.ts';

const RAW = `Subject: long\r\n\r\n${'some text\r\n'.repeat(500)}the end\r\n`;

describe.skipIf(missingServers().length > 0)(
  titled('a message of which the server returns too little'),
  () => {
    let dovecot: Dovecot;
    let mail: Mail;
    let user: string;

    beforeAll(async () => {
      dovecot = await startDovecot();
    });
    beforeEach(async () => {
      mail = imapMail({ allowPrivateServers: true });
      user = dovecot.addUser();
      await dovecot.deliver(user, RAW);
    });
    afterEach(async () => {
      await mail.close();
    });
    afterAll(() => dovecot?.stop());

    /** Puts a value in place of the source of a message. */
    function callBy(section: string, value: string): Promise<MailCall> {
      return callThrough(dovecot, user, {
        reply: (line) => line.replace(`${section} {`, `${section} ${value} X-OTHER {`),
      });
    }

    const SHORT: readonly [string, string][] = [
      ['a part of it', '"Subject: long"'],
      ['NIL', 'NIL'],
      ['nothing', '""'],
    ];

    it.each(SHORT)('at first (%s) is fetched once more, as a whole', async (_name, value) => {
      const call = await callBy('BODY[]<0>', value);
      const { place } = await newestOf(mail, call);
      for (const message of [await mail.read(call, place), (await mail.readAll(call, [place]))[0]]) {
        expect(message?.source.kind === 'whole' && Buffer.from(message.source.bytes).toString()).toBe(RAW);
        expect(message?.row).not.toHaveProperty('undeliverable');
      }
    });

    it('at first is fetched once more if it is a little shorter than the size that the server reports', async () => {
      const cut = RAW.slice(0, -2);
      const call = await callThrough(dovecot, user, {
        reply: (line) => line.replace('BODY[]<0> {', `BODY[]<0> {${cut.length}}\r\n${cut} X-OTHER {`),
      });
      const { place } = await newestOf(mail, call);
      const { source } = await mail.read(call, place);
      expect(source.kind === 'whole' && Buffer.from(source.bytes).toString()).toBe(RAW);
    });

    it('each time by a little is the whole message, whose size is an estimate: the next is fetched once', async () => {
      const asked: string[] = [];
      const call = await callThrough(dovecot, user, {
        refusal: (line) => {
          if (line.includes('BODY.PEEK[]')) asked.push(line);
          return undefined;
        },
        reply: (line) => line.replace(/RFC822\.SIZE \d+/, `RFC822.SIZE ${RAW.length + 40}`),
      });
      const { place } = await newestOf(mail, call);
      const lengths: number[] = [];
      for (let time = 0; time < 3; time += 1) {
        const { source } = await mail.read(call, place);
        if (source.kind === 'whole') lengths.push(source.bytes.length);
      }
      expect(lengths).toEqual([RAW.length, RAW.length, RAW.length]);
      expect(asked).toHaveLength(4);
    });

    describe.each(SHORT)('each time (%s)', (_name, value) => {
      function callAlways(): Promise<MailCall> {
        return callThrough(dovecot, user, {
          reply: (line) => line.replace(/(BODY\[\](?:<0>)?) \{/, `$1 ${value} X-OTHER {`),
        });
      }

      it('is an error, and no shorter message', async () => {
        const call = await callAlways();
        const { place } = await newestOf(mail, call);
        await expect(mail.read(call, place)).rejects.toMatchObject({ code: 'unavailable' });
        await expect(mail.attachment(call, place, 0, 1000)).rejects.toMatchObject({ code: 'unavailable' });
      });

      it('cannot be delivered, among others', async () => {
        const call = await callAlways();
        const { place } = await newestOf(mail, call);
        expect(await mail.readAll(call, [place])).toMatchObject([{ row: { undeliverable: true } }]);
        // A word beyond its beginning may be in it.
        expect(await mail.search(call, searchFor('some'))).toMatchObject({ total: 1 });
      });
    });
  },
);
