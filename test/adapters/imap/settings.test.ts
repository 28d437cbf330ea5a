import { describe, expect, it } from 'vitest';
import { imapSettings, parseMailUrl } from '../../../adapters/imap/settings.ts';

describe('the address of a mail server', () => {
  it.each([
    [
      'imaps://alice@example.org@mail.example.org',
      'imap',
      'mail.example.org',
      993,
      'tls',
      'alice@example.org',
    ],
    ['imap://alice@mail.example.org', 'imap', 'mail.example.org', 143, 'starttls', 'alice'],
    ['smtps://mail.example.org', 'smtp', 'mail.example.org', 465, 'tls', undefined],
    ['smtp://al%2Fice@mail.example.org:2587/', 'smtp', 'mail.example.org', 2587, 'starttls', 'al/ice'],
    ['imaps://alice@[::1]:1993', 'imap', '::1', 1993, 'tls', 'alice'],
  ])('%s', (text, protocol, host, port, security, user) => {
    expect(parseMailUrl(text)).toEqual({ protocol, host, port, security, user });
  });

  it.each([
    ['mail.example.org', 'not an address'],
    ['https://mail.example.org', 'must begin with'],
    ['imaps://alice:secret@mail.example.org', 'password does not belong'],
    ['imaps://mail.example.org/INBOX', 'must end after'],
    ['imaps://mail.example.org?security=none', 'must end after'],
    ['imaps://', 'names no host'],
  ])('%s is refused, without repeating it', (text, reason) => {
    expect(() => parseMailUrl(text)).toThrow(TypeError);
    expect(() => parseMailUrl(text)).toThrow(reason);
    expect(() => parseMailUrl(text)).not.toThrow('secret');
  });
});

describe('the settings of an account', () => {
  const server = { host: 'mail.example.org', port: 993, security: 'tls', user: 'alice', pass: 'secret' };

  it('accept a fingerprint as tools print it', () => {
    const printed = Array.from({ length: 32 }, () => 'AB').join(':');
    const settings = imapSettings.parse({ imap: { ...server, tlsFingerprint: printed }, smtp: server });
    expect(settings.imap.tlsFingerprint).toBe('ab'.repeat(32));
  });

  it.each(['127.0.0.1', '127.8.8.8', '::1', 'localhost'])('allow plain text to %s', (host) => {
    expect(
      imapSettings.safeParse({ imap: { ...server, host, security: 'none' }, smtp: server }).success,
    ).toBe(true);
  });

  it.each([
    { security: 'none' },
    { security: 'none', host: '127.0.0.1.example.org' },
    { security: 'none', host: '10.0.0.1' },
    { security: 'sometimes' },
    { port: 0 },
    { pass: '' },
    { tlsFingerprint: 'abc' },
    { extra: true },
  ])('do not allow %o', (change) => {
    expect(imapSettings.safeParse({ imap: { ...server, ...change }, smtp: server }).success).toBe(false);
  });
});
