import { createECDH, randomBytes } from 'node:crypto';
import { signatureHeader } from '../../core/events/signature.ts';
import type { NoticeMessage } from '../../core/ports/notice-message.ts';
import { type Notice, noticeText } from '../../core/ports/notice-sender.ts';
import type { NoticeTarget, PushTarget } from '../../core/ports/notice-target.ts';
import { encryptPush, vapidHeader } from './push-message.ts';

/** The request that carries a notice to each kind of target. */

export interface NoticeRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

type HttpTarget = Exclude<NoticeTarget, { kind: 'mail' }>;
/** The notices that go by HTTP. */
type HttpNotice = Exclude<Notice, { kind: 'code' }>;

export function noticeRequest(target: HttpTarget, notice: HttpNotice): NoticeRequest {
  switch (target.kind) {
    case 'push':
      return pushRequest(target, notice);
    case 'ntfy':
      return ntfyRequest(target, notice);
    case 'webhook':
      return webhookRequest(target, notice);
  }
}

/** A request waits for a day at most. */
const TTL_S = 24 * 3600;
/** A later notice replaces one that the push service still holds. RFC 8030, 5.4. */
const TOPIC = 'waiting';

function pushRequest(target: PushTarget, notice: HttpNotice): NoticeRequest {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  const once = { salt: randomBytes(16), privateKey: ecdh.getPrivateKey() };
  const { origin, protocol } = new URL(notice.page);
  return {
    url: target.endpoint,
    headers: {
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      ttl: String(TTL_S),
      urgency: 'high',
      topic: notice.kind === 'test' ? 'test' : TOPIC,
      // Some push services refuse a contact that is not a public address.
      authorization: vapidHeader(
        target.endpoint,
        target.vapidKey,
        protocol === 'https:' ? origin : undefined,
        notice.at,
      ),
    },
    body: encryptPush(Buffer.from(JSON.stringify(facts(notice))), target, once),
  };
}

/** Source: docs.ntfy.sh, Publishing. */
function ntfyRequest(
  { server, topic, token }: Extract<HttpTarget, { kind: 'ntfy' }>,
  notice: HttpNotice,
): NoticeRequest {
  return {
    url: `${server.replace(/\/+$/, '')}/${topic}`,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      title: 'Countersign',
      tags: 'ballot_box_with_check',
      click: notice.page,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: Buffer.from(noticeText(notice)),
  };
}

/** Signed like webhooks of events. */
function webhookRequest(
  { url, secret }: Extract<HttpTarget, { kind: 'webhook' }>,
  notice: HttpNotice,
): NoticeRequest {
  const type = typeOf(notice);
  const event = { type, created_at: notice.at.toISOString(), api_version: 'v1', data: facts(notice) };
  const body = Buffer.from(JSON.stringify(event));
  return {
    url,
    headers: {
      'content-type': 'application/json',
      'service-event-type': type,
      'service-signature': signatureHeader(body, [secret], Math.floor(notice.at.getTime() / 1000)),
    },
    body,
  };
}

function typeOf(notice: HttpNotice): string {
  if (notice.kind === 'test') return 'notice.test';
  if (notice.hasAccessChanged) return 'access.changed';
  return notice.waiting === 0 ? 'accounts.to_mend' : 'requests.waiting';
}

function facts(notice: HttpNotice): NoticeMessage {
  if (notice.kind === 'test')
    return { waiting: 0, approval_id: null, accounts_to_mend: 0, access_changed: false };
  return {
    waiting: notice.waiting,
    approval_id: notice.approvalId,
    accounts_to_mend: notice.toMend,
    access_changed: notice.hasAccessChanged,
  };
}
