import { checkOptions } from '../../core/contract/options.ts';
import { retryAfterMs } from '../../core/events/retry-after.ts';
import type { NoticeEnd, NoticeSender } from '../../core/ports/notice-sender.ts';
import type { WebhookEnd } from '../../core/ports/webhook-sender.ts';
import { AGENT_OPTIONS, type CheckedAgentOptions } from '../remote/checked-agent.ts';
import { httpsSender } from '../webhooks/https-sender.ts';
import { mailNotice, type NoticeMailServer } from './notice-mail.ts';
import { noticeRequest } from './notice-requests.ts';

export type { NoticeMailServer } from './notice-mail.ts';

export interface OwnerNoticesOptions extends CheckedAgentOptions {
  /** Mails notices. Default: none are mailed. */
  readonly smtp?: NoticeMailServer;
}

/**
 * Sends notices by web push, to topics of ntfy, to webhooks and by mail. Owners and their browsers choose the addresses,
 * so requests follow the rules of webhooks: HTTPS only, public addresses unless the operator allows others, no redirects.
 */
export function ownerNotices(options: OwnerNoticesOptions = {}): NoticeSender {
  checkOptions('ownerNotices', options, { ...AGENT_OPTIONS, smtp: ['optional', 'object'] });
  const { smtp, ...reach } = options;
  const sender = httpsSender(reach);
  return {
    kinds: ['push', 'ntfy', 'webhook', ...(smtp === undefined ? [] : (['mail'] as const))],
    async send(target, notice, limit) {
      if (target.kind === 'mail') {
        if (smtp === undefined) throw new Error('ownerNotices was created without smtp');
        return mailNotice(smtp, target.address, notice, limit);
      }
      if (notice.kind === 'code') throw new Error('only an address of mail has a code');
      const end = await sender.post({ ...noticeRequest(target, notice), ...limit });
      return endOf(end, target.kind === 'push', notice.at);
    },
    close: () => sender.close(),
  };
}

/**
 * A push service answers 404 or 410 for a subscription that has ended (RFC 8030, 7.3). A topic or a webhook may be back
 * tomorrow, except one that says 410 itself.
 */
function endOf(end: WebhookEnd, isPush: boolean, now: Date): NoticeEnd {
  if (end.kind === 'unanswered') return { kind: 'failed', reason: end.reason, retryAfterMs: null };
  const { status, retryAfter } = end;
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 410 || (isPush && status === 404)) return { kind: 'gone' };
  return {
    kind: 'failed',
    reason: `Its server answered ${status}.`,
    retryAfterMs: retryAfterMs(retryAfter, now),
  };
}
