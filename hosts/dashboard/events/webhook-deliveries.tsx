import type { DeliveryRecord } from '../../../core/events/delivery-storage.ts';
import { webhookBody, webhookHeaders } from '../../../core/events/webhook-event.ts';
import type { AttemptLog } from '../../../core/events/webhook-state.ts';
import type { WebhookEndpoint } from '../../../core/events/webhooks.ts';
import { Form } from '../forms/forms.tsx';
import { IntegrationsTabs } from '../keys/integrations-tabs.tsx';
import { DELIVERY_TITLES, EVENT_TITLES } from '../labels.ts';
import { Link } from '../links.tsx';
import { Notice } from '../notice.tsx';
import { notFoundPage } from '../problem.tsx';
import { ExactText } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply, redirect } from '../visit.ts';
import { When } from '../when.tsx';
import { EndpointCard, findEndpoint, isSending, pathOf } from './webhooks.tsx';

const ROWS = 20;
/** While the first attempt of a delivery is about to end. */
const REFRESH_S = 3;

/** One endpoint with its deliveries, newest first. */
export async function deliveriesPage(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param, query } = visit;
  const endpoint = await findEndpoint(visit);
  if (endpoint === undefined) return notFoundPage();
  const before = sequenceIn(query.get('before'));
  const [{ deliveries, more }, keys] = await Promise.all([
    service.webhooks.deliveries(owner.ownerId, param, { limit: ROWS, ...(before && { before }) }),
    service.keys.list(owner.ownerId),
  ]);
  const canSend = isSending(endpoint, keys);
  const last = deliveries.at(-1);
  const reply = page(
    'Deliveries',
    <>
      <h1>Integrations</h1>
      <IntegrationsTabs current="webhooks" />
      <Notice code={query.get('notice')} />
      <EndpointCard endpoint={endpoint} keys={keys} visit={visit} />
      <section aria-labelledby="deliveries">
        <h2 id="deliveries">Deliveries</h2>
        {deliveries.length > 0 ? null : <p class="quiet">Nothing here yet.</p>}
        <ul class="rows">
          {deliveries.map((delivery) => (
            <Row delivery={delivery} endpoint={endpoint} canSend={canSend} visit={visit} />
          ))}
        </ul>
        <p class="pages">
          {before === undefined ? null : <Link to={pathOf(endpoint)}>Newest</Link>}
          {more && last !== undefined ? (
            <Link to={`${pathOf(endpoint)}?before=${last.event.sequence}`}>Older</Link>
          ) : null}
        </p>
      </section>
    </>,
  );
  const isChanging = canSend && deliveries.some(isFirstAttempt);
  return isChanging ? { ...reply, refreshS: REFRESH_S } : reply;
}

export async function redeliver({ service, owner, param, fields }: OwnerVisit): Promise<Reply> {
  const sequence = sequenceIn(fields.get('sequence'));
  if (sequence === undefined) return notFoundPage();
  await service.webhooks.redeliver(owner.ownerId, param, sequence);
  return redirect(`/integrations/webhooks/${param}?notice=redelivered`);
}

function sequenceIn(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

function isFirstAttempt({ state, log }: DeliveryRecord): boolean {
  return state === 'waiting' && log.length === 0;
}

interface RowProps {
  delivery: DeliveryRecord;
  endpoint: WebhookEndpoint;
  /** Whether events are sent to the endpoint. */
  canSend: boolean;
  visit: OwnerVisit;
}

function Row({ delivery, endpoint, canSend, visit }: RowProps) {
  const { event, state, attempts, dueAt, log } = delivery;
  const zone = visit.owner.timezone;
  return (
    <li>
      <div class="row-head">
        <strong>{EVENT_TITLES[event.type]}</strong>
        <span class="state" data-state={state}>
          {DELIVERY_TITLES[state]}
        </span>
      </div>
      <div class="quiet">
        <When at={event.createdAt} zone={zone} /> · {event.id} ·{' '}
        {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
        {state === 'waiting' ? <NextAttempt dueAt={dueAt} zone={zone} /> : null}
      </div>
      {state === 'dropped' ? (
        <div class="quiet">Its endpoint, key or permission was off when an attempt was due.</div>
      ) : null}
      <details>
        <summary>Request and answers</summary>
        <ExactText id={`request-${event.sequence}`} text={requestText(delivery, endpoint)} />
        {log.map((attempt) => (
          <Attempt attempt={attempt} zone={zone} />
        ))}
      </details>
      {canSend && state !== 'waiting' ? (
        <div class="actions">
          <Form action={`${pathOf(endpoint)}/redeliver`} token={visit.token}>
            <input type="hidden" name="sequence" value={String(event.sequence)} />
            <button type="submit" class="outline">
              Redeliver
            </button>
          </Form>
        </div>
      ) : null}
    </li>
  );
}

function NextAttempt({ dueAt, zone }: { dueAt: Date | null; zone: string }) {
  if (dueAt === null) return <> · an attempt is under way</>;
  return (
    <>
      {' '}
      · next attempt <When at={dueAt} zone={zone} />
    </>
  );
}

/**
 * The request of the newest attempt. The signature is left out: it differs in each attempt, and a valid one is of use to
 * others for five minutes.
 */
function requestText({ event, attempts }: DeliveryRecord, { url }: WebhookEndpoint): string {
  const headers = webhookHeaders(event, Math.max(1, attempts), 't=…,v1=…');
  return [
    `POST ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    Buffer.from(webhookBody(event)).toString('utf8'),
  ].join('\n');
}

/** The body of an answer is never kept: it could be that of a server inside the operator's network. */
function Attempt({ attempt, zone }: { attempt: AttemptLog; zone: string }) {
  const { at, durationMs, status, text } = attempt;
  return (
    <div class="quiet">
      <When at={at} zone={zone} /> · {durationMs} ms ·{' '}
      {status === null ? `no answer: ${text}` : `answered ${status}`}
    </div>
  );
}
