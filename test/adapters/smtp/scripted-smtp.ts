import { onTestFinished } from 'vitest';
import type { MailServer } from '../../../adapters/remote/mail-server.ts';
import { smtpSender } from '../../../adapters/smtp/sender.ts';
import { type LineScript, startLineServer } from '../../servers/line-server.ts';

/** Starts an SMTP server that answers each line as the script says. @returns its port */
export function startScriptedSmtp(newScript: () => LineScript): Promise<number> {
  return startLineServer('220 test', newScript);
}

/** Sends a message to the server on that port, as long as it takes. */
export function sendTo(
  port: number,
  security: MailServer['security'],
  start: () => Promise<boolean>,
): Promise<void> {
  const sender = smtpSender({ allowPrivateServers: true });
  onTestFinished(() => sender.close());
  const message = {
    bytes: Buffer.from('Subject: hello\r\n\r\nhello\r\n'),
    date: new Date(),
    messageId: '<1@example.org>',
    envelope: { from: 'u@example.org', to: ['v@example.org'] },
  };
  const server = { host: '127.0.0.1', port, security, user: 'u', pass: 'p' };
  const account = { ownerId: 'o', accountId: 1 };
  return sender.transmit(account, async () => server, message, start, new AbortController().signal);
}
