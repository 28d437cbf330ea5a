import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  authenticationOf,
  authservIdIn,
  receiverResults,
  SAMPLE,
} from '../../../core/mail/authentication-results.ts';
import { readHeaders } from '../../../core/mail/header-fields.ts';

const OWN = 'mx.own.example';
const RECEIVED = 'Received: from mail.bank.example (mail.bank.example [192.0.2.1]) by mx.own.example; now';
const HANDED_OVER =
  'Received: from mx.own.example by store.own.example with LMTP id x (envelope-from <a@b.example>); now';
const results = (...lines: string[]) => receiverResults(readHeaders(Buffer.from(lines.join('\r\n'))));
const line = (result: string, id = OWN) => `Authentication-Results: ${id}; ${result}`;

function judged(result: string, sender = 'ceo@bank.example') {
  return authenticationOf(sender, [`${OWN}; ${result}`], OWN);
}

describe('the results of the receiving server', () => {
  const FROM = 'From: a@bank.example';

  it('are those above the Received with which it took the message from outside', () => {
    const [own, forged] = [
      line('dmarc=pass header.from=bank.example'),
      line('dkim=pass header.d=bank.example'),
    ];
    const value = [own.replace('Authentication-Results: ', '')];
    expect(results(own, RECEIVED, forged, FROM)).toEqual(value);
    expect(results(HANDED_OVER, own, RECEIVED, forged, FROM)).toEqual(value);
    expect(results(RECEIVED, forged, FROM)).toEqual([]);
    expect(results(HANDED_OVER, RECEIVED, forged, RECEIVED, FROM)).toEqual([]);
  });

  it('are none if there is no Received, or not exactly one From', () => {
    const own = line('dmarc=pass header.from=bank.example');
    expect(results(own, FROM)).toEqual([]);
    expect(results(own, RECEIVED)).toEqual([]);
    expect(results(own, RECEIVED, FROM, 'From: mallory@bank.example')).toEqual([]);
  });

  it.each([
    'Received: from x by mx.own.example with ESMTP (helo=x with LMTP id y); now',
    'Received: from x by mx.own.example with ESMTP (envelope-from <"a with LMTP id b"@evil.example>); now',
    'Received: from x by mx.own.example with ESMTP (a (b) with LMTP c); now',
  ])('do not begin below a Received that only looks like LMTP: %s', (received) => {
    expect(results(received, line('dkim=pass header.d=bank.example'), RECEIVED, FROM)).toEqual([]);
  });
});

