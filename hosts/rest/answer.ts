import type { Outcome } from '../../core/call/outcome.ts';
import type { PublicBase } from '../http/public-base.ts';
import { codedBody, failureStatus, type Reply } from '../http/reply.ts';
import type { Route } from './routes.ts';

export type Form = Pick<Route, 'form' | 'created'>;

export const ENVELOPE: Form = { form: 'envelope' };

export function bodyOf(outcome: Outcome, { form }: Form): string {
  if (outcome.status === 'error') return form === 'envelope' ? JSON.stringify(outcome) : codedBody(outcome);
  const isBare = form === 'bare' && outcome.status !== 'pending_approval';
  return JSON.stringify(isBare ? outcome.result : outcome);
}

/** Returns the status and the headers that depend on the outcome. */
export function statusOf(
  outcome: Outcome,
  { created }: Form,
  base: PublicBase,
): Pick<Reply, 'status' | 'headers'> {
  switch (outcome.status) {
    case 'pending_approval':
      return { status: 202, headers: { Location: base.path(`/v1/approvals/${outcome.approval.id}`) } };
    case 'error':
      return failureStatus(outcome);
    default: {
      const location = created?.(outcome.result);
      return location === undefined
        ? { status: 200, headers: {} }
        : { status: 201, headers: { Location: base.path(location) } };
    }
  }
}
