import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildCli, type Cli, printedBy } from '../hosts/server/cli-process.ts';
import { browserIsMissing, inBrowser, openBrowser, press } from '../servers/browser.ts';
import { signedIn } from './owner-pages.ts';

describe.skipIf(browserIsMissing)(inBrowser('a session'), () => {
  let cli: Cli;
  let browser: Browser;
  beforeAll(async () => {
    cli = await buildCli();
    browser = await openBrowser();
  });
  afterAll(() => cli?.remove());

  it('survives a restart of the server: the browser continues with one click; a new password ends it', async () => {
    const owner = { email: 'grace@example.org', password: 'correct horse battery staple' };
    printedBy(await cli.run(['owner', 'add', owner.email, '--json'], owner.password));
    for (const name of ['One', 'Two']) {
      const key = ['key', 'add', '--owner', owner.email, '--name', name, '--preset', 'read', '--json'];
      printedBy(await cli.run(key));
    }
    // Below the ports that systems assign, so that nothing takes it between the two starts.
    const env = { COUNTERSIGN_PORT: String(20_000 + 2 * (process.pid % 5000)) };
    const first = await cli.serve(['serve', '--json'], env);
    const address = new URL(first.dashboard_url);
    address.hostname = 'countersign.localhost';
    const page = await signedIn(browser, address.origin, owner, '/integrations');
    const revoke = async () => {
      await page.getByRole('link', { name: 'Revoke' }).first().click();
      await press(page, 'Revoke');
    };
    await revoke();
    expect(await page.getByRole('status').textContent()).toContain('The key is revoked.');
    expect((await first.stop('SIGTERM')).code).toBe(0);

    const second = await cli.serve(['serve', '--json'], env);
    onTestFinished(async () => {
      await second.stop('SIGTERM');
    });
    expect(second.dashboard_url).toBe(first.dashboard_url);
    await page.goto('/integrations');
    await revoke();
    expect(await page.getByRole('status').textContent()).toContain('The key is revoked.');
    expect(await page.getByRole('link', { name: 'Revoke' }).count()).toBe(0);

    printedBy(await cli.run(['owner', 'password', owner.email, '--json'], 'another long password'));
    await page.goto('/integrations');
    expect(page.url()).toContain('/sign-in');
  });
});
