import { describe, expect, it } from 'vitest';
import { chosenServers, typedServers } from '../../../hosts/server/accounts/server-options.ts';

const EMAIL = 'ada@example.org';
const [A, B, C, OLD] = ['a'.repeat(64), 'b'.repeat(64), 'c'.repeat(64), 'd'.repeat(64)];
const BEFORE = {
  imap: { host: 'imap.example.org', port: 993, security: 'tls', user: 'ada', fingerprint: OLD },
  smtp: { host: 'smtp.example.org', port: 465, security: 'tls', user: 'ada', fingerprint: OLD },
  caldav: { url: 'https://dav.example.org/', user: 'ada', fingerprint: OLD, writeTo: '/work/' },
} as const;

describe('typed servers', () => {
  it('have the address as user, and no calendar, unless they name them', () => {
    const typed = typedServers({ imap: 'imaps://mail.example.org', smtp: 'smtp://eve@mail.example.org:25' });
    expect(chosenServers(undefined, typed, EMAIL)).toEqual({
      imap: { host: 'mail.example.org', port: 993, security: 'tls', user: EMAIL },
      smtp: { host: 'mail.example.org', port: 25, security: 'starttls', user: 'eve' },
      ...{ caldav: undefined, fingerprint: undefined },
    });
  });

  it('replace those before, with their certificates, and keep the user', () => {
    const typed = typedServers({ imap: 'imaps://new.example.org', caldav: 'https://new.example.org/' });
    expect(chosenServers(BEFORE, typed, EMAIL)).toEqual({
      ...BEFORE,
      imap: { host: 'new.example.org', port: 993, security: 'tls', user: 'ada' },
      caldav: { url: 'https://new.example.org/', user: 'ada' },
      fingerprint: undefined,
    });
    expect(chosenServers(BEFORE, typedServers({ 'no-calendar': true }), EMAIL).caldav).toBeUndefined();
    expect(chosenServers(BEFORE, typedServers({}), EMAIL)).toEqual({ ...BEFORE, fingerprint: undefined });
  });
});

describe('--tls-fingerprint', () => {
  const pins = (...texts: string[]) => {
    const servers = chosenServers(BEFORE, typedServers({ 'tls-fingerprint': texts }), EMAIL);
    const { imap, smtp, caldav, fingerprint } = servers;
    return [imap.fingerprint, smtp.fingerprint, caldav?.fingerprint, fingerprint];
  };
  const colons = A.match(/../g)?.join(':').toUpperCase();

  it.each([
    [[], [OLD, OLD, OLD, undefined]],
    [[`imap=${colons}`], [A, OLD, OLD, undefined]],
    [
      [`caldav=${A}`, `smtp=${B}`, `imap=${C}`],
      [C, B, A, undefined],
    ],
    // Without a name, it is for all servers in place of what was pinned.
    [[A], [undefined, undefined, undefined, A]],
    [
      [String(A), `smtp=${B}`],
      [undefined, B, undefined, A],
    ],
  ])('%j', (texts, expected) => {
    expect(pins(...texts)).toEqual(expected);
  });

  it.each([
    [[A, B], 'given twice. For one server: --tls-fingerprint imap=SHA256'],
    [[`imap=${A}`, `imap=${A}`], '--tls-fingerprint imap=… is given twice'],
    [['3F:13'], 'must be the SHA-256 of a certificate'],
    [[`pop=${A}`], 'must be the SHA-256 of a certificate'],
  ])('refuses %j', (texts, words) => {
    expect(() => pins(...texts)).toThrow(words);
  });
});

it.each([
  [{ imap: 'imaps://imap.example.org' }, '--smtp is missing'],
  [{ smtp: 'smtp://smtp.example.org' }, '--imap is missing'],
  [{ imap: 'smtp://a', smtp: 'smtp://a' }, '--imap: the URL must start with imap'],
  [{ imap: 'imap://a', smtp: 'smtp://a', calendar: 'Work' }, '--calendar needs a calendar server'],
  [
    { imap: 'imap://a', smtp: 'smtp://a', 'tls-fingerprint': [`caldav=${A}`] },
    '--tls-fingerprint caldav=… needs a calendar server',
  ],
  [{ 'no-calendar': true, calendar: 'Work' }, '--no-calendar cannot be combined'],
])('refuses %j', (values, words) => {
  expect(() => chosenServers(undefined, typedServers(values), EMAIL)).toThrow(words);
});
