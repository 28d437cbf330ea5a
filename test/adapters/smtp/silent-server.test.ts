import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { smtpSender } from '../../../adapters/smtp/sender.ts';

const A_MINUTE_MS = 60_000;

/** An SMTP server that never answers one command. */
async function startServer(unanswered: string) {
  const asked = new EventEmitter();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 test\r\n');
    socket.setEncoding('latin1').on('data', (line: string) => {
      if (line.startsWith(unanswered)) asked.emit('command');
      else if (line.startsWith('EHLO') && unanswered === 'STARTTLS')
        socket.write('250-test\r\n250 STARTTLS\r\n');
      else if (line.startsWith('EHLO')) socket.write('250-test\r\n250 AUTH PLAIN\r\n');
      else socket.write('250 ok\r\n');
    });
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked: once(asked, 'command') };
}

it.each(['EHLO', 'STARTTLS', 'AUTH'])(
  'a server that never answers %s is waited for a minute',
  async (command) => {
    const { port, asked } = await startServer(command);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const sender = smtpSender({ allowPrivateServers: true });
    onTestFinished(() => sender.close());
    const account = { ownerId: 'o', accountId: 1 };
    const server = { host: '127.0.0.1', port, security: 'starttls', user: 'u', pass: 'p' } as const;
    const message = {
      bytes: Buffer.from('Subject: hello\r\n\r\nhello\r\n'),
      date: new Date(),
      messageId: '<1@example.org>',
      envelope: { from: 'u@example.org', to: ['v@example.org'] },
    };
    const start = vi.fn(async () => true);
    const sent = sender.transmit(account, async () => server, message, start, new AbortController().signal);
    const failed = expect(sent).rejects.toMatchObject({ code: 'unavailable' });
    await asked;
    await vi.advanceTimersByTimeAsync(A_MINUTE_MS);
    await failed;
    expect(start).not.toHaveBeenCalled();
  },
);
