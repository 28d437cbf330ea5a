import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import type { MessagePlace } from '../../../core/mail/listed-message.ts';
import type { MailCall } from '../../../core/ports/mail.ts';
import type { RawMessage } from '../../../core/ports/mail-reading.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { startMutatingProxy } from '../../servers/mutating-proxy.ts';
import { callOn, newestOf, openMail } from './mailbox-on.ts';
import { proxyBefore } from './through-proxy.ts';

describe.skipIf(missingServers().length > 0)(titled('messages that were read before'), () => {
  let dovecot: Dovecot;

  beforeAll(async () => {
    dovecot = await startDovecot();
  });
  afterAll(() => dovecot?.stop());

  const letter = (name: string) =>
    `Message-ID: <${name}@x.example>\r\nFrom: Ada <ada@x.example>\r\nSubject: ${name}\r\n\r\nword of ${name}\r\n`;

  async function placesOf(mail: Mail, call: MailCall): Promise<readonly MessagePlace[]> {
    const query = { path: 'INBOX', unread: false, order: 'uid', limit: 20, after: undefined } as const;
    return (await mail.list(call, query)).rows.map(({ place }) => place);
  }

  const bytesOf = ({ source }: RawMessage) => (source.kind === 'whole' ? source.bytes : undefined);
  const shown = (message: RawMessage | undefined) =>
    message && {
      ...message.row,
      header: Buffer.from(message.row.header).toString('latin1'),
      source: Buffer.from(bytesOf(message) ?? []).toString('latin1'),
    };

  const READS: readonly (readonly [
    string,
    (mail: Mail, call: MailCall, place: MessagePlace) => Promise<RawMessage | undefined>,
  ])[] = [
    ['alone', (mail, call, place) => mail.read(call, place)],
    ['with others', async (mail, call, place) => (await mail.readAll(call, [place]))[0]],
  ];

  it.each(READS)('are asked only for what changes: %s', async (_name, read) => {
    const user = dovecot.addUser();
    await dovecot.deliver(user, letter('a'));
    const asked: string[] = [];
    const proxy = await proxyBefore(dovecot, {
      refusal(line) {
        asked.push(line);
        return undefined;
      },
    });
    const [mail, call] = [openMail(), callOn(proxy.port, user)];
    const { place } = await newestOf(mail, call);
    const first = await read(mail, call, place);
    await dovecot.doveadm('flags add', user, ['\\Seen', 'mailbox', 'INBOX', 'all']);
    asked.length = 0;
    const second = await read(mail, call, place);
    expect(asked.filter((line) => line.includes(' FETCH '))).toHaveLength(1);
    expect(asked.filter((line) => line.includes('BODY'))).toEqual([]);
    expect(second?.row.flags).toEqual(new Set(['seen']));
    expect(shown(second)).toEqual({ ...shown(first), flags: new Set(['seen']) });
    // The bytes are the same object, so nobody reads them again.
    expect(second && bytesOf(second)).toBe(first && bytesOf(first));
    expect(second?.row.header).toBe(first?.row.header);
  });

  it.each(READS)('are not there once they are gone: %s', async (_name, read) => {
    const user = dovecot.addUser();
    await dovecot.deliver(user, letter('a'));
    const [mail, call] = [openMail(), callOn(dovecot.port, user)];
    const { place } = await newestOf(mail, call);
    await read(mail, call, place);
    await dovecot.doveadm('expunge', user, ['mailbox', 'INBOX', 'all']);
    const code = await read(mail, call, place).catch((error: { code: string }) => error.code);
    expect(code === undefined || code === 'not_found').toBe(true);
  });

  it.each(READS)('are others once a restored folder gives their UIDs again: %s', async (_name, read) => {
    const user = dovecot.addUser();
    const home = `${dovecot.folder}/mail/${user}`;
    await dovecot.deliver(user, letter('kept'));
    execFileSync('cp', ['-a', home, `${home}.backup`]);
    await dovecot.deliver(user, letter('lost'));
    const [mail, call] = [openMail(), callOn(dovecot.port, user)];
    const { place } = await newestOf(mail, call);
    const before = await read(mail, call, place);
    execFileSync('rm', ['-r', home]);
    execFileSync('cp', ['-a', `${home}.backup`, home]);
    await dovecot.restart();
    await dovecot.deliver(user, letter('another one'));
    const after = await read(mail, call, place);
    expect(after?.row.place).toEqual(before?.row.place);
    expect(shown(after)?.source).toContain('word of another one');
  });

  it('are right again after a server that has cut their header', async () => {
    const server = await startDovecot({ tls: false });
    onTestFinished(() => server.stop());
    const proxy = await startMutatingProxy('imap', server.port);
    onTestFinished(() => proxy.stop());
    const user = server.addUser();
    await server.deliver(user, letter('a'));
    const [mail, call] = [openMail(), callOn(proxy.port, user)];
    const { place } = await newestOf(mail, call);
    proxy.mutate({ command: 'UID FETCH', answer: (responses) => responses.map(withHalfOfTheHeader) });
    const cut = shown(await mail.read(call, place));
    expect(proxy.changed).toBe(1);
    proxy.mutate(undefined);
    const right = shown(await openMail().read(call, place));
    expect(cut).not.toEqual(right);
    expect(shown(await mail.read(call, place))).toEqual(right);
  });

  it('are those that a mailbox shows that knows none of them, whatever other programs do', async () => {
    const step = fc.constantFrom('deliver', 'flag', 'unflag', 'mark', 'remove', 'read');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
        const user = dovecot.addUser();
        const call = callOn(dovecot.port, user);
        const mail = imapMail({ allowPrivateServers: true });
        const fresh = imapMail({ allowPrivateServers: true });
        const read = async (from: Mail) => (await from.readAll(call, places)).map(shown);
        let places: readonly MessagePlace[] = [];
        try {
          for (const [index, does] of ['deliver', 'read', ...steps].entries()) {
            const oldest = ['mailbox', 'INBOX', '1'];
            if (does === 'deliver') {
              await dovecot.deliver(user, letter(`${index}`));
              places = [
                ...new Map(
                  [...places, ...(await placesOf(mail, call))].map((one) => [one.uid, one]),
                ).values(),
              ];
            } else if (does === 'read') await read(mail);
            else if (does === 'flag') await dovecot.doveadm('flags add', user, ['\\Flagged', ...oldest]);
            else if (does === 'unflag') await dovecot.doveadm('flags remove', user, ['\\Flagged', ...oldest]);
            else if (does === 'mark') await dovecot.doveadm('flags add', user, ['\\Deleted', ...oldest]);
            else await dovecot.doveadm('expunge', user, oldest);
          }
          expect(await read(mail)).toEqual(await read(fresh));
        } finally {
          await Promise.all([mail.close(), fresh.close()]);
        }
      }),
      { numRuns: 10 },
    );
  });
});

function withHalfOfTheHeader(response: string): string {
  const found = /(BODY\[HEADER[^\]]*\]) \{(\d+)\}\r\n/.exec(response);
  if (found === null) return response;
  const [announced, section = '', length] = found;
  const start = found.index + announced.length;
  const header = response.slice(start, start + Number(length));
  const half = header.slice(0, header.length / 2);
  const literal = `${section} {${half.length}}\r\n${half}`;
  return response.slice(0, found.index) + literal + response.slice(start + header.length);
}
