import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signatureHeader } from '../../../core/events/signature.ts';
import {
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from '../../../hosts/webhooks/verify-webhook.ts';

const SECRET = 'whsec_c2VjcmV0';
const NOW = new Date('2026-11-22T12:00:00.900Z');
const AT_S = Math.floor(NOW.getTime() / 1000);
const EVENT = {
  id: 'evt_2mJ8s0Qx',
  type: 'approval.decided',
  created_at: '2026-11-22T12:00:00.000Z',
  api_version: 'v1',
  data: { approval_id: 'apr_1', state: 'executed', account_id: 1 },
};
const BODY = Buffer.from(JSON.stringify(EVENT));
const HEADER = signatureHeader(BODY, [SECRET], AT_S);

interface Request {
  readonly body?: Uint8Array | string;
  readonly headers?: WebhookHeaders;
  readonly secret?: string;
  readonly now?: Date;
}

const verify = ({ body = BODY, headers = signed(HEADER), secret = SECRET, now = NOW }: Request = {}) =>
  verifyWebhook(body, headers, secret, { now });

function signed(header: string): WebhookHeaders {
  return { 'service-signature': header };
}

/** The code of the refusal, or the event. */
function refusal(request: Request): unknown {
  try {
    return verify(request);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    throw error;
  }
}

describe('verifyWebhook', () => {
  it.each<[string, Request]>([
    ['bytes', { body: new Uint8Array(BODY) }],
    ['text', { body: BODY.toString() }],
    ['headers of Node', { headers: { host: 'x', 'set-cookie': ['a'], 'service-signature': HEADER } }],
    ['distinct headers of Node', { headers: { 'service-signature': [HEADER] } }],
    ['Headers of the Fetch API', { headers: new Headers({ 'Service-Signature': HEADER }) }],
    [
      'a Request of the Fetch API',
      { headers: new Request('https://x', { headers: { 'service-signature': HEADER } }).headers },
    ],
  ])('returns the event from %s', (_form, request) => {
    expect(verify(request)).toEqual(EVENT);
  });

  it('uses the clock of this machine by default', () => {
    const header = signatureHeader(BODY, [SECRET], Math.floor(Date.now() / 1000));
    expect(verifyWebhook(BODY, signed(header), SECRET)).toEqual(EVENT);
    expect(() => verifyWebhook(BODY, signed(signatureHeader(BODY, [SECRET], 0)), SECRET)).toThrow(
      '300 seconds old',
    );
  });

  it('accepts both secrets during the overlap of a rotation', () => {
    const headers = signed(signatureHeader(BODY, ['whsec_new', SECRET], AT_S));
    expect(verify({ headers })).toEqual(EVENT);
    expect(verify({ headers, secret: 'whsec_new' })).toEqual(EVENT);
    expect(refusal({ headers, secret: 'whsec_older' })).toBe('wrong');
  });

  it('keeps fields that a later version adds', () => {
    const later = { ...EVENT, data: { ...EVENT.data, key_id: 'key_1' }, attempt: 1 };
    const body = JSON.stringify(later);
    expect(verify({ body, headers: signed(signatureHeader(Buffer.from(body), [SECRET], AT_S)) })).toEqual(
      later,
    );
  });
});

describe('verifyWebhook refuses', () => {
  it('any other body', () => {
    const index = fc.nat({ max: BODY.length - 1 });
    const replaced = fc.tuple(index, fc.integer({ min: 1, max: 255 })).map(([at, bits]) => {
      const body = Buffer.from(BODY);
      body[at] = (body[at] ?? 0) ^ bits;
      return body;
    });
    const cut = index.map((end) => BODY.subarray(0, end));
    const longer = fc.uint8Array({ minLength: 1 }).map((more) => Buffer.concat([BODY, more]));
    fc.assert(
      fc.property(fc.oneof(replaced, cut, longer, fc.uint8Array()), (body) => {
        expect(refusal({ body })).toBe('wrong');
      }),
    );
  });

  it('a body that was parsed and written again', () => {
    expect(refusal({ body: JSON.stringify(EVENT, undefined, 1) })).toBe('wrong');
  });

  it('any other secret', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.nat({ max: SECRET.length - 1 }).map((end) => SECRET.slice(0, end)),
        ),
        (secret) => {
          fc.pre(secret !== SECRET);
          expect(refusal({ secret })).toBe('wrong');
        },
      ),
    );
  });

  it('a clock that differs by more than 300 seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 301, max: 1_000_000_000 }), (seconds) => {
        expect(refusal({ now: new Date((AT_S + seconds) * 1000) })).toBe('too_old');
        expect(refusal({ now: new Date((AT_S - seconds) * 1000) })).toBe('too_new');
      }),
    );
    expect(refusal({ now: new Date((AT_S + 300) * 1000 + 999) })).toEqual(EVENT);
  });

  it.each<[string, WebhookHeaders]>([
    ['no headers', {}],
    ['a signature that is undefined', { 'service-signature': undefined }],
    ['an empty list', { 'service-signature': [] }],
    ['Headers without it', new Headers({ 'stripe-signature': HEADER })],
  ])('%s as no_signature', (_what, headers) => {
    expect(refusal({ headers })).toBe('no_signature');
  });

  it.each<[string, WebhookHeaders]>([
    ['an empty signature', signed('')],
    ['a bare signature', signed(HEADER.replace(/^.*v1=/, ''))],
    [
      'two signatures in one Headers',
      new Headers([
        ['service-signature', HEADER],
        ['service-signature', HEADER],
      ]),
    ],
  ])('%s as malformed', (_what, headers) => {
    expect(refusal({ headers })).toBe('malformed');
  });

  it.each([
    ['text that is not JSON', 'hello'],
    ['JSON that is not an object', '[]'],
    ['an event without an id', JSON.stringify({ ...EVENT, id: undefined })],
    ['an event of an unknown type', JSON.stringify({ ...EVENT, type: 'message.sent' })],
    ['an event of another version', JSON.stringify({ ...EVENT, api_version: 'v2' })],
    ['an unknown state', JSON.stringify({ ...EVENT, data: { ...EVENT.data, state: 'pending' } })],
  ])('%s, though signed, as unreadable', (_what, body) => {
    const headers = signed(signatureHeader(Buffer.from(body), [SECRET], AT_S));
    expect(refusal({ body, headers })).toBe('unreadable');
  });

  it('with a message that reveals neither the secret nor the expected signature', () => {
    for (const header of ['', 't=1', HEADER.slice(0, -1)]) {
      try {
        verify({ headers: signed(header) });
        expect.unreachable();
      } catch (error) {
        expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(
          new RegExp(`${SECRET}|${HEADER.slice(-64)}`),
        );
      }
    }
  });
});
