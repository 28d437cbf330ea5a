import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { mailReader } from '../../../core/accounts/mail-reader.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { systemClock } from '../../../hosts/embedded/system-clock.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { newestOf, searchFor } from './mailbox-on.ts';
import { callThrough } from './through-proxy.ts';

const SENT = '2024-05-06T10:00:00.000Z';
const DATED = 'Date: Mon, 6 May 2024 10:00:00 +0000\r\n';

/** What the server says of its second message, in place of what Dovecot says. */
const ODD: readonly [string, (line: string) => string][] = [
  ['a header that is NIL', (line) => line.replace(/BODY\[(HEADER[^\]]*)\] (?=\{)/, 'BODY[$1] NIL X-OTHER ')],
  ['an empty header', (line) => line.replace(/BODY\[(HEADER[^\]]*)\] (?=\{)/, 'BODY[$1] "" X-OTHER ')],
  ['no header', (line) => line.replace(/BODY\[HEADER[^\]]*\] (?=\{)/, 'X-OTHER ')],
  ['INTERNALDATE NIL', (line) => line.replace(/INTERNALDATE "[^"]*"/, 'INTERNALDATE NIL')],
  ['no INTERNALDATE', (line) => line.replace(/INTERNALDATE "[^"]*" ?/, '')],
  ['RFC822.SIZE NIL', (line) => line.replace(/RFC822\.SIZE \d+/, 'RFC822.SIZE NIL')],
  ['no RFC822.SIZE', (line) => line.replace(/RFC822\.SIZE \d+ ?/, '')],
  ['FLAGS NIL', (line) => line.replace(/FLAGS \([^)]*\)/, 'FLAGS NIL')],
  ['no FLAGS', (line) => line.replace(/FLAGS \([^)]*\) ?/, '')],
];

