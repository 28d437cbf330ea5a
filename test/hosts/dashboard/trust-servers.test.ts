import { describe, expect, it } from 'vitest';
import { providerOfHost } from '../../../adapters/discovery/providers.ts';
import type { ProbedServer } from '../../../hosts/dashboard/accounts/account-fields.ts';
import { openDashboard } from './open-dashboard.ts';

const SEEN = '3f1361'.padEnd(64, 'a');
const FORM = {
  ...{ email: 'ada@example.org', label: '', signature: '' },
  ...{ imap_host: 'imap.example.org', imap_port: '993', imap_security: 'tls', imap_user: '' },
  ...{ smtp_host: 'smtp.example.org', smtp_port: '465', smtp_security: 'tls', smtp_user: '' },
  ...{ caldav_url: '', caldav_user: '', caldav_calendar: '', fingerprint: '' },
};

/** The page that answers "Use these servers". */
async function answerTo(probed: readonly ProbedServer[]) {
  const connect = { settings: () => ({}), probe: async () => probed };
  const dashboard = await openDashboard({ connect });
  const cookie = await dashboard.cookie();
  return dashboard.submit({ path: '/accounts/password', headers: { cookie }, form: FORM });
}

const good = { server: 'smtp', kind: 'good' } as const;
const untrusted = {
  server: 'imap',
  kind: 'untrusted',
  fingerprint: SEEN,
  because: 'it is self-signed',
  isKnown: false,
} as const;

describe('the servers of a new account', () => {
  it('are asked for a password only if they show certificates to be trusted', async () => {
    const { body } = await answerTo([{ server: 'imap', kind: 'good' }, good]);
    expect(body).toContain('type="password"');
  });

  it('can be trusted one by one, by the fingerprint that they showed', async () => {
    const { status, body } = await answerTo([untrusted, good]);
    expect(status).toBe(422);
    expect(body).not.toContain('type="password"');
    expect(body).toContain('Trust this one: <code>3F:13:61:AA:');
    expect(body.match(/type="checkbox"[^>/]*/g)).toEqual([
      `type="checkbox" name="imap_fingerprint" value="${SEEN}" required`,
    ]);
  });

  it('of a provider that is known can never be trusted', async () => {
    const { body } = await answerTo([{ ...untrusted, isKnown: true }, good]);
    expect(body).not.toContain('type="checkbox"');
    expect(body).not.toContain('Continue');
    expect(body).toContain('somebody may be in between');
  });

  it('that do not answer are said so, and can be changed', async () => {
    const text = 'Nothing listens on the port of the IMAP server.';
    const { status, body } = await answerTo([{ server: 'imap', kind: 'problem', text }, good]);
    expect(status).toBe(422);
    expect(body).toContain(text);
    expect(body).toContain('value="imap.example.org"');
  });
});

it.each([
  ['imap.gmail.com', 'Gmail'],
  ['imap-mail.outlook.com', 'Microsoft (Outlook.com, Microsoft 365)'],
  ['sync.infomaniak.com', 'Infomaniak'],
  ['imap.example.org', undefined],
  ['notgmail.com', undefined],
  // Proton Mail Bridge runs on this machine, with its own certificate.
  ['127.0.0.1', undefined],
])('the server %s belongs to %s', (host, name) => {
  expect(providerOfHost(host)?.name).toBe(name);
});
