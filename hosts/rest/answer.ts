import type { Rate } from '../../core/limits.ts';
import type { Failure, Outcome } from '../../core/outcome.ts';
import { STATUS } from './error-status.ts';
import type { Route } from './routes.ts';

/** A whole answer, before it is written to a connection. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Form = Pick<Route, 'form' | 'created'>;

export const ENVELOPE: Form = { form: 'envelope' };

/** For a 429 or 503 that knows no better: how soon polling makes sense. */
const RETRY_AFTER_DEFAULT_S = 30;

/** The body, as it goes over the wire. */
export function bodyOf(outcome: Outcome, { form }: Form): string {
  if (outcome.status === 'error') {
    return JSON.stringify(form === 'envelope' ? outcome : { error: outcome.code, ...outcome });
  }
  const isBare = form === 'bare' && outcome.status !== 'pending_approval';
  return JSON.stringify(isBare ? outcome.result : outcome);
}

/** The status and the headers that follow from what the answer says. */
export function statusOf(outcome: Outcome, { created }: Form): Pick<Reply, 'status' | 'headers'> {
  switch (outcome.status) {
    case 'pending_approval':
      return { status: 202, headers: { Location: `/v1/approvals/${outcome.approval.id}` } };
    case 'error':
      return { status: STATUS[outcome.code], headers: failureHeaders(outcome) };
    default: {
      const location = created?.(outcome.result);
      return location === undefined
        ? { status: 200, headers: {} }
        : { status: 201, headers: { Location: location } };
    }
  }
}

function failureHeaders(failure: Failure): Record<string, string> {
  const status = STATUS[failure.code];
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' };
  if (status === 429 || status === 503) return { 'Retry-After': String(retryAfterS(failure)) };
  return {};
}

function retryAfterS({ details }: Failure): number {
  const seconds = details?.retry_after_s;
  if (typeof seconds === 'number') return Math.max(1, Math.ceil(seconds));
  const resetsAt = typeof details?.resets_at === 'string' ? Date.parse(details.resets_at) : Number.NaN;
  if (Number.isNaN(resetsAt)) return RETRY_AFTER_DEFAULT_S;
  return Math.max(1, Math.ceil((resetsAt - Date.now()) / 1000));
}

/** The headers of every answer. */
export function commonHeaders(requestId: string): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
}

/** As draft-ietf-httpapi-ratelimit-headers-06 has them. Source: API.md, Limits. */
export function rateHeaders(rate: Rate): Record<string, string> {
  return {
    'RateLimit-Limit': String(rate.limit),
    'RateLimit-Remaining': String(rate.remaining),
    'RateLimit-Reset': String(rate.resetS),
    'RateLimit-Policy': `${rate.limit};w=60`,
  };
}
