import { expect, it } from 'vitest';
import { sendTo, startScriptedSmtp } from './scripted-smtp.ts';

/** An SMTP server that refuses AUTH PLAIN, and LOGIN too unless it is said to accept that. @returns its port, and the AUTH commands that it got */
async function startServer(mechanisms: string, refusal: string, acceptsLogin = false) {
  const commands: string[] = [];
  const port = await startScriptedSmtp(() => {
    let answers = 0;
    return (line) => {
      if (answers > 0) {
        answers -= 1;
        if (answers > 0) return '334 UGFzc3dvcmQ6\r\n';
        return acceptsLogin ? '235 in\r\n' : `${refusal}\r\n`;
      }
      if (line.startsWith('EHLO')) return `250-test\r\n250 AUTH ${mechanisms}\r\n`;
      if (!line.startsWith('AUTH')) return '451 not now\r\n';
      const mechanism = line.split(' ')[1] ?? '';
      commands.push(mechanism);
      if (mechanism !== 'LOGIN') return `${refusal}\r\n`;
      answers = 2;
      return '334 VXNlcm5hbWU6\r\n';
    };
  });
  return { port, commands };
}

const start = async () => true;

it('AUTH LOGIN is tried where PLAIN is refused without a reason', async () => {
  const { port, commands } = await startServer('PLAIN LOGIN', '535 no', true);
  // The server puts the message off: it has let the user in.
  await expect(sendTo(port, 'none', start)).rejects.toMatchObject({ code: 'unavailable' });
  expect(commands).toEqual(['PLAIN', 'LOGIN']);
});

const WRONG = 'The SMTP server does not accept the user name and password.';
const NOT_ALLOWED =
  'The SMTP server does not allow programs to sign in this way: an administrator of the mailbox must allow it.';

it.each([
  ['PLAIN LOGIN', '535 5.7.8 no', WRONG, ['PLAIN']],
  ['PLAIN', '535 Incorrect authentication data', WRONG, ['PLAIN']],
  ['PLAIN LOGIN', '535 Incorrect authentication data', WRONG, ['PLAIN', 'LOGIN']],
  [
    'PLAIN LOGIN',
    '535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant.',
    NOT_ALLOWED,
    ['PLAIN'],
  ],
  [
    'PLAIN LOGIN',
    '535 5.7.139 Authentication unsuccessful, the user credentials were incorrect.',
    WRONG,
    ['PLAIN'],
  ],
])(
  'a refusal is told in our words and in those of the server: %s, %s',
  async (mechanisms, refusal, told, tried) => {
    const { port, commands } = await startServer(mechanisms, refusal);
    await expect(sendTo(port, 'none', start)).rejects.toMatchObject({
      code: 'auth',
      trouble: 'password_refused',
      forOwner: `${told} Its own words: “${refusal}”`,
    });
    expect(commands).toEqual(tried);
  },
);

it('the words of a server are one line that can be shown anywhere', async () => {
  const { port } = await startServer(
    'PLAIN',
    `534-5.7.9 Application-specific password required.\r\n534 5.7.9 \x1b[31m${'more '.repeat(100)}`,
  );
  const error: unknown = await sendTo(port, 'none', start).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    message: expect.stringContaining('an app password instead of the usual one'),
    said: expect.stringMatching(
      /^534-5\.7\.9 Application-specific password required\. 5\.7\.9 \[31mmore (more ?)*…$/,
    ),
  });
});
