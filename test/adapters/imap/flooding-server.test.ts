import { expect, it } from 'vitest';
import { startLineServer } from '../../servers/line-server.ts';
import { callOn, openMail } from './mailbox-on.ts';

/** Responses that cannot be read: those take the longest. */
const FLOOD = ')]}"\\{\r\n'.repeat(20_000);

/** An IMAP server. @param listed  what it sends before it completes LIST */
function startServer(listed: string): Promise<number> {
  return startLineServer('* OK ready', () => (line) => {
    const [tag, command] = line.split(' ');
    const isList = command === 'LIST' && line.endsWith('"*"');
    const data = command === 'CAPABILITY' ? '* CAPABILITY IMAP4rev1\r\n' : isList ? listed : '';
    return `${data}${tag} OK done\r\n`;
  });
}

/** The CPU time of the turns of the event loop while the work lasts: of the longest, and of all. In milliseconds. */
async function turnsOf(work: Promise<unknown>): Promise<{ readonly longest: number; readonly all: number }> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  let longest = 0;
  let all = 0;
  for (let before = process.cpuUsage(); !isOver; ) {
    await new Promise(setImmediate);
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    longest = Math.max(longest, (user + system) / 1000);
    all += (user + system) / 1000;
  }
  return { longest, all };
}

it('a server that floods with responses leaves other work its turns', async () => {
  const mail = openMail();
  const call = callOn(await startServer(FLOOD), 'user');
  // Loads imapflow.
  await mail.verify(call, 'reading');
  const { longest, all } = await turnsOf(mail.folders(call));
  expect(longest).toBeLessThan(all / 5);
});

const TOO_MANY = expect.objectContaining({
  code: 'refused',
  message: expect.stringContaining('more than 10000 folders'),
});

it.each([
  [10_000, 10_000],
  [10_001, TOO_MANY],
  [100_000, TOO_MANY],
])('10,000 folders are listed, and one more is refused: %i', async (count, expected) => {
  const folders = Array.from(
    { length: count },
    (_, n) => `* LIST () "/" "${n === 0 ? 'INBOX' : `folder ${n}`}"\r\n`,
  );
  const mail = openMail();
  const listed = mail.folders(callOn(await startServer(folders.join('')), 'user'));
  expect(
    await listed.then(
      ({ length }) => length,
      (error: unknown) => error,
    ),
  ).toEqual(expected);
});
