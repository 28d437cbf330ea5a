import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type WebhookEvent, webhookEvent } from '../../../core/events/webhook-event.ts';
import { isWebhookEvent } from '../../../hosts/webhooks/is-webhook-event.ts';

const envelope = { id: 'evt_2mJ8s0Qx', created_at: '2026-11-22T12:00:00.000Z', api_version: 'v1' } as const;
const EVENTS: readonly WebhookEvent[] = [
  { ...envelope, type: 'message.received', data: { account_id: 1, message_id: 'm1_AAAA' } },
  {
    ...envelope,
    type: 'approval.decided',
    data: { approval_id: 'apr_1', state: 'executed', account_id: null },
  },
  { ...envelope, type: 'webhook.test', data: { endpoint_id: 'wh_1' } },
];

/** Values near the limits of the schema, and values of other types. */
const VALUES: readonly unknown[] = [
  ...[
    'evt_',
    'evt',
    'apr_',
    `apr_${'x'.repeat(22)}`,
    `apr_${'x'.repeat(23)}`,
    'm1_',
    'm1_a',
    'm1_ä',
    'm1_a\n',
  ],
  ...[`m1_${'a'.repeat(1437)}`, `m1_${'a'.repeat(1438)}`, 'v1', 'v2', 'pending', 'outcome_unknown'],
  ...['webhook.test', 'approval.decided', 'message.received', 'toString', '__proto__'],
  ...[null, 0, -1, 1.5, 2 ** 53, Number.MAX_SAFE_INTEGER, true, [], {}],
];
const FIELDS = ['id', 'type', 'created_at', 'api_version', 'data', 'later'];
const MEMBERS = ['account_id', 'message_id', 'approval_id', 'state', 'endpoint_id', 'later'];

function expectAgreement(input: unknown): void {
  expect(isWebhookEvent(input)).toBe(webhookEvent.safeParse(input).success);
}

describe('isWebhookEvent', () => {
  it.each(EVENTS)('accepts $type', (event) => {
    expect(isWebhookEvent(event)).toBe(true);
  });

  it('agrees with the schema on every single change of an event', () => {
    for (const event of EVENTS) {
      for (const field of FIELDS) {
        expectAgreement(without(event, field));
        for (const value of VALUES) expectAgreement({ ...event, [field]: value });
      }
      for (const member of MEMBERS) {
        expectAgreement({ ...event, data: without(event.data, member) });
        for (const value of VALUES) expectAgreement({ ...event, data: { ...event.data, [member]: value } });
      }
    }
  });

  it('agrees with the schema on any JSON', () => {
    fc.assert(fc.property(fc.jsonValue(), expectAgreement));
  });
});

function without(record: object, name: string): object {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}
