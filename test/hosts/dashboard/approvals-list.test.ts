import { describe, expect, it } from 'vitest';
import { sandboxCalendar } from '../../../adapters/sandbox/calendar.ts';
import { ServiceError } from '../../../core/contract/errors.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { calendarOf, event } from '../../contracts/calendar/scene.ts';
import { approvalOf } from '../../core/scene.ts';
import { sqliteOnClock } from '../../store-clock.ts';
import { type Dashboard, EMAIL, openDashboard } from './open-dashboard.ts';

/** The text of each row, top to bottom. */
async function rowsOf({ send, cookie }: Dashboard): Promise<string[]> {
  const { status, body } = await send({ path: '/approvals', headers: { cookie: await cookie() } });
  expect(status).toBe(200);
  const rows = body.split('<div class="row-head">').slice(1);
  return rows.map((row) =>
    (row.split('</section>')[0] ?? '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

/** SQLite that notes which sealed texts are looked up, and returns the gists as `gists` changes them. */
function watchedStorage(gists = (found: Awaited<ReturnType<Storage['gists']>>) => found) {
  const storage = sqliteOnClock(':memory:', Date.now);
  const lookUps: string[] = [];
  const watched: Storage = {
    ...storage,
    plan(...query) {
      lookUps.push('plan');
      return storage.plan(...query);
    },
    async gists(...query) {
      lookUps.push('gists');
      return gists(await storage.gists(...query));
    },
  };
  return { storage: watched, lookUps };
}

describe('the list of requests', () => {
  it('reads no plan, not even of an event with 2,000 attendees', async () => {
    const calendar = sandboxCalendar({ samples: [] });
    const { storage, lookUps } = watchedStorage();
    const dashboard = await openDashboard({ calendar, storage });
    const guests = Array.from({ length: 2000 }, (_, n) => `ATTENDEE:mailto:guest-${n}@atlas.example`);
    const account = { ownerId: dashboard.ownerId, accountId: 1, email: EMAIL, settings: async () => ({}) };
    const lines = [
      'SUMMARY:All hands',
      'DTSTART:20300301T090000Z',
      'DURATION:PT1H',
      `ORGANIZER:mailto:${EMAIL}`,
    ];
    await calendar.put(account, 'large.ics', calendarOf(event('large', ...lines, ...guests)));
    const numbered = { calendar: 'Calendar', uid: 'large', recurrenceId: null };
    const [event_id] = await storage.eventNumbers(dashboard.ownerId, 1, [numbered]);
    const filed = [];
    for (const title of ['Town hall', 'Town hall \u202e2']) {
      const key = await dashboard.addKey('full');
      filed.push(approvalOf(await key.call('update_event', { event_id, title })).id);
    }
    await dashboard.service.approvals.reject(dashboard.ownerId, filed[0] ?? '');
    await dashboard.ask({ to: ['ada@example.net', 'cy@example.net'], subject: 'Hello <b>' });

    const when = 'Fri, 1 Mar 2030, 09:00 to 10:00 UTC';
    const rows = await rowsOf(dashboard);
    expect(rows).toHaveLength(3);
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Send to ada@example\.net , cy@example\.net : Hello &lt;b> /),
        expect.stringContaining(`Change Town hall ⟨U+202E⟩2 : ${when} `),
        expect.stringContaining(`Change Town hall : ${when} `),
      ]),
    );
    expect(rows[2]).toContain('Rejected');
    expect(lookUps).toEqual(['gists', 'gists']);
  });

  it('shows the findings about what waits, and none about what is decided', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({});
    const finding = 'Unusual: new recipient';
    expect(await rowsOf(dashboard)).toEqual([expect.stringContaining(finding)]);
    await dashboard.service.approvals.reject(dashboard.ownerId, id);
    expect(await rowsOf(dashboard)).toEqual([expect.not.stringContaining(finding)]);
  });

  it.each([
    ['was filed before gists were kept', () => null, 'Open it to see what it asks for.'],
    [
      'has a gist that does not open',
      () => 'not sealed here',
      'Its summary cannot be read. Open it to see what it asks for.',
    ],
    ['has been erased', () => undefined, 'Its content has been erased.'],
  ])('says so if a request %s', async (_what, stored, text) => {
    const { storage } = watchedStorage((found) => {
      const gist = stored();
      return new Map(gist === undefined ? [] : [...found.keys()].map((id) => [id, gist]));
    });
    const dashboard = await openDashboard({ storage });
    await dashboard.ask({ subject: 'Hello' });
    const [row] = await rowsOf(dashboard);
    expect(row).toContain(text);
    expect(row).toMatch(/^Send a new message .* from agent /);
    expect(row).not.toContain('Hello');
  });

  it.each([
    [new ServiceError('temporarily_unavailable', { details: { retry_after_s: 1 } }), 503],
    [new Error('disk I/O error'), 500],
  ])('says what to do if storage fails while it loads: %s', async (error, status) => {
    let isAway = false;
    const storage = sqliteOnClock(':memory:', Date.now);
    const failing: Storage = {
      ...storage,
      approvals: (query) => (isAway ? Promise.reject(error) : storage.approvals(query)),
    };
    const dashboard = await openDashboard({ storage: failing });
    const id = await dashboard.ask({});
    const headers = { cookie: await dashboard.cookie() };
    isAway = true;
    const failed = await dashboard.send({ path: '/approvals', headers });
    expect(failed.status).toBe(status);
    expect(failed.body).toContain('Nothing was changed, and what waits for you keeps waiting.');
    expect(failed.body).not.toContain('disk');
    // Deciding works, though the next request cannot be looked up: the owner is told to check.
    const answer = await dashboard.submit({ path: `/approvals/${id}/reject`, headers });
    expect(answer.status).toBe(status);
    expect(answer.body).toContain('may or may not have been done. Check before you repeat it.');
    isAway = false;
    expect((await dashboard.service.approvals.show(dashboard.ownerId, id))?.approval.state).toBe('rejected');
    expect((await dashboard.send({ path: '/approvals', headers })).status).toBe(200);
  });

  it('says what to do next if nothing waits', async () => {
    const dashboard = await openDashboard();
    const { body } = await dashboard.send({
      path: '/approvals',
      headers: { cookie: await dashboard.cookie() },
    });
    expect(body).toContain('<h1>Nothing waits for you</h1>');
    expect(body).toContain('A request appears here as soon as a program asks');
    expect(body).toContain('href="/integrations"');
  });

  it('shows 50 items, and the rest one tap away', async () => {
    const dashboard = await openDashboard();
    const limits = { waitingPerKey: 100, waitingPerOwner: 100, filedPerDay: 1000 };
    await dashboard.service.owners.update(dashboard.ownerId, { limits });
    const filed = [];
    for (let n = 0; n < 53; n++) filed.push(await dashboard.ask({ subject: `Letter ${n}` }));
    const headers = { cookie: await dashboard.cookie() };
    const idsAt = async (path: string) => {
      const { body } = await dashboard.send({ path, headers });
      return { body, ids: [...body.matchAll(/<li id="(apr_[^"]+)"/g)].map(([, id]) => id) };
    };
    const first = await idsAt('/approvals');
    expect(first.body).toContain('<h1>53 requests wait</h1>');
    expect(first.ids).toEqual(filed.slice(0, 50));
    expect(first.body).toContain('href="/approvals?from=50">3 more below');
    const second = await idsAt('/approvals?from=50');
    expect(second.ids).toEqual(filed.slice(50));
    expect((await idsAt('/approvals?from=999')).ids).toEqual(first.ids);
  });
});
