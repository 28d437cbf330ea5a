import { REPORTED_STATES } from '../../core/approvals/approval.ts';
import { ATTEMPT_MS, ATTEMPTS_MAX, DELAYS_MS, WAIT_MAX_MS } from '../../core/events/delivery.ts';
import { DISABLED_REASONS, type DisabledReason, FAILING_MS } from '../../core/events/endpoint-health.ts';
import { TOLERANCE_S } from '../../core/events/signature.ts';
import {
  EVENT_TYPES,
  EVENTS,
  type EventType,
  SUBSCRIBED_TYPES,
  webhookEnvelope,
} from '../../core/events/webhook-event.ts';
import { ROTATION_OVERLAP_MS } from '../../core/events/webhooks.ts';
import { EVENTS_KEPT_MS } from '../../core/service/background-work.ts';
import { HEADERS } from '../../hosts/rest/openapi/webhooks.ts';
import { WebhookVerificationError } from '../../hosts/webhooks/verify-webhook.ts';
import { code, codes, durationText, list, page, prose, table, wrapped } from './markdown.ts';
import { anchorOf } from './page-links.ts';
import { shapeRows } from './schema-rows.ts';

/** docs/reference/events.md: what happens on its own, and how webhooks and an embedding app learn of it. */

const HEADER_MEANS: Readonly<Record<string, string>> = {
  'Service-Signature': '`t=<unix seconds>,v1=<hex>`; see [Signature](#signature)',
  'Service-Event-Id': 'The `id` of the body. Skip one that you have handled.',
  'Service-Event-Type': 'The `type` of the body.',
  'Service-Delivery-Attempt': `Which attempt this is, from 1 to ${ATTEMPTS_MAX}.`,
};

const DISABLED_MEANS: Readonly<Record<DisabledReason, string>> = {
  gone: 'It answered 410.',
  failing: `Nothing was delivered for ${durationText(FAILING_MS)}, and something failed.`,
};

type FaultCode = WebhookVerificationError['code'];

const FAULTS = {
  no_signature: true,
  malformed: true,
  wrong: true,
  too_old: true,
  too_new: true,
  unreadable: true,
} as const satisfies Record<FaultCode, true>;

export function eventsPage(): string {
  return page(
    '# Events and webhooks',
    wrapped(
      'An event says that something happened. It contains identifiers only, never a subject, a sender or text: read the rest with the same key. Countersign posts events to the HTTPS endpoints that the owner registers, and gives them to an app that embeds it.',
    ),
    table(
      ['event', 'when', 'sent to'],
      EVENT_TYPES.map((type) => [
        `[${code(type)}](#${anchorOf(type)})`,
        prose(EVENTS[type].when),
        receiversOf(type),
      ]),
    ),
    '## Body',
    wrapped(
      'Ignore fields that you do not know: later versions may add some. [Forms of texts](tools.md#forms-of-texts) says what ids look like.',
    ),
    ...shapeTables('message.received', (path) => !path.startsWith('data.')),
    ...EVENT_TYPES.flatMap(typeSection),
    '## Request',
    wrapped('A `POST` over HTTPS with `Content-Type: application/json` and these headers:'),
    table(
      ['header', 'value'],
      HEADERS.map(({ name }) => [code(name), headerMeans(name)]),
    ),
    '## Signature',
    wrapped(
      '`v1` is the lower-case hex HMAC-SHA256 of `<t>.<raw body>`, keyed with the whole secret of the endpoint (`whsec_…`). Verify the raw bytes before you parse them.',
    ),
    list([
      `For ${durationText(ROTATION_OVERLAP_MS)} after the secret is rotated, a second \`v1\` of the previous secret follows. Accept any that matches.`,
      `Refuse a \`t\` more than ${TOLERANCE_S} seconds from your clock.`,
      'In Node, `verifyWebhook(rawBody, headers, secret)` of `countersign/webhooks` does all of this. It throws a `WebhookVerificationError`; answer it with 400.',
    ]),
    table(
      ['its `code`', 'means'],
      (Object.keys(FAULTS) as FaultCode[]).map((fault) => [
        code(fault),
        prose(new WebhookVerificationError(fault).message),
      ]),
    ),
    '## Delivery',
    list([
      `A 2xx within ${durationText(ATTEMPT_MS)} means delivered. Anything else is tried again, a redirect too.`,
      `At most ${ATTEMPTS_MAX} attempts: at once, and then ${DELAYS_MS.map(durationText).join(', ')} after the end of the one before, each up to a tenth earlier or later.`,
      `An answer with \`Retry-After\` moves the next attempt further away, by at most ${durationText(WAIT_MAX_MS)}.`,
      'Events can come more than once and out of order.',
      `Events are kept for ${durationText(EVENTS_KEPT_MS)}. On the dashboard, the owner can send one again.`,
    ]),
    wrapped(
      'An endpoint is switched off for one of these reasons. What waited for it is dropped, and what happens while it is off is not sent later.',
    ),
    table(
      ['reason', 'means'],
      DISABLED_REASONS.map((reason) => [code(reason), DISABLED_MEANS[reason]]),
    ),
    '## In an app that embeds Countersign',
    wrapped(
      `\`service.on(type, listener, { after })\` calls a listener with the events of ${codes(SUBSCRIBED_TYPES)}, of all owners, at least once and in the order of each owner. \`after\` is the \`cursor\` of the last event that was handled. \`service.on('approval.pending', listener)\` reports requests that begin to wait, in the process that filed them.`,
    ),
  );
}

function receiversOf(type: EventType): string {
  return SUBSCRIBED_TYPES.some((one) => one === type) ? 'endpoints' : 'the endpoint under test';
}

function headerMeans(name: string): string {
  const means = HEADER_MEANS[name];
  if (means === undefined) throw new Error(`HEADER_MEANS has no words for ${name}`);
  return means;
}

function typeSection(type: EventType): readonly string[] {
  const states =
    type === 'approval.decided'
      ? [
          wrapped(
            `[States of a request](errors.md#states-of-a-request) says what ${codes(REPORTED_STATES)} mean.`,
          ),
        ]
      : [];
  return [
    `## ${type}`,
    wrapped(prose(EVENTS[type].when)),
    ...shapeTables(type, (path) => path.startsWith('data.')),
    ...states,
  ];
}

function shapeTables(type: EventType, isShown: (path: string) => boolean): string[] {
  return shapeRows(webhookEnvelope(type)).map((rows) =>
    table(
      ['field', 'type', 'meaning'],
      rows
        .filter(({ path }) => isShown(path))
        .map((row) => (row.path === 'type' ? { ...row, type: 'one of the events above' } : row))
        .map(({ path, type: ofField, meaning }) => [code(path), ofField, prose(meaning)]),
    ),
  );
}
