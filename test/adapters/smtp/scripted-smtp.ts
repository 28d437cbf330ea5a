import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import type { MailServer } from '../../../adapters/remote/mail-server.ts';
import { smtpSender } from '../../../adapters/smtp/sender.ts';

/**
 * Starts an SMTP server that answers each line as the script says, and nothing if it says undefined. It stops with the test.
 * @param newScript  is called for each connection
 * @returns its port
 */
export async function startScriptedSmtp(
  newScript: () => (line: string) => string | undefined,
): Promise<number> {
  const server = createServer((socket) => {
    const script = newScript();
    socket.on('error', () => undefined);
    socket.write('220 test\r\n');
    socket.setEncoding('latin1').on('data', (text: string) => {
      for (const line of text.split('\r\n').slice(0, -1)) {
        const answer = script(line);
        if (answer !== undefined) socket.write(answer);
      }
    });
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
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
