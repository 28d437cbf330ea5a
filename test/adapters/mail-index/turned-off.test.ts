import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { sandboxMail } from '../../../adapters/sandbox/mail.ts';
import { indexedMail } from '../../../core/mail-index/indexed-mail.ts';
import { inlineIndex } from '../../inline-index.ts';
import { silentLog } from '../../open-service.ts';
import { slowClock } from '../../slow-clock.ts';
import { until } from '../../until.ts';
import { newestOf, searchFor } from '../imap/mailbox-on.ts';
import { INDEX_KEY } from './indexed-mail.ts';
import { account, call } from './indexed-scene.ts';

const deed = fc.constantFrom('list', 'search', 'thread', 'deliver', 'off', 'again', 'wait');

it('whatever happens at once, an index that is off is empty in the end, and one that is on is whole', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 14 }), async (deeds) => {
      const sandbox = sandboxMail({ samples: () => [] });
      const index = inlineIndex();
      const mail = indexedMail({
        ...{ mail: sandbox, index, secretKey: INDEX_KEY, reader: inlineReader() },
        ...{ clock: slowClock(), log: silentLog, current: async (one) => one },
      });
      let delivered = 0;
      let isIndexed = true;
      const underWay: Promise<unknown>[] = [];
      const deliver = () => {
        delivered += 1;
        return sandbox.deliver(account, 'INBOX', Buffer.from(`Subject: ${delivered}\r\n\r\nneedle\r\n`));
      };
      // More than is indexed for a call.
      for (let at = 0; at < 40; at += 1) await deliver();
      const { place } = await newestOf(sandbox, call);
      const ofNow = () => ({ ...call, account: { ...account, isIndexed } });
      for (const one of deeds) {
        if (one === 'wait') await underWay.at(-1);
        if (one === 'deliver') await deliver();
        if (one === 'list') underWay.push(newestOf(mail, ofNow()));
        if (one === 'search') underWay.push(mail.search(ofNow(), searchFor('needle')));
        if (one === 'thread') underWay.push(mail.thread(ofNow(), place));
        if (one === 'off' || one === 'again') isIndexed = one === 'again';
        if (one === 'off') underWay.push(mail.turnIndexOff(account));
        if (one === 'again') underWay.push(mail.buildIndexAgain(ofNow().account));
      }
      await Promise.all(underWay);
      await until(async () => (await mail.indexState(account)).filling === 'idle');
      await newestOf(mail, ofNow());
      if (isIndexed) {
        await until(async () => (await mail.search(ofNow(), searchFor('needle'))).by === 'index');
        expect((await mail.search(ofNow(), searchFor('needle'))).total).toBe(delivered);
        expect((await index.size(account)).messages).toBe(delivered);
      } else {
        expect((await mail.search(ofNow(), searchFor('needle'))).by).toBeUndefined();
        await until(async () => (await index.size(account)).messages === 0);
        expect(await index.folders(account)).toEqual([]);
      }
      await mail.close();
    }),
    { numRuns: 40 },
  );
});
