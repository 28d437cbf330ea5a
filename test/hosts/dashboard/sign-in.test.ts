import { describe, expect, it } from 'vitest';
import {
  type Dashboard,
  EMAIL,
  formTokenIn,
  openDashboard,
  PASSWORD,
  type PlainAnswer,
} from './open-dashboard.ts';

/** Opens the form and sends it, as a browser would. */
async function signIn(
  dashboard: Dashboard,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  const shown = await dashboard.send({ path: '/sign-in', headers });
  const formCookie = cookiesOf(shown.headers['set-cookie']).join('; ');
  const cookie = [formCookie, headers.cookie].filter(Boolean).join('; ');
  const form = { form_token: formTokenIn(shown.body), email: EMAIL, password: PASSWORD, ...fields };
  return dashboard.send({ path: '/sign-in', headers: { ...headers, cookie }, form });
}

function cookiesOf(header: string[] | undefined): string[] {
  return (header ?? []).map((cookie) => cookie.split(';')[0] ?? '');
}

function sessionOf(answer: PlainAnswer): string {
  return answer.headers['set-cookie']?.[0] ?? '';
}

describe('signing in', () => {
  it('creates a session that pages cannot read and other sites cannot use, and continues to the page', async () => {
    const dashboard = await openDashboard();
    const answer = await signIn(dashboard, { next: '/accounts' });
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe('/accounts');
    const port = new URL(dashboard.url).port;
    expect(sessionOf(answer)).toMatch(
      new RegExp(`^countersign-${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600$`),
    );
    const [cookie = ''] = cookiesOf(answer.headers['set-cookie']);
    expect((await dashboard.send({ path: '/accounts', headers: { cookie } })).status).toBe(200);
  });

  it('binds the cookie to the host over https', async () => {
    const dashboard = await openDashboard({ dashboardUrl: 'https://dash.example.org' });
    const host = { host: 'dash.example.org', origin: 'https://dash.example.org' };
    const answer = await signIn(dashboard, {}, host);
    expect(sessionOf(answer)).toMatch(
      /^__Host-countersign=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=1209600$/,
    );
  });

  it('starts a new session and ends the previous one', async () => {
    const dashboard = await openDashboard();
    const before = await dashboard.cookie();
    const token = before.split('=')[1] ?? '';
    // A signed-in owner does not get the form, but a page from before the session still has it.
    const shown = await dashboard.send({ path: '/sign-in' });
    const formCookie = cookiesOf(shown.headers['set-cookie']).join();
    const answer = await dashboard.send({
      path: '/sign-in',
      headers: { cookie: `${before}; ${formCookie}` },
      form: { form_token: formTokenIn(shown.body), email: EMAIL, password: PASSWORD },
    });
    expect(answer.status).toBe(303);
    expect(sessionOf(answer)).not.toContain(token);
    expect(await dashboard.service.sessions.find(token)).toBeUndefined();
  });

  it('answers a wrong password and an unknown email alike, and never shows a password again', async () => {
    const dashboard = await openDashboard();
    for (const fields of [{ password: 'wrong-password' }, { email: 'nobody@example.org' }]) {
      const answer = await signIn(dashboard, fields);
      expect(answer.status).toBe(422);
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.body).toContain('Email and password do not match.');
      expect(answer.body).not.toContain(fields.password ?? PASSWORD);
    }
  });

  it('counts tries by the caller that a trusted proxy reports', async () => {
    const seen: string[] = [];
    const dashboard = await openDashboard({
      trustedProxies: ['127.0.0.1'],
      between: (service) => ({
        ...service,
        sessions: {
          ...service.sessions,
          signIn: async ({ address }) => {
            seen.push(address);
            return undefined;
          },
        },
      }),
    });
    await signIn(dashboard, {}, { 'x-forwarded-for': '198.51.100.7' });
    expect(seen).toEqual(['198.51.100.7']);
  });

  it('requires the form token', async () => {
    const dashboard = await openDashboard();
    expect((await signIn(dashboard, { form_token: 'made-up' })).status).toBe(403);
    const form = { email: EMAIL, password: PASSWORD };
    expect((await dashboard.send({ path: '/sign-in', form })).status).toBe(403);
  });

  it('continues only to pages of the dashboard', async () => {
    const dashboard = await openDashboard();
    for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example', '/approvals?x=1', '']) {
      const shown = await dashboard.send({ path: `/sign-in?next=${encodeURIComponent(next)}` });
      expect(shown.body).toContain('name="next" value="/approvals"');
    }
  });
});

describe('signing out', () => {
  it('ends the session', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const answer = await dashboard.submit({ path: '/sign-out', headers: { cookie } });
    expect(answer.headers.location).toBe('/sign-in');
    expect(sessionOf(answer)).toMatch(/=; .*Max-Age=0$/);
    expect((await dashboard.send({ path: '/approvals', headers: { cookie } })).status).toBe(303);
  });
});
