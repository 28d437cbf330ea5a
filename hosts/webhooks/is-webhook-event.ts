import { REPORTED_STATES } from '../../core/approvals/approval.ts';
import type { EventContent, EventType, WebhookEvent } from '../../core/events/webhook-event.ts';

type Check = (value: unknown) => boolean;

const text =
  (pattern: RegExp, maxLength: number): Check =>
  (value) =>
    typeof value === 'string' && value.length <= maxLength && pattern.test(value);
const isString: Check = (value) => typeof value === 'string';
const isAccountId: Check = (value) => value === null || Number.isSafeInteger(value);

const DATA: {
  readonly [Type in EventType]: Readonly<Record<keyof Extract<EventContent, { type: Type }>['data'], Check>>;
} = {
  'message.received': { account_id: isAccountId, message_id: text(/^m1_[A-Za-z0-9_-]+$/, 1440) },
  'approval.decided': {
    approval_id: text(/^apr_/, 26),
    state: (value) => REPORTED_STATES.some((state) => state === value),
    account_id: isAccountId,
  },
  'webhook.test': { endpoint_id: isString },
};

/**
 * Accepts what the schema `webhookEvent` accepts. It is written by hand because a receiver bundles it: zod would make
 * that bundle more than ten times as large.
 */
export function isWebhookEvent(value: unknown): value is WebhookEvent {
  if (!isRecord(value) || !isEventType(value.type)) return false;
  const { id, created_at, api_version, data } = value;
  return (
    text(/^evt_/, Number.POSITIVE_INFINITY)(id) &&
    isString(created_at) &&
    api_version === 'v1' &&
    isRecord(data) &&
    Object.entries(DATA[value.type]).every(([name, check]) => check(data[name]))
  );
}

function isEventType(value: unknown): value is EventType {
  return typeof value === 'string' && Object.hasOwn(DATA, value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
