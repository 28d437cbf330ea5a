import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import type { Disguise } from '../../servers/proxy.ts';
import { callOn, newestOf, searchFor } from './mailbox-on.ts';
import { asksFor, callThrough } from './through-proxy.ts';

const refusing = (answer: string, what = ''): Disguise => ({
  refusal: (line) => (asksFor(line, 2) && line.includes(what) ? answer : undefined),
});

const ODD: readonly [string, Disguise][] = [
  ['refuses (NO)', refusing('NO cannot')],
  ['refuses (BAD)', refusing('BAD cannot')],
  ['refuses because of a mistake of its own', refusing('NO [SERVERBUG] cannot')],
  ['refuses the content of', refusing('NO cannot', 'BODY')],
  ['leaves out', { reply: (line) => line.replace(/^\* 2 FETCH /, '* 2 XOTHER ') }],
];

describe.skipIf(missingServers().length > 0)(titled('a message that the server cannot deliver'), () => {
  let dovecot: Dovecot;
  let mail: Mail;
  let user: string;

  beforeAll(async () => {
    dovecot = await startDovecot();
  });
  beforeEach(async () => {
    mail = imapMail({ allowPrivateServers: true });
    user = dovecot.addUser();
    for (const name of ['a', 'b', 'c']) {
      const ids = `Message-ID: <${name}@x.example>\r\nReferences: <root@x.example>\r\n`;
      await dovecot.deliver(user, `${ids}Subject: ${name}\r\n\r\nneedle\r\n`);
    }
  });
  afterEach(async () => {
    await mail.close();
  });
  afterAll(() => dovecot?.stop());

  const callBy = (disguise: Disguise) => callThrough(dovecot, user, disguise);

  const reader = () => mailReader(mail, systemClock);
  const list = (call: MailCall, order: 'uid' | 'date', unread: boolean) =>
    reader().list(call, { path: 'INBOX', unread, order, after: undefined, limit: 10 });
  const uidsOf = (rows: readonly { place: { uid: number }; undeliverable?: true }[]) =>
    rows
      .map(({ place, undeliverable }) => (undeliverable ? `${place.uid} undeliverable` : `${place.uid}`))
      .toSorted();
  const ALL = ['1', '2 undeliverable', '3'];

  async function expectAll(call: MailCall): Promise<void> {
    for (const order of ['uid', 'date'] as const) {
      for (const unread of [false, true]) expect(uidsOf((await list(call, order, unread)).rows)).toEqual(ALL);
    }
    expect(uidsOf((await reader().search(call, { ...searchFor(), from: '' })).rows)).toEqual(ALL);
    await mail.visitInbox(call, async (inbox) => {
      expect(uidsOf(await inbox.arrivals(0, 10))).toEqual(ALL);
      expect(uidsOf(await inbox.arrivals(2, 10))).toEqual(['3']);
    });
    const { place } = await newestOf(mail, call);
    const all = [1, 2, 3].map((uid) => ({ ...place, uid }));
    const read = await reader().readAll(call, all);
    expect(uidsOf(read.flatMap((one) => one?.row ?? []))).toEqual(ALL);
    const conversation = await reader().thread(call, place);
    // Without its header, nothing tells that it belongs there.
    expect(uidsOf(conversation.rows)).toEqual(['1', '3']);
    expect(conversation.missing).toEqual([{ path: 'INBOX', reason: 'undeliverable', messages: 1 }]);
    await expect(mail.read(call, { ...place, uid: 2 })).rejects.toMatchObject({ name: 'MailError' });
  }

  it.each(ODD)('is a row among the others, on a server that %s it', async (_name, disguise) => {
    await expectAll(await callBy(disguise));
  });

  it('keeps what is known of it', async () => {
    const call = await callBy(refusing('NO cannot', 'BODY'));
    const { rows } = await list(call, 'uid', false);
    expect(rows[1]).toMatchObject({ place: { uid: 2 }, undeliverable: true, subject: '', flags: new Set() });
    expect(rows[1]?.internalDate.getTime()).toBeGreaterThan(0);
    expect(rows[1]?.sizeBytes).toBeGreaterThan(0);
  });

  it.each(['UNAVAILABLE', 'INUSE', 'LIMIT'])('for now only ([%s]) is an error', async (code) => {
    const call = await callBy(refusing(`NO [${code}] later`));
    await expect(list(call, 'uid', false)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(list(call, 'date', true)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is an error if the server delivers no other either, by a mistake of its own', async () => {
    const call = await callBy({
      refusal: (line) => (line.includes(' FETCH ') ? 'NO [SERVERBUG] cannot' : undefined),
    });
    await expect(list(call, 'uid', false)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is a row if it is all that a page holds, and the server delivers others', async () => {
    const call = await callBy(refusing('NO [SERVERBUG] cannot'));
    const { place } = await newestOf(mail, call);
    const after = { uidValidity: place.uidValidity, uid: 3, internalDateMs: 0 };
    const page = await reader().list(call, { path: 'INBOX', unread: false, order: 'uid', after, limit: 1 });
    expect(uidsOf(page.rows)).toEqual(['2 undeliverable']);
  });

  it('is not one that is gone', async () => {
    const call = callOn(dovecot.port, user);
    const { place } = await newestOf(mail, call);
    await dovecot.doveadm('expunge', user, ['mailbox', 'INBOX', 'uid', '2']);
    expect(uidsOf((await list(call, 'uid', false)).rows)).toEqual(['1', '3']);
    expect(await mail.readAll(call, [{ ...place, uid: 2 }])).toEqual([undefined]);
  });

  it('is in its conversation again ten seconds after the server delivers it', async () => {
    let isIll = true;
    const { refusal } = refusing('NO cannot');
    const call = await callBy({ refusal: (line) => (isIll ? refusal?.(line) : undefined) });
    const { place } = await newestOf(mail, call);
    expect(uidsOf((await reader().thread(call, place)).rows)).toEqual(['1', '3']);
    isIll = false;
    const clock = vi.spyOn(performance, 'now');
    onTestFinished(() => clock.mockRestore());
    const now = performance.now() + 11_000;
    clock.mockImplementation(() => now);
    const { rows, missing } = await reader().thread(call, place);
    expect(uidsOf(rows)).toEqual(['1', '2', '3']);
    expect(missing).toEqual([]);
  });
});
