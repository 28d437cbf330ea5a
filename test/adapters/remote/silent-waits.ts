import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import { discoverMail } from '../../../adapters/discovery/discover.ts';
import { httpsGet } from '../../../adapters/discovery/https-get.ts';
import type { Resolver } from '../../../adapters/discovery/resolver.ts';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import type { MailServer } from '../../../adapters/remote/mail-server.ts';
import { smtpSender } from '../../../adapters/smtp/sender.ts';
import type { MailCall } from '../../../core/ports/mail.ts';

// Run with --expose-gc. Waits for servers that accept and then stay silent, collects garbage meanwhile, and prints which
// waits had ended by the time all of them should have.

/** The longest limit here is discovery's 15 s; imapflow and nodemailer give up on their own after 20 s. */
const ALL_OVER_MS = 18_000;
const CALL_MS = 500;

const sockets = new Set<Socket>();

async function listening(talk: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    talk(socket);
  });
  server.unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** An SMTP server that accepts one message and then falls silent. */
function oneMessage(socket: Socket): void {
  let taken = false;
  let inBody = false;
  const say = (text: string) => socket.write(`${text}\r\n`);
  say('220 test');
  socket.on('data', (bytes) => {
    const text = bytes.toString('latin1');
    if (taken) return;
    if (inBody || text.endsWith('\r\n.\r\n')) {
      if (!text.endsWith('\r\n.\r\n')) return;
      taken = true;
      say('250 taken');
    } else if (text.startsWith('EHLO')) say('250-test\r\n250 AUTH PLAIN');
    else if (text.startsWith('AUTH')) say('235 in');
    else if (text.startsWith('DATA')) {
      inBody = true;
      say('354 go on');
    } else say('250 ok');
  });
}

const silentPort = await listening(() => undefined);
const smtpPort = await listening(oneMessage);
const never = new AbortController().signal;
const silentResolver: Resolver = {
  resolveMx: untilAborted,
  resolveSrv: untilAborted,
  resolveAddresses: untilAborted,
};
const localResolver: Resolver = { ...silentResolver, resolveAddresses: async () => ['127.0.0.1'] };

async function untilAborted(_name: string, signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

function server(port: number): MailServer {
  return { host: '127.0.0.1', port, security: 'none', user: 'u', pass: 'p' };
}

function callTo(settings: unknown): MailCall {
  const account = { ownerId: 'o', accountId: 1, email: 'u@example.org', settings: async () => settings };
  return { account, signal: new AbortController().signal, deadlineMs: CALL_MS };
}

const mail = { imap: server(silentPort), smtp: server(silentPort) };
const caldav = { url: `http://127.0.0.1:${silentPort}/`, user: 'u', pass: 'p' };

async function sendTwice(): Promise<void> {
  const sender = smtpSender({ allowPrivateServers: true });
  const message = {
    bytes: Buffer.from('Subject: hello\r\n\r\nhello\r\n'),
    date: new Date(),
    messageId: '<1@example.org>',
    envelope: { from: 'u@example.org', to: ['v@example.org'] },
  };
  const transmit = (limit: AbortSignal, port: number) =>
    sender.transmit(
      { ownerId: 'o', accountId: 1 },
      async () => server(port),
      message,
      async () => true,
      limit,
    );
  await transmit(never, smtpPort);
  // The kept connection no longer answers, so a new one is attempted, which nobody accepts.
  await transmit(never, 1);
}

const waits: Readonly<Record<string, () => Promise<unknown>>> = {
  imap: () => imapMail({ allowPrivateServers: true }).verify(callTo(mail)),
  caldav: () =>
    caldavCalendar({ reader: inlineReader(), allowPrivateServers: true }).calendars(
      callTo({ ...mail, caldav }),
    ),
  https: () =>
    httpsGet({ resolver: localResolver, mayReach: () => true })(
      new URL(`https://example.org:${silentPort}/`),
      never,
    ),
  discovery: () =>
    discoverMail({
      email: 'u@silent.example',
      resolver: silentResolver,
      get: httpsGet({ resolver: silentResolver }),
      reader: inlineReader(),
      signal: never,
    }),
  smtp_kept: sendTwice,
};

const ended: Record<string, boolean> = {};
const collecting = setInterval(() => global.gc?.(), 50);
for (const [name, wait] of Object.entries(waits)) {
  ended[name] = false;
  const end = () => {
    ended[name] = true;
    if (Object.values(ended).every(Boolean) && Object.keys(ended).length === Object.keys(waits).length)
      report();
  };
  wait().then(end, end);
}
const patience = setTimeout(report, ALL_OVER_MS);

function report(): void {
  clearInterval(collecting);
  clearTimeout(patience);
  process.stdout.write(JSON.stringify({ canCollect: global.gc !== undefined, ended }), () => process.exit());
}
