import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserIsMissing, inBrowser, openBrowser, press } from '../servers/browser.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { decide, signedIn, stateOn } from './owner-pages.ts';
import { filedIn, restClient } from './rest-client.ts';
import { type SelfHosted, selfHosted } from './self-hosted.ts';

const skipped = browserIsMissing || missingServers().length > 0;
const NEW_PASSWORD = 'changed-at-the-provider';

describe.skipIf(skipped)(inBrowser(titled('a password that changed at the mail server')), () => {
  let home: SelfHosted;
  let browser: Browser;
  beforeAll(async () => {
    home = await selfHosted();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await home?.stop();
  });

  it('is noticed at once, and is updated in place with nothing lost', async () => {
    const { dovecot } = home;
    const owner = await home.addOwner('grace@example.org');
    const user = await home.addAccount(owner);
    const rest = restClient(home.server.base_url, await home.addKey(owner));
    const recipient = dovecot.addUser();
    const ask = async (subject: string) =>
      filedIn(await rest.post('/v1/messages', { to: [addressOf(recipient)], subject, body: 'Hello.' }));
    const [approved, pending] = [await ask('Approved meanwhile'), await ask('Waits')];
    const page = await signedIn(browser, home.server.dashboard_url, owner);

    await dovecot.setPassword(NEW_PASSWORD);
    await page.goto(`/approvals/${approved}`);
    await decide(page, 'Approve');
    await page.goto(`/approvals/${approved}`);
    expect(await stateOn(page)).toBe('Approved');
    expect(await page.locator('#meaning').textContent()).toContain('The mail server refused the password');
    await page.goto('/approvals');
    expect(await page.locator('.to-mend').textContent()).toContain(addressOf(user));

    await page.goto('/accounts');
    const account = page.locator('.rows > li').filter({ hasText: addressOf(user) });
    expect(await account.innerText()).toMatch(/Sending mail\s+Does not work The SMTP server does not accept/);
    await press(page, 'Check now');
    expect(await account.innerText()).toMatch(/Reading mail\s+Does not work The IMAP server does not accept/);

    await account.getByRole('link', { name: 'Update password' }).click();
    await page.getByLabel('New password').fill(PASSWORD);
    await press(page, 'Update password');
    expect(await page.getByRole('alert').innerText()).toContain('Nothing was saved.');
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await press(page, 'Update password');
    expect(await page.getByRole('status').textContent()).toContain('The password is updated.');
    expect(await account.innerText()).not.toContain('Does not work');
    expect(await page.content()).not.toContain(NEW_PASSWORD);

    // The servers can be changed in place, too. Those that are trusted stay trusted.
    await account.getByRole('link', { name: 'Change servers' }).click();
    expect(await page.getByLabel('IMAP port').inputValue()).toBe(String(dovecot.port));
    await press(page, 'Use these servers');
    await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
    await press(page, 'Connect account');
    expect(await page.getByRole('status').textContent()).toContain('The servers are changed.');

    const stateOf = async (id: string) => (await rest.get(`/v1/approvals/${id}`)).body;
    const executed = { executed: true, result: { approval: { state: 'executed' } } };
    await expect.poll(() => stateOf(approved), { interval: 1000 }).toMatchObject(executed);
    await page.goto(`/approvals/${pending}`);
    await decide(page, 'Approve');
    expect(await stateOf(pending)).toMatchObject(executed);
    await home.postfix.delivered();
    const subjects = (await dovecot.messages(recipient)).map((one) => /^Subject: (.*)$/m.exec(one)?.[1]);
    expect(subjects.toSorted()).toEqual(['Approved meanwhile', 'Waits']);
  });
});
