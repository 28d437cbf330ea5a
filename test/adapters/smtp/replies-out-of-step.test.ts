import { expect, it } from 'vitest';
import { sendTo, startScriptedSmtp } from './scripted-smtp.ts';

const COMMANDS = ['EHLO', 'AUTH', 'MAIL', 'RCPT'] as const;

/** An SMTP server that answers one command with more replies than one, and refuses every message. */
function startServer(command: string, more: number): Promise<number> {
  return startScriptedSmtp(() => {
    let inBody = false;
    const reply = (name: string, first: string) =>
      `${first}\r\n${name === command ? '250 ok\r\n'.repeat(more) : ''}`;
    return (line) => {
      const name = line.slice(0, 4);
      if (inBody) return line === '.' ? reply('BODY', '554 no') : undefined;
      if (name === 'EHLO') return reply(name, '250-test\r\n250 AUTH PLAIN');
      if (name === 'AUTH') return reply(name, '235 in');
      if (name !== 'DATA') return reply(name, '250 ok');
      inBody = true;
      return reply(name, '354 go on');
    };
  });
}

it.each(COMMANDS.flatMap((command) => [1, 2, 3, 4].map((more) => [more, command] as const)))(
  '%i replies too many to %s do not pass for the acceptance of a message, which is not sent',
  async (more, command) => {
    const port = await startServer(command, more);
    let hasStarted = false;
    const start = async () => {
      hasStarted = true;
      return true;
    };
    await expect(sendTo(port, 'none', start)).rejects.toMatchObject({ code: 'unavailable' });
    expect(hasStarted).toBe(false);
  },
);
