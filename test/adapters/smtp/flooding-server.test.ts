import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { smtpSender } from '../../../adapters/smtp/sender.ts';

/** An SMTP server that answers EHLO with the piece, again and again. @returns also how much it has sent */
async function startServer(piece: string) {
  let sent = 0;
  const bytes = Buffer.from(piece.repeat(1000));
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 ready\r\n');
    socket.once('data', () => {
      const flood = () => {
        while (!socket.destroyed) {
          sent += bytes.length;
          if (!socket.write(bytes)) break;
        }
      };
      socket.on('drain', flood);
      flood();
    });
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, sent: () => sent };
}

it.each(['\r\n', ' \r\n', '250-still\r\n', '250 ok\r\n', 'x'])(
  'a server that sends %j without end is given up',
  async (piece) => {
    const { port, sent } = await startServer(piece);
    const sender = smtpSender({ allowPrivateServers: true });
    onTestFinished(() => sender.close());
    const server = { host: '127.0.0.1', port, security: 'none', user: 'u', pass: 'p' } as const;
    // Only what the server sends ends the call.
    const endless = new AbortController().signal;
    await expect(sender.verify(server, endless)).rejects.toMatchObject({ name: 'MailError' });
    const before = sent();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(sent()).toBe(before);
  },
);
