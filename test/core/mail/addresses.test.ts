import { describe, expect, it } from 'vitest';
import { headerAddresses } from '../../../core/mail/header-text.ts';
import { needsUtf8, replyAddress } from '../../../core/mail/reply-address.ts';
import { displayAddresses } from '../../../core/mail/row-text.ts';

describe('the addresses of a header field', () => {
  it.each([
    ['Kuhl, Hans <hans@example.org>', 'Kuhl, Hans <hans@example.org>'],
    [
      'a@example.org, Kuhl, Hans (IT) <hans@example.org>, b@example.org',
      'a@example.org, Kuhl, Hans <hans@example.org>, b@example.org',
    ],
    ['Team: Kuhl, Hans <hans@example.org>, b@example.org;', 'Kuhl, Hans <hans@example.org>, b@example.org'],
    ['"Kuhl Support" <>', 'Kuhl Support'],
    ['Kuhl Support', 'Kuhl Support'],
    ['Kuhl, hans@example.org', 'Kuhl, hans@example.org'],
    ['"bob kuhl"@example.org', '"bob kuhl"@example.org'],
    [
      'a@example.org, "bob kuhl"@example.org , b@example.org',
      'a@example.org, "bob kuhl"@example.org, b@example.org',
    ],
    ['Bob <"bob kuhl"@example.org>', 'Bob <"bob kuhl"@example.org>'],
    ['bob..kuhl@example.org', 'bob..kuhl@example.org'],
    ['Bob <@relay.example,@two.example:bob@example.org>', 'Bob <bob@example.org>'],
    ['Bob <@relay.example:"bob kuhl"@example.org>', 'Bob <"bob kuhl"@example.org>'],
    ['Bob <mailto:bob@example.org>', 'Bob <bob@example.org>'],
    ['<MAILTO:bob@example.org?subject=Hello>', 'bob@example.org'],
    ['mailto:bob@example.org', 'bob@example.org'],
    ['Bob <bob@example.org.>', 'Bob <bob@example.org>'],
    ["'bob@example.org'", 'bob@example.org'],
    ['Bob <bob @ example . org>', 'Bob <bob@example.org>'],
    ['Jörg <jörg@bücher.example>', 'Jörg <jörg@bücher.example>'],
  ])('are those of %s', (field, shown) => {
    expect(displayAddresses(headerAddresses(field))).toBe(shown);
  });
});

describe('the address of a reply', () => {
  it.each([
    ['bob@example.org', 'bob@example.org'],
    ['Bob@Example.org', 'Bob@Example.org'],
    ['bob..kuhl.@example.org', 'bob..kuhl.@example.org'],
    ['"bob kuhl"@example.org', '"bob kuhl"@example.org'],
    ['"bob\\"k"@example.org', '"bob\\"k"@example.org'],
    ['"bob.kuhl"@example.org', 'bob.kuhl@example.org'],
    ['bob@bücher.example', 'bob@xn--bcher-kva.example'],
    ['bob@Bu\u0308cher.example', 'bob@xn--bcher-kva.example'],
    ...[
      ...[
        '',
        'bob',
        'bob@',
        '@example.org',
        'bob@localhost',
        'bob kuhl@example.org',
        '"bob"kuhl"@example.org',
      ],
      ...[
        'a@b@example.org',
        'bob@exa mple.org',
        '"=?utf-8?q?a?="@example.org',
        '"bob\\"@example.org',
        '"bob<x>"@example.org',
      ],
      ...[
        'jörg@example.org',
        `${'x'.repeat(250)}@example.org`,
        '"bob\r\nX: y"@example.org',
        'bob@[192.0.2.1]',
      ],
    ].map((address) => [address, undefined]),
  ])('of %j is %j', (written, address) => {
    expect(replyAddress(written ?? '')).toBe(address);
  });

  it('needs SMTPUTF8 if it has letters beyond ASCII before the at sign', () => {
    expect(['jörg@example.org', 'jörg@bücher.example'].map(needsUtf8)).toEqual([true, true]);
    expect(['bob@bücher.example', 'jörg', 'jörg@'].map(needsUtf8)).toEqual([false, false, false]);
  });
});
