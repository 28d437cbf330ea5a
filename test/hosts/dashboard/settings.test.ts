import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ServiceError } from '../../../core/contract/errors.ts';
import { formToken } from '../../../hosts/dashboard/forms/csrf.ts';
import { addApp } from './authenticator-app.ts';
import { type Dashboard, EMAIL, openDashboard, PASSWORD } from './open-dashboard.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NEW = 'another long password';
/** Enough for several pages of the export. */
const MANY = { callsPerMinute: 1000, waitingPerKey: 1000, waitingPerOwner: 1000, filedPerDay: 1000 };

const CHANNEL = {
  ...{ channelId: 'ntc_1', isConfirmed: true, failingSince: null, problem: null },
  createdAt: new Date('2026-01-01T00:00:00Z'),
};

const exported = z.looseObject({
  requests: z.array(
    z.object({
      approval: z.object({ id: z.string() }),
      content: z.object({ kind: z.string(), message: z.object({ bytes: z.base64() }) }),
    }),
  ),
  activity: z.array(z.unknown()),
  events: z.array(z.unknown()),
  is_complete: z.boolean(),
});

/** Sends a form as a browser without scripts does. */
function sender(dashboard: Dashboard, cookie: string) {
  const form_token = formToken(cookie.split('=')[1] ?? '');
  return (path: string, form: Record<string, string>) =>
    dashboard.send({ path, headers: { cookie }, form: { form_token, ...form } });
}

