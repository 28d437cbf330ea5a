import { type SignatureFault, signatureFault } from '../../core/events/signature.ts';
import type { WebhookEvent } from '../../core/events/webhook-event.ts';
import { isWebhookEvent } from './is-webhook-event.ts';

export type { SignatureFault } from '../../core/events/signature.ts';
export type { EventType, WebhookEvent } from '../../core/events/webhook-event.ts';

/** The headers of a request: Node's object, or a `Headers` of the Fetch API. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

/** Says why a request is not a webhook from Countersign for this endpoint. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code: SignatureFault | 'no_signature' | 'unreadable';

  constructor(code: WebhookVerificationError['code'], options?: { cause: unknown }) {
    super(MESSAGES[code], options);
    this.code = code;
  }
}

const MESSAGES: Readonly<Record<WebhookVerificationError['code'], string>> = {
  no_signature: 'The request has no Service-Signature header.',
  malformed: 'The Service-Signature header cannot be read.',
  wrong:
    'The signature does not match. Check the secret, and pass the raw bytes of the body, not parsed and written again.',
  too_old: 'The signature is more than 300 seconds old. Check the clock of this machine.',
  too_new: 'The signature is more than 300 seconds in the future. Check the clock of this machine.',
  unreadable: 'The signed body is not an event that this version knows.',
};

/**
 * Verifies a webhook request and returns its event. Events can arrive more than once and out of order. Skip an `id`
 * that you have handled before.
 * @param rawBody  the body as received, before anything parses it
 * @param secret  the endpoint's secret; starts with `whsec_`
 * @param options  `now`: default: this machine's clock
 * @throws WebhookVerificationError
 */
export function verifyWebhook(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secret: string,
  { now = new Date() }: { readonly now?: Date } = {},
): WebhookEvent {
  const signature = headerOf(headers, 'service-signature');
  if (signature === undefined) throw new WebhookVerificationError('no_signature');
  const body = typeof rawBody === 'string' ? Buffer.from(rawBody, 'utf8') : rawBody;
  const fault = signatureFault(signature, body, secret, Math.floor(now.getTime() / 1000));
  if (fault !== undefined) throw new WebhookVerificationError(fault);
  return eventIn(body);
}

function eventIn(body: Uint8Array): WebhookEvent {
  let event: unknown;
  try {
    event = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch (cause) {
    throw new WebhookVerificationError('unreadable', { cause });
  }
  if (!isWebhookEvent(event)) throw new WebhookVerificationError('unreadable');
  return event;
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined;
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
