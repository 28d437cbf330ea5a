import { expect, it } from 'vitest';
import { ServiceError } from '../../../core/contract/errors.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { sqliteOnClock } from '../../store-clock.ts';
import { openDashboard } from './open-dashboard.ts';

// Storage that fails at one of its look-ups, while a page loads.

it('a page loads whole, or says that nothing was changed, whichever look-up fails', async () => {
  const real = sqliteOnClock(':memory:', Date.now);
  const called = new Set<keyof Storage>();
  let failing: keyof Storage | undefined;
  const storage = new Proxy(real, {
    get(_storage, verb: keyof Storage) {
      const work = real[verb] as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        called.add(verb);
        if (verb !== failing) return work(...args);
        return Promise.reject(new ServiceError('temporarily_unavailable', { details: { retry_after_s: 1 } }));
      };
    },
  });
  const dashboard = await openDashboard({ storage });
  const { key } = dashboard;
  const listed = await key.call('summarize_inbox', {});
  const messages = [...JSON.stringify(listed).matchAll(/m1_[\w-]+/g)].map(([id]) => id);
  await key.call('get_email', { id: messages[0] });
  for (const id of messages.slice(0, 2)) await key.call('archive_email', { id });
  const waiting = await dashboard.ask({ subject: 'Confidential' });
  await dashboard.service.approvals.reject(dashboard.ownerId, await dashboard.ask({ subject: 'Rejected' }));
  await key.call('create_tracker', { title: 'The roof' });
  const headers = { cookie: await dashboard.cookie() };
  const list = await dashboard.send({ path: '/approvals', headers });
  const together = /\/approvals\/together\/[\w-]+/.exec(list.body)?.[0] ?? 'none';

  // Elements of a page, or rows of a file.
  const parts = (body: string) => body.split(/<|\n/).length;
  const wrong: string[] = [];
  const failed = new Map<string, number>();
  for (const path of [
    ...['/approvals', `/approvals/${waiting}`, together, '/activity', '/activity/export.csv'],
    ...['/accounts', '/accounts/1/folders', '/accounts/1/senders', '/integrations', '/integrations/webhooks'],
    ...['/trackers', '/trackers/1', '/settings', '/settings/password', '/settings/remove'],
  ]) {
    called.clear();
    const whole = await dashboard.send({ path, headers });
    expect(whole.status, path).toBe(200);
    for (const verb of [...called]) {
      failing = verb;
      const { status, body } = await dashboard.send({ path, headers });
      failing = undefined;
      if (status === 503 && body.includes('Nothing was changed, and what waits for you keeps waiting.')) {
        failed.set(path, (failed.get(path) ?? 0) + 1);
        if (body.includes('Confidential')) wrong.push(`${path} shows a part without ${verb}`);
      } else if (status !== 200) {
        wrong.push(`${path} without ${verb}: ${status}`);
      } else if (parts(body) !== parts(whole.body)) {
        wrong.push(`${path} is incomplete without ${verb}`);
      }
    }
    if (!failed.has(path)) wrong.push(`${path} needs nothing`);
  }
  expect(wrong).toEqual([]);
});
