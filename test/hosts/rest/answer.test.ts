import { describe, expect, it } from 'vitest';
import { failure, type Outcome } from '../../../core/call/outcome.ts';
import { publicBase } from '../../../hosts/http/public-base.ts';
import { bodyOf, statusOf } from '../../../hosts/rest/answer.ts';
import { findRoute } from '../../../hosts/rest/routes.ts';

function routeOf(method: string, path: string) {
  const found = findRoute(method, path);
  if (found.kind !== 'route') throw new Error(`no route ${method} ${path}`);
  return found.route;
}

const tracker = (result: Record<string, unknown>): Outcome => ({ status: 'ok', executed: true, result });
const pending: Outcome = {
  status: 'pending_approval',
  executed: false,
  approval: { id: 'apr_1', state: 'pending', tool: 'create_tracker', created_at: '' },
  approvals_url: '',
  poll_after_s: 15,
  message: '',
};

const base = publicBase('https://api.example.org');

describe('a created tracker', () => {
  const route = routeOf('POST', '/v1/trackers');

  it.each([
    ['that was made', tracker({ tracker_id: 7 }), 201, { Location: '/v1/trackers/7' }],
    ['whose approval comes back instead', tracker({ approval: {} }), 200, {}],
    ['that waits', pending, 202, { Location: '/v1/approvals/apr_1' }],
  ])('%s', (_name, outcome, status, headers) => {
    expect(statusOf(outcome, route, base)).toEqual({ status, headers });
  });

  it('has a Location below the public base', () => {
    const below = publicBase('https://example.org/mail');
    expect(statusOf(tracker({ tracker_id: 7 }), route, below).headers.Location).toBe('/mail/v1/trackers/7');
    expect(statusOf(pending, route, below).headers.Location).toBe('/mail/v1/approvals/apr_1');
  });

  it('is a 200 through the tool route', () => {
    const called = routeOf('POST', '/v1/tools/create_tracker');
    expect(statusOf(tracker({ tracker_id: 7 }), called, base).status).toBe(200);
  });
});

describe('Retry-After', () => {
  const of = (...why: Parameters<typeof failure>) =>
    statusOf(failure(...why), routeOf('GET', '/v1/me'), base).headers['Retry-After'];

  it.each([
    ['what the details say', of('rate_limited', { retry_after_s: 12 }), '12'],
    ['whole seconds', of('temporarily_unavailable', { retry_after_s: 0.2 }), '1'],
    ['absent elsewhere', of('idempotency_in_progress', { retry_after_s: 12 }), undefined],
  ])('is %s', (_name, header, seconds) => {
    expect(header).toBe(seconds);
  });
});

describe('the body', () => {
  const ok: Outcome = { status: 'ok', result: { a: 1 } };
  const error = failure('not_found', { reason: 'message' });
  const envelope = { status: 'error', code: 'not_found', message: error.message, details: error.details };

  it.each([
    ['GET', '/v1/me', { a: 1 }, { error: 'not_found', ...envelope }],
    ['GET', '/v1/approvals', { a: 1 }, { error: 'not_found', ...envelope }],
    ['GET', '/v1/approvals/apr_1', ok, { error: 'not_found', ...envelope }],
    ['POST', '/v1/approvals/apr_1/cancel', ok, { error: 'not_found', ...envelope }],
    ['POST', '/v1/tools/get_me', ok, { error: 'not_found', ...envelope }],
    ['GET', '/v1/messages', ok, envelope],
    ['POST', '/v1/messages', ok, envelope],
    ['GET', '/v1/accounts', ok, envelope],
  ])('of %s %s', (method, path, success, failed) => {
    const route = routeOf(method, path);
    expect(JSON.parse(bodyOf(ok, route))).toEqual(success);
    expect(JSON.parse(bodyOf(error, route))).toEqual(failed);
  });
});