describe.skipIf(missingServers().length > 0)(titled('a server that leaves out what it must say'), () => {
  let dovecot: Dovecot;
  let mail: Mail;
  let user: string;

  beforeAll(async () => {
    dovecot = await startDovecot();
  });
  beforeEach(async () => {
    mail = imapMail({ allowPrivateServers: true });
    user = dovecot.addUser();
    const receivedAt = (hour: number) => ({ receivedAt: new Date(`2024-05-06T0${hour}:00:00Z`) });
    await dovecot.deliver(user, 'Message-ID: <a@x.example>\r\nSubject: a\r\n\r\nneedle\r\n', receivedAt(1));
    const answer = 'Message-ID: <b@x.example>\r\nIn-Reply-To: <a@x.example>\r\n';
    await dovecot.deliver(user, `${answer}Subject: b\r\n${DATED}\r\nneedle\r\n`, receivedAt(2));
    const last = 'Message-ID: <c@x.example>\r\nIn-Reply-To: <a@x.example>\r\n';
    await dovecot.deliver(user, `${last}Subject: c\r\n\r\nneedle\r\n`, receivedAt(3));
  });
  afterEach(async () => {
    await mail.close();
  });
  afterAll(() => dovecot?.stop());

  const callBy = (reply: (line: string) => string) => callThrough(dovecot, user, { reply });

  const ofSecondBy = (odd: (line: string) => string) => (line: string) =>
    line.startsWith('* 2 FETCH ') ? odd(line) : line;
  const reader = () => mailReader(mail, systemClock);
  const uidsOf = (rows: readonly { place: { uid: number } }[]) =>
    rows.map(({ place }) => place.uid).toSorted();
  const list = (call: MailCall, order: 'uid' | 'date', unread: boolean) =>
    reader().list(call, { path: 'INBOX', unread, order, after: undefined, limit: 10 });

  describe.each(ODD)('%s', (name, odd) => {
    const ofSecond = ofSecondBy(odd);

    it('costs no row of a list, a search, a conversation or a visit', async () => {
      const call = await callBy(ofSecond);
      for (const order of ['uid', 'date'] as const) {
        for (const unread of [false, true]) {
          expect(uidsOf((await list(call, order, unread)).rows)).toEqual([1, 2, 3]);
        }
      }
      expect(uidsOf((await reader().search(call, searchFor('needle'))).rows)).toEqual([1, 2, 3]);
      const since = { ...searchFor(), since: '2024-05-01' };
      expect(uidsOf((await reader().search(call, since)).rows)).toContain(3);
      const { place } = await newestOf(mail, call);
      const { rows, missing } = await reader().thread(call, place);
      // Without its header, nothing tells that the message belongs there.
      const isUnread = /\bheader\b/.test(name);
      expect(uidsOf(rows)).toEqual(isUnread ? [1, 3] : [1, 2, 3]);
      expect(missing).toEqual(isUnread ? [{ path: 'INBOX', reason: 'undeliverable', messages: 1 }] : []);
      await mail.visitInbox(call, async (inbox) => {
        expect(inbox.uidNext).toBe(4);
        expect(uidsOf(await inbox.arrivals(0, 10))).toEqual([1, 2, 3]);
      });
    });

    it('leaves the message readable', async () => {
      const call = await callBy(ofSecond);
      const { place } = await newestOf(mail, call);
      const { source } = await mail.read(call, { ...place, uid: 2 });
      expect(source.kind === 'whole' && Buffer.from(source.bytes).toString()).toContain('needle');
      expect(await mail.row(call, { ...place, uid: 2 })).toMatchObject({ place: { uid: 2 } });
    });
  });

  it.each(ODD.slice(0, 3))('%s is said in its row', async (_name, odd) => {
    const { rows } = await list(await callBy(ofSecondBy(odd)), 'uid', false);
    expect(rows.map(({ place, undeliverable = false }) => [place.uid, undeliverable])).toEqual([
      [3, false],
      [2, true],
      [1, false],
    ]);
  });

  it('INTERNALDATE is the Date of the message in every order', async () => {
    const call = await callBy((line) => line.replace(/INTERNALDATE "[^"]*" ?/, ''));
    for (const order of ['uid', 'date'] as const) {
      const { rows } = await list(call, order, false);
      const second = rows.find(({ place }) => place.uid === 2);
      expect(second?.internalDate.toISOString()).toBe(SENT);
    }
    const { rows } = await list(call, 'date', false);
    expect(rows.map(({ place }) => place.uid)).toEqual([2, 3, 1]);
    const [first] = rows;
    if (first === undefined) throw new Error('the list is empty');
    const { uidValidity, uid } = first.place;
    const after = { uidValidity, uid, internalDateMs: first.internalDate.getTime() };
    const next = await mail.list(call, { path: 'INBOX', unread: false, order: 'date', after, limit: 1 });
    expect(next).toMatchObject({ rows: [{ place: { uid: 3 } }], more: true });
  });

  it('UIDNEXT is above every message that there is, though others were seen before', async () => {
    const call = await callBy((line) =>
      line.includes('[UIDNEXT') ? '' : line.replace(/ UIDNEXT \d+(?=[ )])/, ''),
    );
    const { place } = await newestOf(mail, call);
    await mail.close();
    mail = imapMail({ allowPrivateServers: true });
    await mail.row(call, { ...place, uid: 1 });
    await mail.visitInbox(call, async (inbox) => {
      expect(inbox.uidNext).toBe(4);
      expect(uidsOf(await inbox.arrivals(1, 10))).toEqual([2, 3]);
    });
  });

  it.each([
    ['EXISTS', /^\* \d+ EXISTS/],
    ['UIDVALIDITY', /^\* OK \[UIDVALIDITY/],
  ])('a folder without %s is an error that ends at once when the server says it again', async (_name, of) => {
    let isIll = true;
    const call = await callBy((line) => (isIll && of.test(line) ? '' : line));
    await expect(list(call, 'uid', false)).rejects.toMatchObject({ code: 'unavailable' });
    isIll = false;
    expect(uidsOf((await list(call, 'uid', false)).rows)).toEqual([1, 2, 3]);
  });
});
