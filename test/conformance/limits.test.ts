import { describe, expect, it } from 'vitest';
import type { Plan } from '../../core/keys/permissions.ts';
import { sendBytes } from '../hosts/rest/raw-http.ts';
import { casesOf } from '../only-long.ts';
import { testClock } from '../open-service.ts';
import {
  approvalIn,
  type Door,
  expectFailure,
  FRIEND,
  goesThroughTools,
  OWNER,
  ownDoor,
  refusedFields,
  resultIn,
} from './door.ts';
import { section } from './sections.ts';

// Limits: every number of both plans, at N and N + 1.

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The numbers of each plan. */
const PLANS: Record<
  Plan,
  { minute: number; day: number; filed: number; perKey: number; perUser: number; bulk: number }
> = {
  free: { minute: 20, day: 200, filed: 10, perKey: 3, perUser: 3, bulk: 25 },
  paid: { minute: 60, day: 5000, filed: 100, perKey: 10, perUser: 25, bulk: 50 },
};

/** Moves the clock a little past the next midnight UTC. */
function toTomorrow({ clock }: Door): void {
  clock.shift(DAY_MS - (clock.now().getTime() % DAY_MS) + 1000);
}

section('Limits', () => {
  const plans = casesOf(
    'tool door: plans',
    ['free', 'paid'] as const,
    (plan) => plan === 'free' || !goesThroughTools(),
  );
  describe.each(plans)('of the %s plan', (plan) => {
    const limits = PLANS[plan];

    it(`calls per minute and key: ${limits.minute}, in a window that starts with the first`, async () => {
      const own = await ownDoor({ plan, planLimits: true });
      const remaining: string[] = [];
      for (let n = 0; n < limits.minute; n++) {
        const { status, headers } = await own.call('GET', '/v1/me');
        expect(status).toBe(200);
        remaining.push(headers.get('ratelimit-remaining') ?? '');
        expect(headers.get('ratelimit-limit')).toBe(String(limits.minute));
        expect(headers.get('ratelimit-policy')).toBe(`${limits.minute};w=60`);
      }
      expect(remaining).toEqual(
        Array.from({ length: limits.minute }, (_, n) => String(limits.minute - 1 - n)),
      );
      const over = await own.call('GET', '/v1/me');
      expectFailure(over, 429, 'rate_limited', { retry_after_s: expect.any(Number) as unknown });
      expect(over.headers.get('ratelimit-remaining')).toBe('0');
      expect(over.headers.get('retry-after')).toBe(over.headers.get('ratelimit-reset'));
      expect((await own.call('GET', '/v1/me', { key: await own.key() })).status).toBe(200);
      own.clock.shift(MINUTE_MS);
      expect((await own.call('GET', '/v1/me')).headers.get('ratelimit-remaining')).toBe(
        String(limits.minute - 1),
      );
    });

    it(`calls per day and user: ${limits.day}, over all keys, until midnight UTC`, async () => {
      const own = await ownDoor({ plan, planLimits: true });
      const { service } = own.server;
      toTomorrow(own);
      const keys = [own.server.apiKey, await own.key()];
      // Admits and finishes as the door does, without the socket. The minute moves on before it is used up.
      for (let n = 0; n < limits.day; n++) {
        if (n % limits.minute === 0) own.clock.shift(MINUTE_MS);
        const admission = await service.calls.admitCaller({ token: keys[n % 2], address: '192.0.2.1' });
        if (admission.kind !== 'admitted')
          throw new Error(`call ${n} was not admitted: ${admission.failure.code}`);
        await service.calls.endCall(admission.caller, 'ok');
      }
      own.clock.shift(MINUTE_MS);
      for (const key of keys) {
        const over = await own.call('GET', '/v1/me', { key });
        expectFailure(over, 429, 'daily_limit_reached', {
          resets_at: expect.stringMatching(/T00:00:00\.000Z$/) as unknown,
        });
        expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(60);
      }
      toTomorrow(own);
      expect((await own.call('GET', '/v1/me')).status).toBe(200);
    });

    it(`approval requests created per day and key: ${limits.filed}; only filed ones count`, async () => {
      const own = await ownDoor({
        plan,
        planLimits: true,
        limits: { callsPerMinute: 10_000, callsPerDay: 10_000 },
      });
      toTomorrow(own);
      const file = (key = own.server.apiKey) => own.call('POST', '/v1/messages', { body: own.letter(), key });
      for (let n = 0; n < limits.filed; n++) {
        const { id } = approvalIn(await file());
        await own.call('POST', `/v1/approvals/${id}/cancel`);
      }
      expectFailure(await file(), 402, 'quota_exceeded', {
        resets_at: expect.stringMatching(/T00:00:00\.000Z$/) as unknown,
      });
      expect((await file(await own.key())).status).toBe(202);
      toTomorrow(own);
      expect((await file()).status).toBe(202);
    });

    it(`pending requests: ${limits.perKey} of a key, ${limits.perUser} of a user`, async () => {
      const own = await ownDoor({ plan, planLimits: true, limits: { callsPerMinute: 10_000 } });
      const file = (key: string) => own.call('POST', '/v1/messages', { body: own.letter(), key });
      const first = await own.key();
      const ids: string[] = [];
      for (let n = 0; n < limits.perKey; n++) ids.push(approvalIn(await file(first)).id);
      const over = await file(first);
      expectFailure(over, 429, 'too_many_pending', { retry_after_s: expect.any(Number) as unknown });
      expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
      let waiting = limits.perKey;
      while (waiting < limits.perUser) {
        const key = await own.key();
        for (let n = 0; n < limits.perKey && waiting < limits.perUser; n++, waiting++) {
          expect((await file(key)).status).toBe(202);
        }
      }
      const fresh = await own.key();
      expectFailure(await file(fresh), 429, 'too_many_pending');
      await own.reject(ids[0] ?? '');
      expect((await file(fresh)).status).toBe(202);
    });

    it(`messages of a bulk request: ${limits.bulk}`, async () => {
      const own = await ownDoor({ plan, samples: () => [] });
      for (let n = 0; n <= limits.bulk; n++) await own.deliver();
      const ids: string[] = [];
      for (let cursor = ''; ids.length <= limits.bulk; ) {
        const page = resultIn(await own.call('GET', `/v1/messages?limit=50${cursor}`));
        ids.push(...(page.messages as { id: string }[]).map(({ id }) => id));
        cursor = `&cursor=${String(page.next_cursor)}`;
      }
      expectFailure(await own.tool('flag_email', { ids }), 400, 'too_many_targets', {
        max_targets: limits.bulk,
      });
      expect((await own.tool('archive_email', { ids: ids.slice(1) })).status).toBe(202);
    });

    it('calls of a key at a time: 2', async () => {
      let open = () => {};
      const isOpen = new Promise<void>((resolve) => (open = resolve));
      let isConnected = false;
      let inside = 0;
      let reached = () => {};
      const both = new Promise<void>((resolve) => (reached = resolve));
      const clock = testClock();
      const own = await ownDoor({
        plan,
        // So long a call through the tool protocol waits for its turn.
        given: { clock: { ...clock, after: (ms, task) => clock.after(ms === 5000 ? 50 : ms, task) } },
        mailAs: (mail) => ({
          ...mail,
          folders: async (call, options) => {
            if (!isConnected) return mail.folders(call, options);
            inside += 1;
            if (inside === 2) reached();
            await isOpen;
            return mail.folders(call, options);
          },
        }),
      });
      isConnected = true;
      const running = [own.call('GET', '/v1/folders'), own.call('GET', '/v1/folders')];
      await both;
      const over = await own.call('GET', '/v1/me');
      expectFailure(over, 429, 'busy', { retry_after_s: 1 });
      expect(over.headers.get('retry-after')).toBe('1');
      expect((await own.call('GET', '/v1/me', { key: await own.key() })).status).toBe(200);
      open();
      expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
      expect((await own.call('GET', '/v1/me')).status).toBe(200);
    });
  });

  it('a row limit: 1 to 50, default 20', async () => {
    const own = await ownDoor();
    for (const path of ['/v1/messages', '/v1/approvals', `/v1/threads/${await own.deliver()}`]) {
      for (const limit of [1, 50]) expect((await own.call('GET', `${path}?limit=${limit}`)).status).toBe(200);
      for (const limit of [0, 51])
        expect(refusedFields(await own.call('GET', `${path}?limit=${limit}`))).toEqual(['limit']);
    }
  });

  it('errors, replays and polls count as calls; refusals by a limit and unknown routes do not', async () => {
    const own = await ownDoor({ planLimits: true });
    const left = async (path: string, method: 'GET' | 'PUT' = 'GET') =>
      Number((await own.call(method, path)).headers.get('ratelimit-remaining'));
    expect(await left('/v1/me')).toBe(59);
    expect(await left('/v1/messages?limit=0')).toBe(58);
    expect(await left('/v1/approvals/apr_x')).toBe(57);
    await own.call('GET', '/v1/nowhere');
    await own.call('PUT', '/v1/me');
    expect(await left('/v1/me')).toBe(56);
  });

  it.each([
    ['something other than HTTP', 'NONSENSE\r\n\r\n', 400],
    ['an oversized head', `GET /v1/me HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s is answered with the common headers too', async (_name, bytes, status) => {
    const own = await ownDoor();
    const answer = await sendBytes(own.server.port, bytes);
    expect(answer).toMatchObject({
      status,
      headers: { 'ratelimit-limit': '60', 'ratelimit-policy': '60;w=60' },
    });
    expect(Object.keys(answer.headers)).toEqual(
      expect.arrayContaining(['ratelimit-remaining', 'ratelimit-reset', 'x-request-id']),
    );
  });

  it('callers without a key have 60 calls a minute per address', async () => {
    const own = await ownDoor();
    const ask = () =>
      own.call('GET', '/v1/me', { key: 'nobody', headers: { 'x-forwarded-for': '198.51.100.9' } });
    for (let n = 0; n < 60; n++) expect((await ask()).status).toBe(401);
    expectFailure(await ask(), 429, 'rate_limited');
  });
});

section('Notes: Where the contract is silent', () => {
  it.each([
    ['free', 'approval', 'direct'],
    ['paid', 'direct', 'direct'],
  ] as const)(
    'the %s plan: mail:send direct counts as %s, mail:organize as %s',
    async (plan, send, organize) => {
      const own = await ownDoor({ plan });
      const key = await own.key({ modes: { 'mail:send': 'direct', 'mail:organize': 'direct' } });
      const { json } = await own.call('GET', '/v1/me', { key });
      expect(json).toMatchObject({
        plan,
        permissions: { groups: { 'mail:send': send, 'mail:organize': organize } },
      });
      const sent = await own.call('POST', '/v1/messages', { body: own.letter(), key });
      expect(sent.status).toBe(send === 'direct' ? 200 : 202);
    },
  );

  it.each([
    ['free', 202],
    ['paid', 200],
  ] as const)('on the %s plan several flags in one call: %i', async (plan, status) => {
    const own = await ownDoor({ plan });
    const ids = [await own.deliver(), await own.deliver()];
    expect((await own.tool('flag_email', { ids: ids.slice(1) })).status).toBe(200);
    expect((await own.tool('flag_email', { ids })).status).toBe(status);
  });

  it('the send limit of a key: 5 in 10 minutes, 20 a day', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'mail:send': 'direct' } });
    const statuses: number[] = [];
    for (let round = 0; round < 5; round++) {
      for (let n = 0; n < 5; n++)
        statuses.push((await own.call('POST', '/v1/messages', { body: own.letter(), key })).status);
      if (round === 0)
        expect((await own.call('POST', '/v1/messages', { body: own.letter(), key })).status).toBe(202);
      own.clock.shift(10 * MINUTE_MS + 1000);
    }
    expect(statuses).toEqual([...Array<number>(20).fill(200), ...Array<number>(5).fill(202)]);
  });

  it('a first-time recipient is an address never written to; it is known once a send was executed', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'mail:send': 'direct' } });
    const to = ['New.Person@example.net'];
    const first = await own.call('POST', '/v1/messages', { body: own.letter({ to }), key });
    expect(first.status).toBe(202);
    await own.approve(approvalIn(first).id);
    const again = await own.call('POST', '/v1/messages', {
      body: own.letter({ to: ['new.person@EXAMPLE.net'] }),
      key,
    });
    expect(again.status).toBe(200);
  });

  it('a bulk change returns an outcome for each message', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'mail:manage': 'direct' } });
    const ids = [await own.deliver(), await own.deliver()];
    const answer = await own.tool('archive_email', { ids }, { key });
    expect(approvalIn(answer).result).toMatchObject({
      done: true,
      action: 'archive',
      items: ids.map((id) => ({ id, account_id: 1, done: true })),
    });
  });

  it('exactly one of id and ids', async () => {
    const own = await ownDoor();
    const id = await own.deliver();
    expect(refusedFields(await own.tool('flag_email', {}))).toEqual(['id']);
    expect(refusedFields(await own.tool('flag_email', { id, ids: [id] }))).toEqual(['id']);
    expect(refusedFields(await own.tool('flag_email', { ids: [] }))).toEqual(['ids']);
  });

  it('details.errors has field, rule and message', async () => {
    const own = await ownDoor();
    const { json } = await own.call('POST', '/v1/messages', { body: own.letter({ to: ['xyz'] }) });
    expect(json.details).toEqual({
      errors: [{ field: 'to[0]', rule: 'pattern', message: expect.any(String) as unknown }],
    });
  });

  it.each([
    ['POST', '/v1/trackers', { title: 'x', due: '2026-02-30' }, 'due: must be a day that exists'],
    ['POST', '/v1/trackers', { title: 'a\nb' }, 'title: must be one line'],
    [
      'POST',
      '/v1/messages',
      { to: ['a..b@example.org'], subject: 'x', body: 'x' },
      'to[0]: must be an address',
    ],
    ['GET', '/v1/messages?since=2026-02-30', undefined, 'since: must be a day that exists'],
    ['GET', '/v1/messages?q=%20', undefined, 'q: must have at least one word'],
  ] as const)(
    'a message of details.errors states the rule: %s %s, row %#',
    async (method, path, body, says) => {
      const own = await ownDoor();
      const { json } = await own.call(method, path, body === undefined ? {} : { body });
      const [{ field, message } = { field: '', message: '' }] = (
        json.details as { errors: { field: string; message: string }[] }
      ).errors;
      expect(`${field}: ${message}`).toContain(says);
    },
  );

  it('quota_exceeded counts pending requests, not direct runs', async () => {
    const own = await ownDoor({ limits: { filedPerDay: 1 } });
    const key = await own.key({ modes: { 'mail:manage': 'direct' } });
    for (let n = 0; n < 3; n++) {
      expect((await own.call('POST', `/v1/messages/${await own.deliver()}/archive`, { key })).status).toBe(
        200,
      );
    }
    const send = () => own.call('POST', '/v1/messages', { body: own.letter(), key });
    expect((await send()).status).toBe(202);
    expectFailure(await send(), 402, 'quota_exceeded');
  });

  it('a label is put on the message', async () => {
    const own = await ownDoor();
    const key = await own.key({ modes: { 'mail:manage': 'direct' } });
    await own.call('POST', `/v1/messages/${await own.deliver()}/label`, { body: { label: 'Bills' }, key });
    const account = { ownerId: own.server.ownerId, accountId: 1, email: OWNER, settings: async () => ({}) };
    expect((await own.server.mail.keywords(account, 'INBOX')).at(-1)).toEqual(['Bills']);
  });
});

section('Notes: Tools and their arguments', () => {
  /** The table of the notes. */
  const TOOLS: [group: string | null, name: string, args: string[]][] = [
    [null, 'get_me', []],
    [null, 'list_approvals', ['state?', 'limit?', 'cursor?']],
    [null, 'get_approval', ['approval_id', 'wait_s?']],
    [null, 'cancel_approval', ['approval_id']],
    ['mail:read', 'list_accounts', ['cursor?']],
    ['mail:read', 'list_folders', ['account_id?', 'cursor?']],
    ['mail:read', 'summarize_inbox', ['account_id?', 'folder?', 'limit?', 'cursor?', 'fields?']],
    ['mail:read', 'list_unread', ['account_id?', 'folder?', 'limit?', 'cursor?', 'fields?']],
    [
      'mail:read',
      'search_inbox',
      ['q?', 'from?', 'since?', 'unread?', 'account_id?', 'folder?', 'limit?', 'cursor?', 'fields?'],
    ],
    ['mail:read', 'get_email', ['id?', 'ids?', 'body_offset?']],
    ['mail:read', 'get_thread', ['id', 'limit?', 'cursor?']],
    ['mail:read', 'list_attachments', ['id?', 'ids?', 'cursor?']],
    ['mail:read', 'read_attachment', ['id', 'index', 'max_chars?', 'offset?']],
    ['mail:send', 'send_email', ['to', 'subject', 'body', 'account_id?']],
    ['mail:send', 'forward_email', ['id', 'to', 'note?']],
    ['mail:reply', 'send_reply', ['id', 'body']],
    ['mail:manage', 'archive_email', ['id?', 'ids?']],
    ['mail:manage', 'delete_email', ['id?', 'ids?']],
    ['mail:manage', 'move_email', ['id?', 'ids?', 'target_folder']],
    ['mail:manage', 'label_email', ['id?', 'ids?', 'label']],
    ['mail:organize', 'mark_read', ['id?', 'ids?']],
    ['mail:organize', 'mark_unread', ['id?', 'ids?']],
    ['mail:organize', 'flag_email', ['id?', 'ids?']],
    ['calendar:read', 'list_events', ['days?', 'past_days?', 'only?', 'cursor?']],
    ['calendar:write', 'create_event', ['title', 'start', 'duration_min?', 'attendee?']],
    ['calendar:write', 'propose_event', ['title', 'start', 'duration_min?', 'attendee?']],
    ['calendar:write', 'update_event', ['event_id', 'title?', 'start?', 'duration_min?', 'attendee?']],
    ['calendar:write', 'cancel_event', ['event_id']],
    ['calendar:write', 'confirm_event', ['event_id']],
    ['trackers:read', 'list_trackers', ['cursor?']],
    ['trackers:read', 'get_tracker', ['tracker_id', 'cursor?']],
    ['trackers:write', 'create_tracker', ['title', 'keywords?', 'due?']],
    ['trackers:write', 'set_tracker_status', ['tracker_id', 'status']],
    ['trackers:write', 'add_tracker_note', ['tracker_id', 'note']],
    ['trackers:write', 'link_to_tracker', ['tracker_id', 'message_id']],
    ['trackers:write', 'link_event_to_tracker', ['tracker_id', 'event_id']],
    ['trackers:remove', 'resolve_tracker', ['tracker_id']],
  ];

  it.each(TOOLS)('%s: %s', async (group, name, args) => {
    const own = await ownDoor();
    const { json } = await own.call('GET', '/v1/tools');
    const listed = (json.tools as { name: string; inputSchema: Schema }[]).find((tool) => tool.name === name);
    const { properties = {}, required = [], ...rest } = listed?.inputSchema ?? {};
    const shown = Object.keys(properties).map((each) => (required.includes(each) ? each : `${each}?`));
    // "What we add": each write tool takes a purpose, and what answers for several messages says which it wants.
    const added = [
      ...(group !== null && !group.endsWith(':read') ? ['purpose?'] : []),
      ...(name === 'get_approval' || (args.includes('ids?') && group !== 'mail:read') ? ['items?'] : []),
    ];
    expect(shown.toSorted()).toEqual([...args, ...added].toSorted());
    expect(rest).toEqual({ type: 'object', additionalProperties: false });
    if (group === null) return;
    const off = await own.key({ modes: { [group]: 'off' } });
    expectFailure(await own.tool(name, {}, { key: off }), 403, 'not_permitted', { group });
  });

  interface Schema {
    readonly properties?: Record<string, unknown>;
    readonly required?: string[];
  }

  it('there are no others', async () => {
    const own = await ownDoor();
    const { json } = await own.call('GET', '/v1/tools');
    const names = (json.tools as { name: string }[]).map(({ name }) => name);
    expect(names.toSorted()).toEqual(TOOLS.map(([, name]) => name).toSorted());
  });

  it('GET /v1/messages chooses its tool by its parameters', async () => {
    const own = await ownDoor();
    await own.deliver({ from: `Maya <${FRIEND}>` });
    const pairs: [string, string, object][] = [
      ['', 'summarize_inbox', {}],
      ['unread=true', 'list_unread', {}],
      ['q=subject', 'search_inbox', { q: 'subject' }],
      ['q=subject&unread=true', 'search_inbox', { q: 'subject', unread: true }],
    ];
    for (const [query, name, args] of pairs) {
      expect((await own.call('GET', `/v1/messages?${query}`)).json).toEqual(
        (await own.tool(name, args)).json,
      );
    }
  });
});
