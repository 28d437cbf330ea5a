import { unavailable } from '../contract/unavailable.ts';
import type { AttachmentText } from '../ports/attachment-text.ts';
import type { EventDocuments } from '../ports/calendar.ts';
import type { Clock } from '../ports/clock.ts';
import type { DocumentSource } from '../ports/document-source.ts';
import { type MailProvider, ProviderError } from '../ports/mail-provider.ts';
import type { NoticeSender } from '../ports/notice-sender.ts';
import type { Ports } from '../ports/ports.ts';
import type { Reader } from '../ports/reader.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';
import { WAIT_MS, withinLimit } from '../work/within-limit.ts';

/**
 * The ports besides storage, mailbox and calendar, each call of which ends at its limit, whatever the adapter does. A
 * summarizer is limited where it is used.
 */
export type LimitedPorts = Pick<
  Ports,
  'attachmentText' | 'documentSource' | 'mailProviders' | 'noticeSender' | 'reader' | 'webhookSender'
>;

export function limitedPorts(ports: LimitedPorts & Pick<Ports, 'clock'>): LimitedPorts {
  const { clock, attachmentText, documentSource, mailProviders, noticeSender, reader, webhookSender } = ports;
  return {
    reader: limitedReader(reader, clock),
    ...(attachmentText && { attachmentText: limitedAttachmentText(attachmentText, clock) }),
    ...(documentSource && { documentSource: limitedDocumentSource(documentSource, clock) }),
    ...(mailProviders && { mailProviders: mailProviders.map((one) => limitedProvider(one, clock)) }),
    ...(noticeSender && { noticeSender: limitedNoticeSender(noticeSender, clock) }),
    ...(webhookSender && { webhookSender: limitedWebhookSender(webhookSender, clock) }),
  };
}

/** For ports that have neither a limit nor a failure of their own. @throws ServiceError `temporarily_unavailable` */
function answered<T>(
  clock: Clock,
  { signal }: { readonly signal: AbortSignal },
  use: () => Promise<T>,
): Promise<T> {
  return withinLimit(clock, { signal, ms: WAIT_MS }, use, () => {
    throw unavailable();
  });
}

function limitedReader(reader: Reader, clock: Clock): Reader {
  return {
    read: (job, input, reading) => answered(clock, reading, () => reader.read(job, input, reading)),
    close: () => reader.close(),
  };
}

function limitedAttachmentText(attachmentText: AttachmentText, clock: Clock): AttachmentText {
  return {
    extract: (document) => answered(clock, document, () => attachmentText.extract(document)),
    close: () => attachmentText.close(),
  };
}

function limitedDocumentSource(source: DocumentSource, clock: Clock): DocumentSource {
  return {
    fetch: (request) =>
      withinLimit(
        clock,
        { ms: request.timeLimitMs },
        () => source.fetch(request),
        () => undefined,
      ),
    close: () => source.close(),
  };
}

function limitedWebhookSender(sender: WebhookSender, clock: Clock): WebhookSender {
  return {
    post: (request) =>
      withinLimit(
        clock,
        { signal: request.signal, ms: request.timeLimitMs },
        () => sender.post(request),
        () => ({ kind: 'unanswered', reason: 'It did not answer in time.' }),
      ),
    close: () => sender.close(),
  };
}

function limitedNoticeSender(sender: NoticeSender, clock: Clock): NoticeSender {
  return {
    kinds: sender.kinds,
    send: (target, notice, limit) =>
      withinLimit(
        clock,
        { signal: limit.signal, ms: limit.timeLimitMs },
        () => sender.send(target, notice, limit),
        () => ({ kind: 'failed', reason: 'It did not answer in time.', retryAfterMs: null }),
      ),
    close: () => sender.close(),
  };
}

/** The documents of a calendar. The caller's signal ends each read and write. */
export function limitedDocuments(documents: EventDocuments, clock: Clock): EventDocuments {
  return {
    read: (document, key, reading) => answered(clock, reading, () => documents.read(document, key, reading)),
    create: (event, writing) => answered(clock, writing, () => documents.create(event, writing)),
    change: (document, change, writing) =>
      answered(clock, writing, () => documents.change(document, change, writing)),
    without: (document, key, writing) =>
      answered(clock, writing, () => documents.without(document, key, writing)),
  };
}

/** Shorter than the lease of a sign-in whose tokens are renewed. */
const PROVIDER_MS = 50_000;

function limitedProvider(provider: MailProvider, clock: Clock): MailProvider {
  const limited = <T>(use: () => Promise<T>) =>
    withinLimit(clock, { ms: PROVIDER_MS }, use, () => {
      throw new ProviderError('unavailable', `${provider.name} did not answer in time.`);
    });
  const { id, name, domains, offersDevice } = provider;
  return {
    ...{ id, name, domains, offersDevice },
    settingsFor: (email) => provider.settingsFor(email),
    authorizationUrl: (request) => limited(() => provider.authorizationUrl(request)),
    redeem: (request) => limited(() => provider.redeem(request)),
    refresh: (refreshToken) => limited(() => provider.refresh(refreshToken)),
    startDevice: () => limited(() => provider.startDevice()),
    pollDevice: (deviceCode) => limited(() => provider.pollDevice(deviceCode)),
    close: () => provider.close(),
  };
}
