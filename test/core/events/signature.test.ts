import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newEndpointSecret, signatureFault, signatureHeader } from '../../../core/events/signature.ts';

const BODY = Buffer.from('{"id":"evt_1"}');
const SECRET = 'whsec_test';
const AT_S = 1_700_000_000;
/** printf '1700000000.{"id":"evt_1"}' | openssl dgst -sha256 -hmac whsec_test */
const SIGNATURE = 'c89214b5b5da833daed6f0b8c5bb6bd58cea9022bd80ccc78230f3942d632925';

const bytes = fc.uint8Array({ maxLength: 300 });
const secrets = fc.uniqueArray(fc.stringMatching(/^whsec_[\w-]{1,50}$/), { minLength: 1, maxLength: 2 });
const unixS = fc.integer({ min: 0, max: 999_999_999_999 });

describe('a new endpoint secret', () => {
  it('starts with whsec_ and contains 32 random bytes', () => {
    expect(newEndpointSecret((count) => Buffer.alloc(count, 0xff))).toBe(`whsec_${'_'.repeat(42)}8`);
  });
});

describe('signatureHeader', () => {
  it('equals the result of openssl, with a second v1 for a second secret', () => {
    expect(signatureHeader(BODY, [SECRET], AT_S)).toBe(`t=${AT_S},v1=${SIGNATURE}`);
    expect(signatureHeader(BODY, ['whsec_new', SECRET], AT_S)).toBe(
      `t=${AT_S},v1=f3ac0c93c23f69e2e6046d7f0e2c82c93d0403de0f8651457189ab70fbbfcaae,v1=${SIGNATURE}`,
    );
  });

  it('is accepted with each of its secrets, up to 300 seconds from the clock', () => {
    fc.assert(
      fc.property(bytes, secrets, unixS, fc.integer({ min: -300, max: 300 }), (body, all, at, offsetS) => {
        const header = signatureHeader(body, all, at);
        for (const secret of all) expect(signatureFault(header, body, secret, at + offsetS)).toBeUndefined();
      }),
    );
  });
});

describe('signatureFault', () => {
  const header = `t=${AT_S},v1=${SIGNATURE}`;
  const faultOf = (changed: string, nowS = AT_S) => signatureFault(changed, BODY, SECRET, nowS);

  it.each([
    ['nothing', ''],
    ['no time', `v1=${SIGNATURE}`],
    ['no signature', `t=${AT_S}`],
    ['two times', `t=${AT_S},${header}`],
    ['a time that is not a number', `t=now,v1=${SIGNATURE}`],
    ['a negative time', `t=-${AT_S},v1=${SIGNATURE}`],
    ['a fraction of a second', `t=${AT_S}.0,v1=${SIGNATURE}`],
    ['a time with a leading zero', `t=0${AT_S},v1=${SIGNATURE}`],
    ['a time of 13 digits', `t=${AT_S}000,v1=${SIGNATURE}`],
    ['other separators', header.replace(',', ';')],
    ['upper-case names', header.toUpperCase()],
    ['only another version of the signature', header.replace('v1', 'v0')],
  ])('is malformed with %s', (_what, changed) => {
    expect(faultOf(changed)).toBe('malformed');
  });

  it.each([
    ['an upper-case signature', `t=${AT_S},v1=${SIGNATURE.toUpperCase()}`],
    ['a signature with something behind it', `${header}=`],
    ['an empty signature', `t=${AT_S},v1=`],
    ['half a signature', header.slice(0, -32)],
    ['the time of another second', header.replace(String(AT_S), String(AT_S + 1))],
  ])('is wrong with %s', (_what, changed) => {
    expect(faultOf(changed)).toBe('wrong');
  });

  it('accepts spaces after commas, and unknown fields', () => {
    expect(faultOf(`t=${AT_S}, v0=abc, v1=${'0'.repeat(64)}, v1=${SIGNATURE}`)).toBeUndefined();
  });

  it.each([
    [301, 'too_old'],
    [300, undefined],
    [-300, undefined],
    [-301, 'too_new'],
  ])('with a clock that differs by %i seconds is %s', (offsetS, fault) => {
    expect(faultOf(header, AT_S + offsetS)).toBe(fault);
  });

  it('refuses every other character in a header', () => {
    const at = fc.nat({ max: header.length - 1 });
    const character = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 });
    fc.assert(
      fc.property(at, character, (index, other) => {
        fc.pre(other !== header[index]);
        const changed = header.slice(0, index) + other + header.slice(index + 1);
        expect(faultOf(changed)).toMatch(/^(malformed|wrong)$/);
      }),
    );
  });

  it('refuses any text that does not contain the signature', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^t=\d{1,12}(,v1=[0-9a-f]{64}){1,3}$/)), (text) => {
        expect(faultOf(text)).toMatch(/^(malformed|wrong)$/);
      }),
    );
  });
});
