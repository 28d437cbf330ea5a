import { expect, it } from 'vitest';
import { smtpReport } from '../../../adapters/smtp/report.ts';
import { startScriptedSmtp } from './scripted-smtp.ts';

const NOT_SAID = ['lacking', 'It does not say how large a message may be.'];

/** RFC 1870, 4: SIZE may come without a number, which tells nothing, and 0 stands for no fixed limit. */
it.each([
  ['250-SIZE 35882577', ['good', 'It accepts messages up to 35.9 MB.']],
  ['250-SIZE 500000', ['good', 'It accepts messages up to 500 KB.']],
  ['250-SIZE 0', ['good', 'It accepts messages of any size.']],
  ['250-SIZE', NOT_SAID],
  ['250-SIZE unknown', NOT_SAID],
  ['250-8BITMIME', NOT_SAID],
])('how large a message may be is told by the number that the server gives: %s', async (line, told) => {
  const port = await startScriptedSmtp(
    () => (command) =>
      command.startsWith('EHLO') ? `250-test\r\n${line}\r\n250 AUTH PLAIN\r\n` : '235 in\r\n',
  );
  const server = { host: '127.0.0.1', port, security: 'none', user: 'u', pass: 'p' } as const;
  const findings = await smtpReport(server, { allowPrivateServers: true }, new AbortController().signal);
  const size = findings.find(({ check }) => check === 'size');
  expect([size?.state, size?.text]).toEqual(told);
});
