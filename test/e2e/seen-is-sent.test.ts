import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visibleText } from '../../hosts/dashboard/visible-text.ts';
import { sizeOf } from '../only-long.ts';
import { browserIsMissing, inBrowser, openBrowser } from '../servers/browser.ts';
import { addressOf } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { body, normalBody, strangersText, subject } from './letters.ts';
import { connectAccount, decide, signedIn, stateOn, textOf } from './owner-pages.ts';
import { type PythonMail, pythonIsMissing, readWithPython } from './python-mail.ts';
import { filedIn, restClient } from './rest-client.ts';
import { type SelfHosted, selfHosted } from './self-hosted.ts';

const SIGNATURE = 'Grace <grace@example.org> &amp; Söhne \u202e\n-- \n. 👩‍💻';

/** The signature of each account. */
const SIGNED = [`\n\n-- \n${SIGNATURE}`, ''];
const account = fc.nat({ max: SIGNED.length - 1 });

/** Far more than one run needs. */
const LIMITS = {
  callsPerMinute: 100_000,
  callsPerDay: 100_000,
  filedPerDay: 100_000,
  waitingPerKey: 100,
  waitingPerOwner: 100,
};

const skipped = browserIsMissing || missingServers().length > 0 || pythonIsMissing;
const title = `what the owner sees${pythonIsMissing ? ' (skipped: needs python3)' : ''}`;

describe.skipIf(skipped)(inBrowser(titled(title)), () => {
  let home: SelfHosted;
  let browser: Browser;
  beforeAll(async () => {
    home = await selfHosted({ limits: LIMITS });
    browser = await openBrowser();
  });
  afterAll(() => home?.stop());

  /** An owner with two accounts, the first with a signature, and a program with a key. */
  async function setUp(email: string) {
    const owner = await home.addOwner(email);
    const page = await signedIn(browser, home.server.dashboard_url, owner);
    const users = [home.dovecot.addUser(), home.dovecot.addUser()];
    for (const [index, user] of users.entries()) {
      await connectAccount(page, home, { user, signature: index === 0 ? SIGNATURE : '' });
      await page.getByRole('status').waitFor();
    }
    return { page, users, rest: restClient(home.server.base_url, await home.addKey(owner)) };
  }

  /** The page of a request, read before the approval. */
  async function approved(page: Page, id: string) {
    await page.goto(`/approvals/${id}`);
    const shown = {
      messageId: await textOf(page, 'message-id'),
      from: await textOf(page, 'message-from'),
      to: await page.locator('#recipients li').allTextContents(),
      subject: await textOf(page, 'message-subject'),
      text: await textOf(page, 'message-text'),
    };
    await decide(page, 'Approve');
    expect(await stateOn(page)).toBe('Executed');
    return shown;
  }

  /** The same message as the page would show it. Its text must be equal, character by character. */
  function asShown({ from, subject, text, ...mail }: PythonMail) {
    return {
      ...mail,
      from: from.join(),
      subject: visibleText(subject),
      text: text.replace(/\n$/, ''),
    };
  }

  /** The messages in a mailbox of the provider, once all have arrived. */
  async function arrivedAt(user: string): Promise<PythonMail[]> {
    await home.postfix.delivered();
    return byId(await readWithPython(await home.dovecot.messages(user)));
  }

  const byId = <T extends { readonly messageId: string }>(messages: readonly T[]) =>
    messages.toSorted((one, other) => (one.messageId < other.messageId ? -1 : 1));

  it('is what arrives: new messages', async () => {
    const { page, rest } = await setUp('grace@example.org');
    const letter = fc.record({
      account,
      subject,
      body,
      to: fc.shuffledSubarray([0, 1, 2], { minLength: 1 }),
    });
    const property = fc.asyncProperty(batchOf(letter), async (letters) => {
      const users = [home.dovecot.addUser(), home.dovecot.addUser(), home.dovecot.addUser()];
      const sent = [];
      for (const { account, subject, body, to: indexes } of letters) {
        const to = indexes.map((index) => addressOf(users[index] ?? ''));
        const asked = await rest.post('/v1/messages', { to, subject, body, account_id: account + 1 });
        const shown = await approved(page, filedIn(asked));
        expect(shown.to).toEqual(to);
        expect(shown.text).toBe(normalBody(body) + SIGNED[account]);
        sent.push({ ...shown, asked: subject });
      }
      for (const user of users) {
        const expected = byId(sent.filter(({ to }) => to.includes(addressOf(user))));
        const arrived = await arrivedAt(user);
        expect(arrived.map(asShown)).toEqual(expected.map(({ asked, ...shown }) => shown));
        expect(arrived.map((mail) => mail.subject)).toEqual(expected.map(({ asked }) => asked));
      }
    });
    await fc.assert(property, { numRuns: sizeOf('seen is sent: letters', 3, 1), endOnFailure: true });
  });

  it('is what arrives: replies that quote untrusted text', async () => {
    const { page, users, rest } = await setUp('heidi@example.org');
    const question = fc.record({ account, subject: strangersText, text: strangersText, body });
    const property = fc.asyncProperty(batchOf(question), async (questions) => {
      const asker = home.dovecot.addUser();
      const sent = [];
      for (const { account, subject, text, body } of questions) {
        await home.dovecot.deliver(users[account] ?? '', strangersMail(asker, subject, text));
        const { id } = await rest.newest({ account_id: String(account + 1) });
        const asked = await rest.post(`/v1/messages/${id}/reply`, { body });
        const shown = await approved(page, filedIn(asked));
        expect(shown.to).toEqual([addressOf(asker)]);
        expect(shown.text.startsWith(`${normalBody(body)}\n\nOn `)).toBe(true);
        expect(shown.text.endsWith(SIGNED[account] ?? 'no account')).toBe(true);
        sent.push(shown);
      }
      expect((await arrivedAt(asker)).map(asShown)).toEqual(byId(sent));
    });
    await fc.assert(property, { numRuns: sizeOf('seen is sent: letters', 2, 1), endOnFailure: true });
  });
});

/** The number of messages sent before the test checks what has arrived. */
function batchOf<T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  const length = sizeOf('seen is sent: letters', 8, 5);
  return fc.uniqueArray(one, { minLength: length, maxLength: length, selector: JSON.stringify });
}

function strangersMail(asker: string, subject: string, text: string): string {
  const base64 = (of: string) => Buffer.from(of).toString('base64');
  const words = (subject.match(/.{1,10}/gsu) ?? []).map((word) => `=?utf-8?B?${base64(word)}?=`);
  return [
    `From: ${addressOf(asker)}`,
    `Subject: ${words.join('\r\n ')}`,
    `Message-ID: <${randomUUID()}@example.test>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(base64(text).match(/.{1,76}/g) ?? []),
    '',
  ].join('\r\n');
}
