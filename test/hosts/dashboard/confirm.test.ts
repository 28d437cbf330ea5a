import { describe, expect, it } from 'vitest';
import type { AccountFields } from '../../../hosts/dashboard/accounts/account-fields.ts';
import { formToken } from '../../../hosts/dashboard/forms/csrf.ts';
import { newBrowserKey } from './browser-key.ts';
import { type Dashboard, openDashboard, PASSWORD } from './open-dashboard.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Sends a form as a browser without scripts does. */
function sender(dashboard: Dashboard, cookie: string) {
  const form_token = formToken(cookie.split('=')[1] ?? '');
  return (path: string, form: Record<string, string>) =>
    dashboard.send({ path, headers: { cookie }, form: { form_token, ...form } });
}

/** The fields of the page's own form, as a browser would send them back. */
function formIn(html: string): Record<string, string> {
  const [, form = ''] = /<main.*?(<form.*?)<\/form>/s.exec(html) ?? [];
  const fields = [...form.matchAll(/<input((?:"[^"]*"|[^">])*)>/g)].map(([, attributes = '']) => {
    const read = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1];
    return [read('name') ?? '', unescaped(read(' value') ?? '')] as const;
  });
  return Object.fromEntries(fields.filter(([name]) => name !== ''));
}

function unescaped(html: string): string {
  return html
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
}

