import { Buffer } from 'node:buffer';
import { createInterface } from 'node:readline';
import { addressOf, PASSWORD } from './mail-users.ts';
import { startPairs } from './pairs.ts';

export interface SmtpSignIn {
  /** Plain text, with AUTH. */
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Stands in front of an SMTP server that offers no AUTH: users sign in here, with the password in mail-users.ts.
 * Everything else passes unchanged.
 */
export async function startSmtpSignIn(toPort: number, users: readonly string[]): Promise<SmtpSignIn> {
  const proofs = users.map((user) => Buffer.from(`\0${addressOf(user)}\0${PASSWORD}`).toString('base64'));
  return startPairs(toPort, (client, upstream) => {
    let greets = false;
    createInterface({ input: upstream }).on('line', (line) => {
      client.write(`${line}\r\n`);
      if (greets && line.startsWith('250-')) client.write('250-AUTH PLAIN\r\n');
      greets = false;
    });
    const commands = createInterface({ input: client }).on('line', (line) => {
      const [verb = '', , proof = ''] = line.split(' ');
      if (verb.toUpperCase() === 'AUTH') {
        const isRight = proofs.includes(proof);
        client.write(isRight ? '235 2.7.0 Signed in\r\n' : '535 5.7.8 Wrong password\r\n');
        if (!isRight) return;
        commands.close();
        client.pipe(upstream);
      } else if (verb.toUpperCase() === 'MAIL') {
        client.write('530 5.7.0 Authentication required\r\n');
      } else {
        greets = verb.toUpperCase() === 'EHLO';
        upstream.write(`${line}\r\n`);
      }
    });
  });
}