describe('the sender of a message', () => {
  it.each([
    'dmarc=pass (p=NONE sp=NONE dis=NONE) header.from=bank.example',
    'dmarc=pass header.from=BANK.example; spf=fail smtp.mailfrom=bounce@other.example',
    'spf=none; dkim=pass (2048-bit key; secure) header.d=bank.example header.i=@bank.example header.b="aB/c"',
    'dkim=fail header.d=list.example; dkim=pass reason="good signature" header.i=@bank.example',
    'spf=pass (mx: domain of bank.example designates 192.0.2.1) smtp.mailfrom=bounce+a=b.example@bank.example',
    'spf=pass smtp.mailfrom=bank.example',
    'dkim/1=pass header.d=bank.example',
    'dkim=pass policy.dkim-rules=x header.d=bank.example;\r\n\tdmarc=pass header.from=bank.example',
  ])('is proven by %s', (result) => {
    expect(judged(result)).toBe('pass');
  });

  it.each([
    ['dkim=pass header.d=bank.example', 'ceo@mail.bank.example', 'pass'],
    ['dkim=pass header.d=mail.bank.example', 'ceo@bank.example', 'none'],
    ['dmarc=pass header.from=bank.example', 'ceo@mail.bank.example', 'none'],
    ['dkim=pass header.d=xn--bcher-kva.example', 'ceo@bücher.example', 'pass'],
    ['dkim=pass header.d=bank.example', 'ceo@evilbank.example', 'none'],
    ['dkim=pass header.d=bank.example', '', 'none'],
    ['dkim=pass header.d=bank.example', 'bank', 'none'],
  ])('%s about %s is %s', (result, sender, expected) => {
    expect(judged(result, sender)).toBe(expected);
  });

  it.each([
    'dmarc=fail (p=REJECT) header.from=bank.example',
    'dmarc=fail header.from=bank.example; dkim=pass header.d=bank.example',
    'spf=fail smtp.mailfrom=bank.example',
    'dkim=fail (body hash did not verify) header.d=bank.example; spf=pass smtp.mailfrom=list.example',
  ])('has failed with %s', (result) => {
    expect(judged(result)).toBe('fail');
  });

  it.each([
    'none',
    'dmarc=none header.from=bank.example',
    'dkim=temperror header.d=bank.example',
    'dkim=pass header.d=evil.example; spf=pass smtp.mailfrom=evil.example',
    'dkim=pass',
    'arc=pass header.d=bank.example',
    'spf=pass smtp.helo=bank.example',
    'dmarc=pass header.from=bank.example; dmarc=none header.from=bank.example',
    'spf=pass smtp.mailfrom=bank.example smtp.mailfrom=evil.example',
  ])('is not proven by %s', (result) => {
    expect(judged(result)).toBe('none');
  });

  it.each([
    ['a quoted local part with an address in it', 'spf=pass smtp.mailfrom="x@bank.example"@evil.example'],
    [
      'a quoted local part with a method in it',
      'spf=pass smtp.mailfrom="a; dkim=pass header.d=bank.example"@e.example',
    ],
    [
      'the end of a comment',
      'spf=pass (domain of "a); dkim=pass header.d=bank.example (b"@e.example) smtp.mailfrom=e.example',
    ],
    ['a name in EHLO', 'spf=none smtp.helo=x;dkim=pass(a)header.d=bank.example'],
    [
      'a name in EHLO, before the sender',
      'spf=pass smtp.helo=x(a)smtp.mailfrom=ceo@bank.example smtp.mailfrom=e@e.example',
    ],
    ['other white space', 'spf=none smtp.helo=x;\u00a0dkim=pass\u00a0header.d=bank.example'],
    ['a backslash', 'spf=pass smtp.mailfrom="\\"x@bank.example'],
  ])('is not proven by what a stranger can put into the results: %s', (_what, result) => {
    expect(judged(result)).toBe('none');
  });

  it('is proven by no result of another server, and by none without a confirmed name', () => {
    const pass = 'dmarc=pass header.from=bank.example';
    expect(authenticationOf('a@bank.example', [`other.example; ${pass}`], OWN)).toBe('none');
    expect(
      authenticationOf('a@bank.example', [`other.example; ${pass}`, `MX.Own.example 1; ${pass}`], OWN),
    ).toBe('pass');
    expect(authenticationOf('a@bank.example', [`${OWN}; ${pass}`], null)).toBe('none');
    // Some servers leave out their name.
    expect(authenticationOf('a@bank.example', [pass], OWN)).toBe('none');
    expect(authenticationOf('a@bank.example', [`${pass}; x`], 'dmarc=pass')).toBe('none');
  });

  it('is proven by nothing that a stranger says in EHLO or in the envelope', () => {
    // A name in EHLO has no white space in it. A local part is a word, or it is quoted.
    const piece = fc.constantFrom(
      ';',
      '(',
      ')',
      '=',
      '@',
      '"',
      '\\',
      'x',
      'dkim=pass',
      'header.d=bank.example',
      'smtp.mailfrom=bank.example',
      'dmarc=pass',
      'header.from=bank.example',
      '/',
      '\t;',
      ' ',
    );
    const said = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''));
    const helo = said.map((text) => text.replace(/\s/g, ''));
    const word = said.map((text) => text.replace(/[\s()"\\;@]/g, '') || 'a');
    const quoted = said.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`);
    const formats: readonly ((name: string, local: string) => string)[] = [
      (name, local) => `spf=pass smtp.helo=${name} smtp.mailfrom=${local}@evil.example; dkim=none`,
      (name, local) =>
        `spf=pass (helo=${name}; sender ${local}@evil.example) smtp.mailfrom=evil.example; dkim=none`,
      (name, local) => `spf=pass smtp.mailfrom=${local}@evil.example smtp.helo=${name}; dkim=none`,
      (name) => `spf=none smtp.helo=${name};\r\n dkim=none`,
    ];
    fc.assert(
      fc.property(helo, fc.oneof(word, quoted), fc.constantFrom(...formats), (name, local, format) => {
        expect(judged(format(name, local))).not.toBe('pass');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the name of the receiving server', () => {
  const mail = (at: number, id: string | undefined) => ({
    from: `Ann <ann@d${at % 12}.example>`,
    results: id === undefined ? [] : [`${id}; none`],
  });
  const sample = (idOf: (at: number) => string | undefined) =>
    Array.from({ length: SAMPLE }, (_, at) => mail(at, idOf(at)));

  it('stands in 95 of 100 messages, from ten domains', () => {
    expect(authservIdIn(sample(() => 'MX.own.example'))).toBe(OWN);
    expect(authservIdIn(sample((at) => (at < 2 ? undefined : OWN)))).toBe(OWN);
    expect(authservIdIn(sample((at) => (at < 3 ? undefined : OWN)))).toBeUndefined();
    expect(authservIdIn(sample((at) => (at < 3 ? 'other.example' : OWN)))).toBeUndefined();
    expect(authservIdIn(sample(() => undefined))).toBeUndefined();
    expect(authservIdIn([])).toBeUndefined();
    const fewDomains = Array.from({ length: SAMPLE }, (_, at) => mail(at % 9, OWN));
    expect(authservIdIn(fewDomains)).toBeUndefined();
    expect(authservIdIn(Array.from({ length: 10 }, (_, at) => mail(at, OWN)))).toBe(OWN);
  });
});
