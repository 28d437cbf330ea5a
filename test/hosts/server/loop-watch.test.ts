import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { apiRequestName, dashboardRequestName } from '../../../hosts/server/listeners/request-names.ts';
import { blockedMs } from '../../../hosts/server/loop-watch.ts';
import { bundleForChild } from '../../run-typescript.ts';

describe('the event loop', () => {
  it.each([
    ['a timer on time', 100, 2, undefined],
    ['a timer a little late', 300, 200, undefined],
    ['a block', 2100, 1990, 2000],
    ['a block on a busy machine', 5100, 600, 5000],
    ['a suspended process', 1500, 10, undefined],
    ['a process suspended for an hour, busy before and after', 3_600_000, 400, undefined],
  ])('is blocked or not: %s', (_what, nowMs, cpuMs, blocked) => {
    expect(blockedMs({ nowMs: 0, cpuMs: 0 }, { nowMs, cpuMs })).toBe(blocked);
  });

  it('is reported as blocked with what ran, but not after the process was suspended', async () => {
    const bundle = await bundleForChild(join(import.meta.dirname, 'loop-watch-child.ts'));
    const child = spawn(process.execPath, [bundle], { stdio: ['pipe', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    await once(child.stdout, 'data');
    child.kill('SIGSTOP');
    // How long the process is suspended: longer than the threshold of a block.
    await setTimeout(1500);
    child.kill('SIGCONT');
    child.stdin.write('block\n');
    await once(child, 'close');
    const { suspended, blocked } = JSON.parse(printed.replace('ready\n', ''));
    expect(suspended).toEqual([]);
    expect(blocked).toEqual([
      { message: 'the event loop was blocked', blocked_ms: expect.any(Number), during: 'archive_email' },
    ]);
    expect(blocked[0].blocked_ms).toBeGreaterThan(250);
  });
});

describe('the name of a request', () => {
  const head = (method: string, target: string) => ({ method, target, headers: {}, peer: '' });

  it.each([
    ['GET', '/v1/messages/msg_secret?q=word', 'GET /v1/messages/{id}'],
    ['POST', '/v1/tools/send_email', 'POST /v1/tools/{name}'],
    ['POST', '/mcp', 'MCP'],
    ['GET', '/secret', 'another API request'],
    ['SECRET', '/v1/messages', 'another API request'],
  ])('of the API reveals nothing about the caller: %s %s', (method, target, name) => {
    expect(apiRequestName(head(method, target))).toBe(name);
  });

  it.each([
    ['GET', '/sign-in?next=secret', 'GET /sign-in'],
    ['GET', '/', 'GET /'],
    ['POST', '/approvals/apr_secret/approve', 'POST /approvals/{id}/approve'],
    ['GET', '/trackers/12345', 'GET /trackers/{id}'],
    ['POST', '/integrations/secret/modes', 'POST /integrations/{id}/modes'],
    ['GET', '/secret', 'another dashboard request'],
    ['SECRET', '/accounts', 'another dashboard request'],
  ])('of the dashboard reveals nothing about the caller: %s %s', (method, target, name) => {
    expect(dashboardRequestName(head(method, target))).toBe(name);
  });
});