describe('the page that asks for the password', () => {
  it('shows the purpose, repeats the form exactly, and acts on the right password', async () => {
    const dashboard = await openDashboard();
    const send = sender(dashboard, await dashboard.cookie());
    const given = { name: 'My <b>"agent"</b> & co', preset: 'full', days: '7', 'mail:send': 'off' };
    const asked = await send('/integrations', given);
    expect(asked.status).toBe(403);
    expect(asked.body).toContain('<h1>Create key</h1>');
    expect(asked.body).toContain('My &lt;b>');
    const again = formIn(asked.body);
    expect(again).toMatchObject(given);
    expect(again.owner_password).toBe('');
    expect(await dashboard.service.keys.list(dashboard.ownerId)).toHaveLength(1);

    const done = await send('/integrations', { ...again, owner_password: PASSWORD });
    expect(done.status).toBe(200);
    const [key] = await dashboard.service.keys.list(dashboard.ownerId);
    expect(key).toMatchObject({ name: given.name, modes: { 'mail:send': 'off', 'mail:reply': 'approval' } });
    expect(done.body).not.toContain(PASSWORD);
  });

  it('does nothing on a wrong password, never shows one again, and shares the tries of signing in', async () => {
    const dashboard = await openDashboard();
    const send = sender(dashboard, await dashboard.cookie());
    const path = `/integrations/${dashboard.key.keyId}/revoke`;
    const wrong = await send(path, { owner_password: 'not the password' });
    expect(wrong.status).toBe(422);
    expect(wrong.body).toContain('The password is wrong.');
    expect(wrong.body).not.toContain('not the password');
    let refused = wrong;
    for (let tries = 0; tries < 11 && refused.status !== 429; tries++) {
      refused = await send(path, { owner_password: 'not the password' });
    }
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.body).toContain('Too many tries.');
    expect(refused.body).toContain('name="owner_password"');
    const [key] = await dashboard.service.keys.list(dashboard.ownerId);
    expect(key?.revokedAt).toBeNull();
  });

  it('never repeats a mailbox password: it must be entered again', async () => {
    const settings: AccountFields[] = [];
    const dashboard = await openDashboard({ connect: { settings: (fields) => settings.push(fields) } });
    const send = sender(dashboard, await dashboard.cookie());
    const account = {
      email: 'work@example.org',
      label: '',
      signature: 'Bob\r\nat work',
      imap_host: 'imap.example.org',
      imap_port: '993',
      imap_security: 'tls',
      imap_user: '',
      smtp_host: 'smtp.example.org',
      smtp_port: '465',
      smtp_security: 'tls',
      smtp_user: '',
      caldav_url: '',
      caldav_user: '',
      caldav_calendar: '',
      fingerprint: '',
    };
    const asked = await send('/accounts', { ...account, password: 'hunter2hunter2' });
    expect(asked.status).toBe(403);
    expect(asked.body).not.toContain('hunter2');
    const again = formIn(asked.body);
    expect(again).toMatchObject({ ...account, password: '' });
    expect(settings).toEqual([]);
    const typed = { ...again, password: 'hunter2hunter2', owner_password: PASSWORD };
    expect((await send('/accounts', typed)).headers.location).toBe('/accounts?notice=account_connected');
    expect(settings).toMatchObject([{ password: 'hunter2hunter2' }]);
    const [, work] = await dashboard.service.accounts.list(dashboard.ownerId);
    expect(work?.signature).toBe('Bob\nat work');
  });

  it('does not repeat a form with more fields than any page has', async () => {
    const dashboard = await openDashboard();
    const send = sender(dashboard, await dashboard.cookie());
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}`, '']));
    const answer = await send('/integrations', many);
    expect(answer.status).toBe(413);
    expect(answer.body).not.toContain('f150');
  });

  it('accepts a new browser key with the password, which signs from then on', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const { sessionId } = dashboard.browserOf(cookie);
    const send = sender(dashboard, cookie);
    const key = await newBrowserKey();
    const path = `/integrations/${dashboard.key.keyId}/modes`;
    const signed = async (form: Record<string, string>) => {
      const fields = { form_token: formToken(cookie.split('=')[1] ?? ''), ...form };
      const form_proof = await key.sign({ origin: dashboard.url, sessionId, path, fields });
      return send(path, { ...fields, form_proof });
    };
    expect((await signed({ 'mail:read': 'off' })).status).toBe(403);
    const wrong = { proof_key: key.publicKey, owner_password: 'not the password' };
    expect((await send(path, { 'mail:read': 'off', ...wrong })).status).toBe(422);
    expect((await signed({ 'mail:read': 'off' })).status).toBe(403);
    const right = { proof_key: key.publicKey, owner_password: PASSWORD };
    expect((await send(path, { 'mail:read': 'off', ...right })).status).toBe(303);
    expect((await signed({ 'mail:read': 'on' })).status).toBe(303);
    // The previous key is no longer valid.
    const old = await dashboard.submit({ path, headers: { cookie }, form: { 'mail:read': 'off' } });
    expect(old.status).toBe(403);
  });

  it('does nothing if the session ended while the password was entered', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const send = sender(dashboard, cookie);
    const { service, ownerId } = dashboard;
    const path = `/integrations/${dashboard.key.keyId}/revoke`;
    await service.owners.setPassword(ownerId, 'another long password');
    const answer = await send(path, { owner_password: PASSWORD });
    expect(answer).toMatchObject({ status: 303, headers: { location: '/sign-in' } });
    expect((await service.keys.list(ownerId))[0]?.revokedAt).toBeNull();
  });
});

describe('the password is asked for again', () => {
  type Fields = Record<string, string>;

  /** The result of a signed form some time after signing in. */
  async function answersAfter(
    ms: number,
    path: (dashboard: Dashboard) => string | Promise<string>,
    fields: Fields | ((dashboard: Dashboard) => Fields),
  ) {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const form = typeof fields === 'function' ? fields(dashboard) : fields;
    const request = { path: await path(dashboard), headers: { cookie } };
    dashboard.clock.shift(ms);
    const signed = await dashboard.submit({ ...request, form });
    const confirmed = await dashboard.submit({ ...request, form: { ...form, owner_password: PASSWORD } });
    const then = await dashboard.submit({ ...request, form });
    return [signed, confirmed, then].map(({ status, body }) =>
      status === 403 && body.includes('You last entered your password a while ago') ? 'asked' : 'done',
    );
  }

  const endpoint = async ({ service, ownerId, key }: Dashboard) => {
    const url = 'https://hooks.example.org/';
    return `/integrations/webhooks/${(await service.webhooks.add({ ownerId, keyId: key.keyId, url })).endpointId}`;
  };

  it.each<
    [what: string, ...(Parameters<typeof answersAfter> extends [number, ...infer Request] ? Request : never)]
  >([
    ['to create a key', () => '/integrations', { name: 'mine', preset: 'read', days: '9' }],
    ['to rotate a key', ({ key }) => `/integrations/${key.keyId}/rotate`, {}],
    ['for direct modes', ({ key }) => `/integrations/${key.keyId}/modes`, { 'mail:send': 'direct' }],
    [
      'to add a webhook endpoint',
      () => '/integrations/webhooks',
      ({ key }) => ({ key: key.keyId, url: 'https://hooks.example.org/', types: 'approval.decided' }),
    ],
    ['to choose the folders of an account', () => '/accounts/1/folders', { sent: 'none' }],
    ['to rotate the secret of an endpoint', async (dashboard) => `${await endpoint(dashboard)}/rotate`, {}],
  ])('%s, ten minutes after the last time', async (_, path, form) => {
    expect(await answersAfter(9 * MINUTE_MS, path, form)).toEqual(['done', 'done', 'done']);
    expect(await answersAfter(11 * MINUTE_MS, path, form)).toEqual(['asked', 'done', 'done']);
  });

  it('never for what revokes, restricts or only repeats, however long ago', async () => {
    const days = 13 * 24 * HOUR_MS;
    const key = ({ key }: Dashboard) => `/integrations/${key.keyId}`;
    const modes = (dashboard: Dashboard) => `${key(dashboard)}/modes`;
    expect(await answersAfter(days, modes, { 'mail:send': 'off' })).toEqual(['done', 'done', 'done']);
    expect(await answersAfter(days, modes, { 'mail:organize': 'direct' })).toEqual(['done', 'done', 'done']);
    const test = async (dashboard: Dashboard) => `${await endpoint(dashboard)}/test`;
    expect(await answersAfter(days, test, {})).toEqual(['done', 'done', 'done']);
    const revoke = (dashboard: Dashboard) => `${key(dashboard)}/revoke`;
    expect((await answersAfter(days, revoke, {}))[0]).toBe('done');
  });

  it('to approve, twelve hours after the last time, but never to reject', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const ids = [await dashboard.ask({ subject: 'One' }), await dashboard.ask({ subject: 'Two' })];
    const [first = '', second = ''] = ids;
    dashboard.clock.shift(13 * HOUR_MS);
    const headers = { cookie };
    const { body } = await dashboard.send({ path: `/approvals/${first}`, headers });
    const digest = /name="digest" value="([^"]+)"/.exec(body)?.[1] ?? '';
    const path = `/approvals/${first}/approve`;
    const asked = await dashboard.submit({ path, headers, form: { digest } });
    expect(asked.status).toBe(403);
    expect(asked.body).toContain('You last entered your password a while ago');
    expect(asked.body).toContain(`href="/approvals/${first}"`);
    expect(formIn(asked.body).digest).toBe(digest);
    expect(dashboard.mail.transmitted()).toEqual([]);
    const rejected = await dashboard.submit({ path: `/approvals/${second}/reject`, headers });
    expect(rejected.headers.location).toBe(`/approvals/${first}?decided=${second}`);
    const form = { ...formIn(asked.body), owner_password: PASSWORD };
    expect((await dashboard.send({ path, headers, form })).headers.location).toBe(
      `/approvals?decided=${first}`,
    );
    expect(dashboard.mail.transmitted()).toHaveLength(1);
  });
});
