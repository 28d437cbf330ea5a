import { execFile, spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approvesIn } from '../e2e/approves-in-app.ts';
import { running } from '../e2e/installed-package.ts';
import { browserIsMissing, inBrowser, openBrowser } from '../servers/browser.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { freePorts } from '../servers/ports.ts';
import { hasRegistry, npm } from './npm.ts';
import { type PackedPackage, packPackage } from './packed-package.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Next is 340 MB, so it is not a dependency: only this project gets it. */
const NEXT = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'];

const missing = (await hasRegistry()) ? [] : ['the npm registry'];

describe.skipIf(browserIsMissing || missing.length > 0)(
  inBrowser(titledWithout(missing, 'examples/next on the packed package')),
  () => {
    let packed: PackedPackage;
    let project: string;
    let browser: Browser;
    beforeAll(async () => {
      packed = await packPackage();
      project = await packed.install();
      const driver = process.versions.node.startsWith('20.')
        ? join(ROOT, 'node_modules/better-sqlite3')
        : 'better-sqlite3@13';
      await npm(project, ['install', '--ignore-scripts', driver, ...NEXT]);
      cpSync(join(ROOT, 'examples'), join(project, 'examples'), { recursive: true });
      browser = await openBrowser();
    });
    afterAll(() => packed?.remove());

    it('is built and served by Next, its user approves, and it stops the service', async () => {
      const next = join(project, 'node_modules/next/dist/bin/next');
      const cwd = join(project, 'examples');
      const { PATH } = process.env;
      const [port = 0] = await freePorts(1);
      const env = { PATH, PORT: String(port), NEXT_MANUAL_SIG_HANDLE: 'true', NEXT_TELEMETRY_DISABLED: '1' };
      await promisify(execFile)(process.execPath, [next, 'build', 'next'], { cwd, env });
      const app = running(
        spawn(process.execPath, [next, 'start', 'next'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }),
      );
      await approvesIn(app, browser);
      app.kill('SIGTERM');
      expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
    });
  },
);
