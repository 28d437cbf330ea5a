import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { casesOf } from '../only-long.ts';
import { browserIsMissing, inBrowser, openBrowser } from '../servers/browser.ts';
import { nginxIsMissing, startNginx } from '../servers/nginx.ts';
import { freePorts } from '../servers/ports.ts';
import { approvesIn } from './approves-in-app.ts';
import { type InstalledPackage, installPackage } from './installed-package.ts';

describe.skipIf(browserIsMissing)(inBrowser('the user of an app approves in it'), () => {
  let installed: InstalledPackage;
  let browser: Browser;
  beforeAll(async () => {
    installed = await installPackage();
    browser = await openBrowser();
  });
  afterAll(() => installed?.remove());

  const apps: readonly (readonly [string, readonly string[]])[] = [
    ['express', []],
    ['koa', []],
    ['fastify', []],
    ['fastify', ['parsed']],
    ['hono', []],
  ];
  const inGate = casesOf('apps: frameworks', apps, ([name, args]) => name === 'hono' || args.length > 0);
  it.each(inGate)('examples/%s.mjs %j', async (name, args) => {
    const [port = 0] = await freePorts(1);
    const app = installed.run(name, { PORT: String(port) }, args);
    await approvesIn(app, browser);
    app.kill('SIGTERM');
    expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it.skipIf(nginxIsMissing)('examples/express.mjs behind nginx', async () => {
    const [port = 0] = await freePorts(1);
    const nginx = await startNginx(
      `location / {
        proxy_pass http://127.0.0.1:${port};
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $remote_addr;
      }
      location /stripped/ {
        proxy_pass http://127.0.0.1:${port}/countersign/countersign/;
        proxy_set_header Host $http_host;
      }`,
    );
    onTestFinished(() => nginx.stop());
    const origin = `http://127.0.0.1:${nginx.port}`;
    const app = installed.run('express', { PORT: String(port), APP_URL: origin });
    await approvesIn(app, browser);
    const doubled = await fetch(`${origin}/stripped/approvals`);
    expect(doubled.status).toBe(421);
    expect(await doubled.json()).toMatchObject({ details: { expected: `${origin}/countersign` } });
    app.kill('SIGTERM');
    expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
  });
});
