import { onTestFinished } from 'vitest';
import { type MailboxService, mailboxService } from '../../mailbox-service.ts';
import { startLineServer } from '../../servers/line-server.ts';

/** Opens a service on a mailbox, whose SMTP server accepts a sign-in and nothing else. It stops with the test. */
export async function readingService(user: string, imapPort: number): Promise<MailboxService> {
  const smtp = await startLineServer('220 x', () => (line) => {
    if (line.startsWith('EHLO')) return '250-x\r\n250 AUTH PLAIN\r\n';
    return line.startsWith('AUTH') ? '235 ok\r\n' : '502 no\r\n';
  });
  const service = await mailboxService({ user, ports: { imap: imapPort, smtp }, mode: 'approval' });
  onTestFinished(() => service.stop());
  return service;
}
