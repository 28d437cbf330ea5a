import { expect, it, onTestFinished } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { ehloName } from '../../../adapters/remote/ehlo-name.ts';
import { probeServer } from '../../../adapters/remote/probe.ts';
import { smtpReport } from '../../../adapters/smtp/report.ts';
import { startScriptedSmtp } from './scripted-smtp.ts';

it.each([
  [undefined, 'alice@example.org', 'example.org'],
  [undefined, 'alice@münchen.example', 'xn--mnchen-3ya.example'],
  [undefined, '"a@b"@Example.ORG', 'example.org'],
  [undefined, 'alice', '[127.0.0.1]'],
  [undefined, 'alice@localhost', '[127.0.0.1]'],
  [undefined, 'alice@[192.0.2.1]', '[127.0.0.1]'],
  [undefined, 'alice@two words.example', '[127.0.0.1]'],
  [undefined, undefined, '[127.0.0.1]'],
  ['mail.example.net', 'alice@example.org', 'mail.example.net'],
])('configured %j, for the address %j: %s', (configured, address, name) => {
  expect(ehloName(configured, address)).toBe(name);
});

it.each([
  [undefined, 'example.org'],
  ['mail.example.net', 'mail.example.net'],
])(
  'is the same when a server is looked at, reported and used, configured as %j: %s',
  async (configured, name) => {
    const greetings: string[] = [];
    const port = await startScriptedSmtp(() => (line) => {
      if (!line.startsWith('EHLO')) return line.startsWith('AUTH') ? '235 in\r\n' : '502 no\r\n';
      greetings.push(line);
      return '250-test\r\n250 AUTH PLAIN\r\n';
    });
    const reach = { allowPrivateServers: true, ehloName: configured };
    const server = { host: '127.0.0.1', port, security: 'none', user: 'alice', pass: 'secret' } as const;
    const mail = imapMail(reach);
    onTestFinished(() => mail.close());
    const { signal } = new AbortController();
    const account = {
      ...{ ownerId: 'o', accountId: 1, revision: 1, email: 'alice@example.org', accessToken: undefined },
      settings: async () => ({ imap: server, smtp: server }),
    };
    await mail.verify({ account, signal, deadlineMs: 60_000 }, 'sending');
    await smtpReport({ ...server, address: account.email }, reach, signal);
    await probeServer(
      { protocol: 'SMTP', host: '127.0.0.1', port, security: 'starttls', user: account.email },
      reach,
      signal,
    );
    expect(greetings).toEqual(Array(3).fill(`EHLO ${name}`));
  },
);
