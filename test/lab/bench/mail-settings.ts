import type { ImapSettings } from '../../../adapters/imap/settings.ts';
import { PASSWORD } from '../../servers/mail-users.ts';

type MailSettings = Pick<ImapSettings, 'imap' | 'smtp'>;

/** The settings of a mailbox on the benchmark's own servers. */
export function settingsOf(email: string, imapPort: number, smtpPort = imapPort): MailSettings {
  const server = { host: '127.0.0.1', security: 'none', user: email, pass: PASSWORD } as const;
  return { imap: { ...server, port: imapPort }, smtp: { ...server, port: smtpPort } };
}
