import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { smtpSender } from '../../../adapters/smtp/sender.ts';

const COMMANDS = ['EHLO', 'AUTH', 'MAIL', 'RCPT'] as const;

/** An SMTP server that answers one command with more replies than one, and refuses every message. */
async function startServer(command: string, more: number): Promise<number> {
  const server = createServer((socket) => {
    let inBody = false;
    const say = (name: string, reply: string) =>
      socket.write(`${reply}\r\n${name === command ? '250 ok\r\n'.repeat(more) : ''}`);
    socket.on('error', () => undefined);
    socket.write('220 test\r\n');
    socket.on('data', (bytes) => {
      for (const line of bytes.toString('latin1').split('\r\n').slice(0, -1)) {
        const name = line.slice(0, 4);
        if (inBody) {
          if (line === '.') say('BODY', '554 no');
        } else if (name === 'EHLO') say(name, '250-test\r\n250 AUTH PLAIN');
        else if (name === 'AUTH') say(name, '235 in');
        else if (name === 'DATA') {
          inBody = true;
          say(name, '354 go on');
        } else say(name, '250 ok');
      }
    });
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

it.each(COMMANDS.flatMap((command) => [1, 2, 3, 4].map((more) => [more, command] as const)))(
  '%i replies too many to %s do not pass for the acceptance of a message, which is not sent',
  async (more, command) => {
    const port = await startServer(command, more);
    const sender = smtpSender({ allowPrivateServers: true });
    onTestFinished(() => sender.close());
    const message = {
      bytes: Buffer.from('Subject: hello\r\n\r\nhello\r\n'),
      date: new Date(),
      messageId: '<1@example.org>',
      envelope: { from: 'u@example.org', to: ['v@example.org'] },
    };
    let hasStarted = false;
    const start = async () => {
      hasStarted = true;
      return true;
    };
    const server = { host: '127.0.0.1', port, security: 'none', user: 'u', pass: 'p' } as const;
    const limit = new AbortController().signal;
    const account = { ownerId: 'o', accountId: 1 };
    await expect(sender.transmit(account, async () => server, message, start, limit)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(hasStarted).toBe(false);
  },
);
