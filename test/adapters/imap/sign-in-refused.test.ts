import { expect, it } from 'vitest';
import { imapReport } from '../../../adapters/imap/report.ts';
import { startLineServer } from '../../servers/line-server.ts';
import { callOn, openMail } from './mailbox-on.ts';

/**
 * An IMAP server that offers AUTHENTICATE PLAIN.
 * @param refusal  of AUTHENTICATE, and of LOGIN if it is not to be accepted
 * @returns its port, and the commands for a sign-in that it got
 */
async function startServer(refusal: { AUTHENTICATE: string; LOGIN?: string }) {
  const commands: string[] = [];
  const port = await startLineServer('* OK ready', () => {
    let tagOfAnswer = '';
    return (line) => {
      const [tag = '', command = ''] = line.split(' ');
      if (command === '') return `${tagOfAnswer} ${refusal.AUTHENTICATE}\r\n`;
      if (command === 'AUTHENTICATE' || command === 'LOGIN') commands.push(command);
      if (command === 'AUTHENTICATE') {
        tagOfAnswer = tag;
        return '+ \r\n';
      }
      if (command === 'LOGIN') return `${tag} ${refusal.LOGIN ?? 'OK in'}\r\n`;
      return `${DATA[command] ?? ''}${tag} OK done\r\n`;
    };
  });
  return { port, commands };
}

const DATA: Readonly<Record<string, string>> = {
  CAPABILITY: '* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n',
  LIST: '* LIST () "/" INBOX\r\n',
  SELECT: '* 0 EXISTS\r\n* OK [UIDVALIDITY 1]\r\n',
};

it.each(['NO not today', 'BAD unknown command', 'NO [CANNOT] AUTHENTICATE not supported'])(
  'LOGIN is tried where AUTHENTICATE is refused without another reason, and only LOGIN afterwards: %s',
  async (AUTHENTICATE) => {
    const { port, commands } = await startServer({ AUTHENTICATE });
    const mail = openMail();
    const call = callOn(port, 'user');
    expect(await mail.folders(call)).toHaveLength(1);
    expect(commands).toEqual(['AUTHENTICATE', 'LOGIN']);
    await Promise.all([1, 2, 3].map(() => mail.folders(call, { fresh: true })));
    expect(new Set(commands.slice(2))).toEqual(new Set(['LOGIN']));
  },
);

it('doctor says that only LOGIN is accepted', async () => {
  const { port } = await startServer({ AUTHENTICATE: 'NO not today' });
  const server = { host: '127.0.0.1', port, security: 'none', user: 'u', pass: 'p' } as const;
  const { imap } = await imapReport(
    { imap: server, smtp: server },
    { allowPrivateServers: true },
    new AbortController().signal,
  );
  expect(imap).toContainEqual({
    check: 'sign_in',
    state: 'lacking',
    text: 'It offers AUTHENTICATE and refuses it: Countersign signs in with LOGIN.',
  });
});

it('a sign-in that the server accepted and forgot is repeated by the next call', async () => {
  let connections = 0;
  const port = await startLineServer('* OK ready', () => {
    connections += 1;
    const hasForgotten = connections === 1;
    return (line) => {
      const [tag = '', command = ''] = line.split(' ');
      if (command === 'LIST' && hasForgotten) return `${tag} BAD Please log in first\r\n`;
      return `${command === 'CAPABILITY' ? '* CAPABILITY IMAP4rev1\r\n' : (DATA[command] ?? '')}${tag} OK done\r\n`;
    };
  });
  const mail = openMail();
  const call = callOn(port, 'user');
  await expect(mail.folders(call)).rejects.toMatchObject({ code: 'refused' });
  expect(await mail.folders(call)).toHaveLength(1);
  expect(connections).toBe(2);
});

const WRONG = 'The IMAP server does not accept the user name and password.';
const APP_PASSWORD =
  'The IMAP server wants an app password instead of the usual one: create it in the security settings of the account.';

it.each([
  ['NO [AUTHENTICATIONFAILED] no', WRONG, '[AUTHENTICATIONFAILED] no'],
  ['NO [ALERT] Application-specific password required: https://x.example (Failure)', APP_PASSWORD, undefined],
  [
    'NO [WEBALERT https://x.example] Web login required.',
    'The IMAP server wants you to sign in on its web site first.',
    undefined,
  ],
  ['NO [CONTACTADMIN] no', 'The IMAP server asks you to contact its administrator.', undefined],
  ['NO [EXPIRED] no', 'The IMAP server says that the password has expired.', undefined],
])('a refusal is told in our words and in those of the server: %s', async (refusal, told, own) => {
  const { port, commands } = await startServer({ AUTHENTICATE: refusal, LOGIN: refusal });
  const refused = openMail().verify(callOn(port, 'user'), 'reading');
  const said = own ?? refusal.slice('NO '.length);
  await expect(refused).rejects.toMatchObject({
    code: 'auth',
    trouble: 'password_refused',
    said,
    forOwner: `${told} Its own words: “${said}”`,
  });
  expect(commands).toEqual(['AUTHENTICATE']);
});

it.each(['NO [TEMPFAIL] later', 'NO [THROTTLED] later', 'NO [UNAVAILABLE] later'])(
  'what a server puts off is no refusal: %s',
  async (AUTHENTICATE) => {
    const { port } = await startServer({ AUTHENTICATE, LOGIN: AUTHENTICATE });
    const refused = openMail().verify(callOn(port, 'user'), 'reading');
    await expect(refused).rejects.toMatchObject({ code: 'unavailable', said: undefined });
  },
);
