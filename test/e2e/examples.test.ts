import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCli, type Cli } from '../hosts/server/cli-process.ts';
import { browserIsMissing, inBrowser, openBrowser } from '../servers/browser.ts';
import { type InstalledPackage, installPackage, lineOf } from './installed-package.ts';
import { decide, signedIn } from './owner-pages.ts';

let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installPackage();
});
afterAll(() => installed?.remove());

it('examples/quickstart.mjs holds', async () => {
  expect(await installed.run('quickstart').ended).toEqual({
    code: 0,
    stdout: 'It waited for its owner, and was sent once.\n',
    stderr: '',
  });
});

describe.skipIf(browserIsMissing)(inBrowser('examples/agent.mjs, beside serve --demo'), () => {
  let cli: Cli;
  let server: Awaited<ReturnType<Cli['serve']>>;
  let browser: Browser;
  beforeAll(async () => {
    cli = await buildCli();
    server = await cli.serve(['serve', '--demo', '--json']);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop('SIGTERM');
    cli?.remove();
  });

  it('learns whether its answer was sent', { timeout: 90_000 }, async () => {
    const { owner, api_key } = server;
    if (owner === undefined || api_key === undefined) throw new Error('the demo names no owner');
    const page = await signedIn(browser, server.dashboard_url, owner);
    const asksAndWaits = async (button: 'Approve' | 'Reject') => {
      const agent = installed.run('agent', { COUNTERSIGN_URL: server.base_url, COUNTERSIGN_KEY: api_key });
      await lineOf(agent, (line) => line === `${server.dashboard_url}/approvals`);
      await page.goto('/approvals');
      await page.getByRole('region', { name: 'Waiting for you' }).getByRole('link').click();
      await decide(page, button);
      return agent;
    };
    // Each polls no sooner than it is told to: so both wait at the same time.
    const agents = [await asksAndWaits('Approve'), await asksAndWaits('Reject')];
    const [approved, rejected] = await Promise.all(agents.map(({ ended }) => ended));
    expect(approved).toMatchObject({ code: 0, stderr: '' });
    expect(approved?.stdout).toMatch(/\nexecuted: /);
    expect(rejected).toMatchObject({ code: 1, stderr: '' });
    expect(rejected?.stdout).toMatch(/\nrejected: /);
  });
});
