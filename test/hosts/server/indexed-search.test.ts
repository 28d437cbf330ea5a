import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../../servers/postfix.ts';
import { until } from '../../until.ts';
import { buildCli, type Cli, printedBy } from './cli-process.ts';

const OWNER = 'grace@example.org';
const found = z.looseObject({
  result: z.looseObject({ messages: z.array(z.looseObject({ subject: z.string() })), total: z.int() }),
});

describe.skipIf(missingServers().length > 0)(titled('serve with an index'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  let cli: Cli;
  let user: string;
  let key: string;

  beforeAll(async () => {
    cli = await buildCli();
    dovecot = await startDovecot({ tls: false });
    postfix = await startPostfix(dovecot, { tls: false });
    user = dovecot.addUser();
    await cli.run(['owner', 'add', OWNER], 'correct horse battery staple');
    const servers = [
      '--imap',
      `imap://127.0.0.1:${dovecot.port}`,
      '--smtp',
      `smtp://127.0.0.1:${postfix.port}`,
    ];
    await cli.run(['account', 'add', '--owner', OWNER, '--email', addressOf(user), ...servers], PASSWORD);
    const add = ['key', 'add', '--owner', OWNER, '--name', 'agent', '--preset', 'read', '--json'];
    key = String(printedBy(await cli.run(add)).api_key);
  });
  afterAll(async () => {
    await postfix?.stop();
    await dovecot?.stop();
    cli?.remove();
  });

  const deliver = (subject: string, body = 'The quarterly zebra report.') =>
    dovecot.deliver(user, `From: maya@example.org\r\nSubject: ${subject}\r\n${body}\r\n`);
  const indexFiles = () => readdirSync(cli.data).filter((name) => name.includes('.index'));
  const searching = (baseUrl: string) => async (q: string) => {
    const url = `${baseUrl}/v1/messages?${new URLSearchParams({ q })}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    return found.parse(await answer.json()).result;
  };

  it('asks the index once it is filled, also after a restart, and the index contains no clear text', async () => {
    // A server finds hidden text. An index contains what a person sees.
    await deliver('Hidden', 'Content-Type: text/html\r\n\r\n<p>Seen<p style="display:none">ostrich');
    for (let number = 1; number <= 40; number += 1) await deliver(`Figures ${number}`, `\r\nA zebra report.`);
    for (const start of [1, 2]) {
      const server = await cli.serve(['serve', '--json']);
      const search = searching(server.base_url);
      expect((await search('ZEBRA')).total).toBe(39 + start);
      await until(async () => (await search('ostrich')).total === 0);
      await deliver(`News of start ${start}`, '\r\nAnother zebra report.');
      const { messages, total } = await search('zebra');
      expect(total).toBe(40 + start);
      expect(messages[0]?.subject).toBe(`News of start ${start}`);
      await server.stop('SIGTERM');
    }
    const bytes = indexFiles().map((name) => readFileSync(join(cli.data, name), 'latin1'));
    expect(bytes).not.toEqual([]);
    for (const said of ['zebra', 'Figures', 'maya', user]) expect(bytes.join('')).not.toContain(said);
  });

  it('asks the server if the index is turned off', async () => {
    const server = await cli.serve(['serve', '--json'], { COUNTERSIGN_INDEX: 'off' });
    expect((await searching(server.base_url)('ostrich')).total).toBe(1);
    await server.stop('SIGTERM');
  });
});