describe('the settings', () => {
  it('save the time zone, and refuse one that does not exist', async () => {
    const dashboard = await openDashboard();
    const headers = { cookie: await dashboard.cookie() };
    const save = (timezone: string) =>
      dashboard.submit({ path: '/settings/time-zone', headers, form: { timezone } });
    expect((await save('Asia/Tokyo')).headers.location).toBe('/settings?notice=time_zone_saved');
    expect((await save('Mars/Base')).status).toBe(422);
    const { body } = await dashboard.send({ path: '/settings', headers });
    expect(body).toContain('<option value="Asia/Tokyo" selected>');
    expect((await dashboard.service.owners.byId(dashboard.ownerId))?.timezone).toBe('Asia/Tokyo');
  });

  it('save the language of dates: all dates are written in it, and the pages stay in English', async () => {
    const dashboard = await openDashboard();
    const headers = { cookie: await dashboard.cookie() };
    const { ownerId } = dashboard;
    await dashboard.service.trackers.create({
      ...{ ownerId, requestId: 'r', title: 'Fence', keywords: '', dueOn: '2026-11-23' },
    });
    const save = (language: string) =>
      dashboard.submit({ path: '/settings/date-language', headers, form: { language } });
    const pageOf = async (path: string) => (await dashboard.send({ path, headers })).body;
    expect(await pageOf('/trackers')).toContain(
      '<time datetime="2026-11-23">Monday, 23 November 2026</time>',
    );
    expect((await save('de-CH')).headers.location).toBe('/settings?notice=date_language_saved');
    const german = '<time datetime="2026-11-23" lang="de-CH" dir="auto">Montag, 23. November 2026</time>';
    expect(await pageOf('/trackers')).toContain(german);
    expect(await pageOf('/trackers')).toContain('<html lang="en">');
    const settings = await pageOf('/settings');
    expect(settings).toContain('<option value="de-CH" selected>');
    const times = settings.match(/<time [^>]*>/g) ?? [];
    expect(times.length).toBeGreaterThan(3);
    for (const time of times) expect(time).toContain('lang="de-CH"');
    // Mail has Gregorian years, whatever the calendar of the language.
    expect((await save('fa')).status).toBe(303);
    expect(await pageOf('/trackers')).toMatch(/lang="fa" dir="auto">[^<]*۲۰۲۶/);
    for (const wrong of ['', 'xx', 'de_DE', 'de-u-ca-buddhist', `de-${'abcdefgh-'.repeat(9)}abcdefgh`])
      expect((await save(wrong)).status).toBe(422);
    expect((await dashboard.service.owners.byId(ownerId))?.language).toBe('fa');
  });

  it('save how long the content of requests is kept, and erase what is older', async () => {
    const dashboard = await openDashboard();
    const { service, ownerId, clock } = dashboard;
    const rejected = await dashboard.ask({ subject: 'Rejected' });
    await service.approvals.reject(ownerId, rejected);
    clock.shift(8 * DAY_MS);
    const waiting = await dashboard.ask({ subject: 'Waits' });
    const headers = { cookie: await dashboard.cookie() };
    const contentOf = async (id: string) => (await service.approvals.show(ownerId, id))?.content.kind;
    const save = (days: string) =>
      dashboard.submit({ path: '/settings/plans-kept', headers, form: { days } });
    await service.recover();
    expect(await contentOf(rejected)).toBe('shown');
    for (const wrong of ['', '6', '366', '7.5', '-30', '1e2x', 'NaN'])
      expect((await save(wrong)).body).toContain('Enter a whole number of days from 7 to 365.');
    expect((await save('7')).headers.location).toBe('/settings?notice=plans_kept_saved');
    await service.recover();
    expect([await contentOf(rejected), await contentOf(waiting)]).toEqual(['erased', 'shown']);
  });

  it('ask whether a change of the password or of the second step was yours, until you confirm it', async () => {
    const dashboard = await openDashboard();
    const { service, ownerId } = dashboard;
    const pageOf = async (path: string, cookie: string) =>
      (await dashboard.send({ path, headers: { cookie } })).body;
    expect(await pageOf('/approvals', await dashboard.cookie())).not.toContain('Was it you?');
    await service.owners.setPassword(ownerId, NEW);
    const headers = { cookie: await dashboard.cookie({ email: EMAIL, password: NEW }) };
    expect(await pageOf('/approvals', headers.cookie)).toContain('Your password was changed');
    const settings = await pageOf('/settings', headers.cookie);
    const [, until = ''] = /name="until" value="(\d+)"/.exec(settings) ?? [];
    // It came after the page.
    await service.secondSteps.removeAll(ownerId);
    await addApp(dashboard, ownerId);
    const path = '/settings/access-changes';
    const confirm = (form: { until: string }) => dashboard.submit({ path, headers, form });
    expect((await confirm({ until: 'forever' })).status).toBe(303);
    expect(await pageOf('/settings', headers.cookie)).toContain('Your password was changed');
    expect((await confirm({ until })).headers.location).toBe('/settings');
    const after = await pageOf('/settings', headers.cookie);
    expect(after).toContain('Your second step was changed');
    expect(after).not.toContain('Your password was changed');
  });

  it('change the password with the current one, and end every session', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const send = sender(dashboard, cookie);
    const path = '/settings/password';
    const form = { new_password: NEW, new_password_again: NEW };
    // A signature is not enough, however fresh the session is.
    const signed = await dashboard.submit({ path, headers: { cookie }, form });
    expect(signed.status).toBe(403);
    expect(signed.body).toContain('Countersign always asks for your password before this.');
    expect(signed.body).not.toContain(NEW);
    expect((await send(path, { ...form, owner_password: 'not the password' })).status).toBe(422);
    const differ = await send(path, { ...form, new_password_again: 'x', owner_password: PASSWORD });
    expect(differ.body).toContain('The new passwords differ.');
    const short = { new_password: 'short', new_password_again: 'short', owner_password: PASSWORD };
    expect((await send(path, short)).body).toContain('10 to 1000 characters');
    const done = await send(path, { ...form, owner_password: PASSWORD });
    expect(done.headers.location).toBe('/sign-in?notice=password_changed');
    expect((await dashboard.send({ path: '/settings', headers: { cookie } })).status).toBe(303);
    await expect(dashboard.cookie()).rejects.toThrow();
    await dashboard.cookie({ email: EMAIL, password: NEW });
  });

  it('export everything of the owner, and no secret', async () => {
    const dashboard = await openDashboard();
    const { service, ownerId, key } = dashboard;
    const other = await service.owners.create({ email: 'other@example.org', password: NEW });
    const cookie = await dashboard.cookie();
    await service.owners.update(ownerId, { limits: MANY });
    const ids = [];
    for (let n = 0; n < 25; n++) ids.push(await dashboard.ask({ subject: `Export ${n}` }));
    await key.call('create_tracker', { title: 'Fence' });
    await key.call('add_tracker_note', { tracker_id: 1, note: 'Green' });
    const { secret: webhookSecret } = await service.webhooks.add({
      ...{ ownerId, keyId: key.keyId, url: 'https://hooks.example.org/' },
    });
    await service.approvals.reject(ownerId, ids[0] ?? '');
    const { recoveryCodes, setup } = await addApp(dashboard, ownerId);
    const request = { path: '/settings/export', headers: { cookie } };
    const file = await dashboard.submit(request);
    expect(file.headers['content-disposition']).toContain('countersign.json');
    const all = exported.parse(JSON.parse(file.body));
    expect(all).toMatchObject({
      format: 'countersign export 1',
      is_complete: true,
      owner: { ownerId, email: EMAIL },
      second_step: { recoveryCodesLeft: 10 },
      accounts: [{ email: EMAIL }],
      account_health: [
        { server: 'calendar' },
        { server: 'reading', state: 'working' },
        { server: 'sending' },
      ],
      use_of_keys: { [key.keyId]: { lastCallAt: expect.any(String) } },
      trackers_and_links: [{ title: 'Fence' }, { trackerId: 1 }],
      webhooks: [{ url: 'https://hooks.example.org/' }],
    });
    const requestIds = all.requests.map(({ approval }) => approval.id);
    expect(requestIds.toSorted()).toEqual(ids.toSorted());
    const last = all.requests.at(-1)?.content;
    expect(last?.kind).toBe('shown');
    expect(Buffer.from(last?.message.bytes ?? '', 'base64').toString()).toContain('Subject: Export 0');
    expect(file.body).toContain('Export 24');
    expect(all.activity.length).toBeGreaterThan(25);
    expect(all.events).toMatchObject([{ type: 'approval.decided' }]);
    const [account] = await service.accounts.list(ownerId);
    const secrets = [PASSWORD, webhookSecret, setup, account?.sealedSettings ?? 'none', other.ownerId];
    for (const secret of [
      ...secrets,
      ...recoveryCodes,
      cookie.split('=')[1] ?? 'none',
      'scrypt$',
      'sealed',
    ]) {
      expect(file.body).not.toContain(secret);
    }
    dashboard.clock.shift(11 * MINUTE_MS);
    expect((await dashboard.submit(request)).status).toBe(403);
  });

  it('export no token of a sign-in at a provider, no secret address and no secret that is added later', async () => {
    const grant = { sealed: 'box-of-tokens', withdrawnAt: null, fence: 3, leaseUntilMs: 0 };
    const push = {
      kind: 'push',
      name: 'Firefox',
      endpoint: 'https://push.example.org/box',
      ...CHANNEL,
    } as const;
    const dashboard = await openDashboard({
      between: (service) => ({
        ...service,
        accounts: {
          ...service.accounts,
          async list(ownerId) {
            const accounts = await service.accounts.list(ownerId);
            return accounts.map((account) => ({ ...account, grant, sealedLater: 'box-of-later' }));
          },
        },
        notices: { ...service.notices, list: async () => [push] },
      }),
    });
    const headers = { cookie: await dashboard.cookie() };
    const { body } = await dashboard.submit({ path: '/settings/export', headers });
    expect(exported.parse(JSON.parse(body))).toMatchObject({
      accounts: [{ email: EMAIL, signIn: 'provider', signInWithdrawnAt: null }],
      notices: { channels: [{ kind: 'push', name: 'Firefox' }] },
    });
    expect(body).not.toMatch(/box|sealed/);
  });

  it('export complete JSON without repeated rows while rows change, or break off visibly', async () => {
    let failing = false;
    const dashboard = await openDashboard({
      between: (service) => ({
        ...service,
        approvals: {
          ...service.approvals,
          async showAll(ownerId, ids) {
            if (failing) throw new Error('storage is gone');
            const views = await service.approvals.showAll(ownerId, ids);
            // Between two pages of the export, an agent asks again and the owner decides.
            await dashboard.ask({ subject: `Meanwhile ${ids.length}` });
            await service.approvals.reject(ownerId, ids[0] ?? '');
            return views;
          },
        },
      }),
    });
    const cookie = await dashboard.cookie();
    await dashboard.service.owners.update(dashboard.ownerId, { limits: MANY });
    const ids: string[] = [];
    for (let n = 0; n < 45; n++) ids.push(await dashboard.ask({ subject: `Before ${n}` }));
    const request = { path: '/settings/export', headers: { cookie } };
    const { requests, is_complete } = exported.parse(JSON.parse((await dashboard.submit(request)).body));
    const requestIds = requests.map(({ approval }) => approval.id);
    expect(is_complete).toBe(true);
    expect(new Set(requestIds).size).toBe(requestIds.length);
    expect(ids.filter((id) => !requestIds.includes(id))).toEqual([]);
    failing = true;
    await expect(dashboard.submit(request)).rejects.toThrow(/aborted|hang up|terminated/);
  });

  it('remove the owner and everything after the email is typed and the password entered', async () => {
    const dashboard = await openDashboard();
    const { service, ownerId, key } = dashboard;
    const cookie = await dashboard.cookie();
    const send = sender(dashboard, cookie);
    await dashboard.ask({});
    const path = '/settings/remove';
    const typed = { typed_email: EMAIL.toUpperCase() };
    expect((await dashboard.submit({ path, headers: { cookie }, form: typed })).status).toBe(403);
    const wrong = await send(path, { typed_email: 'other@example.org', owner_password: PASSWORD });
    expect(wrong.body).toContain('That is not your email.');
    expect((await send(path, { ...typed, owner_password: 'not the password' })).status).toBe(422);
    expect(await service.owners.byId(ownerId)).toBeDefined();
    const done = await send(path, { ...typed, owner_password: PASSWORD });
    expect(done.headers.location).toBe('/sign-in?notice=owner_removed');
    expect(await service.owners.byId(ownerId)).toBeUndefined();
    expect((await key.call('list_accounts', {})).status).toBe('error');
    const { body } = await dashboard.send({ path: '/sign-in?notice=owner_removed' });
    expect(body).toContain('Everything is removed.');
  });

  it('do not remove an owner while an action is under way', async () => {
    // `test/core/owners/owners.test.ts` shows with a real send that the service refuses then.
    const dashboard = await openDashboard({
      between: (service) => ({
        ...service,
        owners: {
          ...service.owners,
          async remove() {
            throw new ServiceError('busy', { details: { retry_after_s: 5 } });
          },
        },
      }),
    });
    const cookie = await dashboard.cookie();
    const form = { typed_email: EMAIL, owner_password: PASSWORD };
    const busy = await sender(dashboard, cookie)('/settings/remove', form);
    expect([busy.status, busy.body.includes('An approved action is under way')]).toEqual([422, true]);
    expect((await dashboard.send({ path: '/settings', headers: { cookie } })).status).toBe(200);
  });
});
