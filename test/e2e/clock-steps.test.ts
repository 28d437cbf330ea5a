import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { browserIsMissing, inBrowser, openBrowser } from '../servers/browser.ts';
import { FAKETIME_PROGRAMS, type FakedClock, fakedClock } from '../servers/faked-clock.ts';
import { addressOf } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { eventually } from '../until.ts';
import { decide, signedIn, stateOn } from './owner-pages.ts';
import { filedIn, restClient } from './rest-client.ts';
import { type SelfHosted, selfHosted } from './self-hosted.ts';

const me = z.object({ now: z.iso.datetime({ offset: true }) });
/** More than a request lives. */
const DAY_HOURS = 25;

const missing = browserIsMissing || missingServers(FAKETIME_PROGRAMS).length > 0;

describe.skipIf(missing)(inBrowser(titled('a clock that steps by a day', FAKETIME_PROGRAMS)), () => {
  let clock: FakedClock;
  let home: SelfHosted;
  let browser: Browser;
  beforeAll(async () => {
    clock = fakedClock();
    home = await selfHosted({}, clock.env);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await home?.stop();
    clock?.remove();
  });

  it('stops no call, and what the owner approved is sent once, and what has expired never', async () => {
    const owner = await home.addOwner('ada@example.org');
    const user = await home.addAccount(owner);
    const friend = home.dovecot.addUser();
    const rest = restClient(home.server.base_url, await home.addKey(owner));
    const stepTo = async (hours: number) => {
      clock.stepTo(hours);
      const expected = Date.now() + hours * 3_600_000;
      const { now } = me.parse((await rest.get('/v1/me')).body);
      expect(Math.abs(Date.parse(now) - expected)).toBeLessThan(3_600_000);
    };
    const file = async (subject: string) => {
      const letter = { to: [addressOf(friend)], subject, body: 'Hello.' };
      return filedIn(await rest.post('/v1/messages', letter));
    };
    const stateOf = async (id: string) =>
      /"state":"(\w+)"/.exec(JSON.stringify((await rest.get(`/v1/approvals/${id}`)).body))?.[1];
    const approve = async (id: string) => {
      // An owner who signed in a day ago is asked for the password again.
      const page = await signedIn(browser, home.server.dashboard_url, owner, `/approvals/${id}`);
      await decide(page, 'Approve');
      await eventually(async () => expect(await stateOf(id)).toBe('executed'));
    };

    const expired = await file('Too late');
    await stepTo(DAY_HOURS);
    const ahead = await file('From tomorrow');
    await approve(ahead);
    await eventually(async () => expect(await stateOf(expired)).toBe('expired'));

    await stepTo(0);
    const back = await file('From today');
    await approve(back);
    const page = await signedIn(browser, home.server.dashboard_url, owner, `/approvals/${expired}`);
    expect(await stateOn(page)).toBe('Expired');

    await stepTo(-DAY_HOURS);
    const behind = await file('From yesterday');
    await approve(behind);
    // The inbox is read as before, and nothing that was done is done again.
    await home.dovecot.deliver(user, `From: ${addressOf(friend)}\r\nSubject: News\r\n\r\nHello.\r\n`);
    await eventually(async () => expect((await rest.newest()).subject).toBe('News'));
    await stepTo(0);

    expect(await Promise.all([expired, ahead, back, behind].map(stateOf))).toEqual([
      'expired',
      'executed',
      'executed',
      'executed',
    ]);
    const subjects = (await home.dovecot.messages(friend)).map((raw) => /^Subject: (.*)$/m.exec(raw)?.[1]);
    expect(subjects.toSorted()).toEqual(['From today', 'From tomorrow', 'From yesterday']);
  });
});
