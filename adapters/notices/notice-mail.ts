import { randomUUID } from 'node:crypto';
import { MailError } from '../../core/ports/mail.ts';
import { type Notice, type NoticeEnd, noticeText } from '../../core/ports/notice-sender.ts';
import type { MailServer } from '../remote/mail-server.ts';
import { withTimeLimit } from '../remote/time-limit.ts';
import { openSmtp, signIn } from '../smtp/connection.ts';
import { transmitOver } from '../smtp/transmit.ts';

/** The operator's SMTP server, which mails notices. */
export interface NoticeMailServer extends Omit<MailServer, 'user' | 'pass' | 'tlsFingerprint'> {
  /** Undefined: the server needs no sign-in. */
  readonly user?: string;
  readonly pass?: string;
  /** The only accepted certificate: its SHA-256 in hex. */
  readonly tlsFingerprint?: string;
  /** The address that notices come from. */
  readonly from: string;
}

/** Mails one notice. It has one line of text and no link. */
export async function mailNotice(
  smtp: NoticeMailServer,
  address: string,
  notice: Notice,
  { timeLimitMs, signal }: { readonly timeLimitMs: number; readonly signal: AbortSignal },
): Promise<NoticeEnd> {
  const { user = '', pass = '', from, ...reached } = smtp;
  const messageId = `<${randomUUID()}@${from.split('@')[1]}>`;
  const bytes = noticeMessage(from, address, messageId, notice);
  const message = { envelope: { from, to: [address] }, bytes, date: notice.at, messageId };
  try {
    await withTimeLimit({ signal, ms: timeLimitMs }, async (limit) => {
      // The operator chose the server.
      const connection = await openSmtp({ ...reached, address: from }, { allowPrivateServers: true }, limit);
      if (user !== '') await signIn(connection, { user }, { pass }, limit);
      await transmitOver(connection, message, async () => true, limit);
      connection.quit();
    });
    return { kind: 'sent' };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    // The server may have it. Better once than twice.
    if (error.code === 'outcome_unknown') return { kind: 'sent' };
    return { kind: 'failed', reason: `The mail could not be sent: ${error.message}.`, retryAfterMs: null };
  }
}

function noticeMessage(from: string, to: string, messageId: string, notice: Notice): Buffer {
  const subject = notice.kind === 'code' ? 'Your code' : noticeText(notice).replace(/\.$/, '');
  const headers = [
    `From: Countersign <${from}>`,
    `To: <${to}>`,
    `Subject: ${subject}`,
    `Date: ${notice.at.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: ${messageId}`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=us-ascii',
    'Content-Transfer-Encoding: 7bit',
  ];
  return Buffer.from(`${headers.join('\r\n')}\r\n\r\n${noticeText(notice)}\r\n`);
}
