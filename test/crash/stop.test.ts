import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import { buildCli, type Cli, printedBy } from '../hosts/server/cli-process.ts';
import { bundleForChild } from '../run-typescript.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../servers/mail-users.ts';
import { missingServers, titled } from '../servers/missing-servers.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';
import { type Fault, type MailProxy, startProxy } from '../servers/proxy.ts';
import { connected, type RealMailbox, realMailbox } from './real-mailbox.ts';
import { sceneParts, sceneService, writeScene } from './scene.ts';

/** EHLO, AUTH, MAIL, RCPT, DATA, and then the message. */
const MESSAGE = 6;
/** Longer than the bundled server once waited for work whose caller had gone. */
const SLOW: Fault = { at: MESSAGE, does: 'delay', delayMs: 3000 };
const SILENT: Fault = { at: MESSAGE, does: 'hang' };
const OWNER = 'grace@example.org';

describe.skipIf(missingServers().length > 0)(titled('a stop while the mail server takes its time'), () => {
  let dovecot: Dovecot;
  let postfix: Postfix;
  let proxy: MailProxy;
  beforeAll(async () => {
    dovecot = await startDovecot({ tls: false });
    postfix = await startPostfix(dovecot, { tls: false });
    proxy = await startProxy('smtp', postfix.port);
  });
  afterEach(() => void proxy.script());
  afterAll(async () => {
    await proxy?.stop();
    await postfix?.stop();
    await dovecot?.stop();
  });

  const mailbox = () => realMailbox(dovecot, postfix, { imap: dovecot.port, smtp: proxy.port });

  describe('embedded', () => {
    let bundle: string;
    beforeAll(async () => {
      bundle = await bundleForChild(join(import.meta.dirname, 'stopped-app.ts'), 'bundle');
    });

    /** An app in a process of its own, whose reply the mail server has received. */
    async function startApp(fault: Fault, ...args: readonly string[]) {
      const folder = mkdtempSync(join(tmpdir(), 'cs-stop-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const open = () => sceneService(sceneParts(folder, 'imap'));
      const box = await mailbox();
      const parts = sceneParts(folder, 'imap');
      const before = sceneService(parts);
      const { ownerId, accountId, apiKey, args: reply } = await connected(before, box, true);
      await parts.storage.rememberRecipients(ownerId, accountId, [addressOf(box.asker)], new Date());
      await before.stop();
      const act = { mode: 'direct', tool: 'send_reply', args: reply } as const;
      writeScene(folder, {
        mail: 'imap',
        settings: box.settings,
        email: addressOf(box.owner),
        ownerId,
        apiKey,
        act,
      });
      const held = proxy.script(fault);
      const app = spawn(process.execPath, [bundle, folder, ...args], { stdio: 'inherit' });
      onTestFinished(() => void app.kill('SIGKILL'));
      await held;
      return { box, app, stateNow: () => recoveredState(open(), ownerId) };
    }

    it('settles a send that the server accepts in time, and ends', async () => {
      const { app, box, stateNow } = await startApp(SLOW);
      expect(await endOf(app)).toBe(0);
      expect(await stateNow()).toBe('executed');
      expect(await box.look()).toEqual({ transmitted: 1, inSent: 1 });
    });

    it('ends after its time, and the next process does not send again', async () => {
      const { app, box, stateNow } = await startApp(SILENT, '500');
      expect(await endOf(app)).toBe(0);
      expect(await stateNow()).toBe('outcome_unknown');
      expect(await box.look()).toEqual({ transmitted: 0, inSent: 0 });
    });
  });

  describe('bundled', () => {
    let cli: Cli;
    let server: Awaited<ReturnType<Cli['serve']>>;
    let box: RealMailbox;
    let key: string;
    beforeAll(async () => {
      cli = await buildCli();
      const owner = printedBy(
        await cli.run(['owner', 'add', OWNER, '--json'], 'correct horse battery staple'),
      );
      box = await mailbox();
      const named = encodeURIComponent(addressOf(box.owner));
      const servers = [
        ...['--imap', `imap://${named}@127.0.0.1:${dovecot.port}`],
        ...['--smtp', `smtp://${named}@127.0.0.1:${proxy.port}`],
      ];
      const account = ['account', 'add', '--owner', OWNER, '--email', addressOf(box.owner), ...servers];
      const { account_id = 0 } = printedBy(await cli.run([...account, '--json'], PASSWORD));
      const storage = sqliteStorage({ file: join(cli.data, 'countersign.db') });
      await storage.rememberRecipients(owner.owner_id ?? '', account_id, [addressOf(box.asker)], new Date());
      await storage.close();
      const options = ['--name', 'agent', '--preset', 'full', '--mode', 'mail:reply=direct', '--json'];
      key = printedBy(await cli.run(['key', 'add', '--owner', OWNER, ...options])).api_key ?? '';
    });
    afterAll(() => cli?.remove());

    const headers = () => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });

    /** Sends a reply whose caller goes away once the server has the message. @returns what the stop printed */
    async function stopDuringReply(body: string, fault: Fault) {
      server = await cli.serve(['serve', '--json']);
      const listed = await (await fetch(`${server.base_url}/v1/messages`, { headers: headers() })).json();
      const [{ id }] = listed.result.messages;
      const held = proxy.script(fault);
      const caller = new AbortController();
      const path = `/v1/messages/${id}/reply`;
      const init = {
        method: 'POST',
        headers: headers(),
        body: JSON.stringify({ body }),
        signal: caller.signal,
      };
      const reply = fetch(`${server.base_url}${path}`, init).catch(() => 'gone');
      await held;
      caller.abort();
      await reply;
      return server.stop('SIGTERM');
    }

    /** The state of the newest request after the next start. */
    async function newestState(): Promise<string> {
      server = await cli.serve(['serve', '--json']);
      const list = await fetch(`${server.base_url}/v1/approvals?state=all&limit=1`, { headers: headers() });
      const [{ state }] = (await list.json()).approvals;
      expect((await server.stop('SIGTERM')).code).toBe(0);
      return state;
    }

    it('settles a send that the server accepts in time', async () => {
      const { code, stderr } = await stopDuringReply('Once.', SLOW);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining('"stopped"') as unknown,
      });
      expect(await newestState()).toBe('executed');
      expect(await box.look()).toEqual({ transmitted: 1, inSent: 1 });
    });

    it('ends within its time, and the next process does not send again', async () => {
      const { code, stderr } = await stopDuringReply('Twice?', SILENT);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining('left to recovery') as unknown,
      });
      const db = new Database(join(cli.data, 'countersign.db'));
      // As if the lease had ended.
      expect(
        db.prepare("UPDATE approvals SET lease_until_ms = 0 WHERE state = 'approved'").run().changes,
      ).toBe(1);
      db.close();
      await expect.poll(newestState).toBe('outcome_unknown');
      expect(await box.look()).toEqual({ transmitted: 1, inSent: 1 });
    });
  });
});

/** Asks a process to stop. @returns its exit code once it has ended by itself */
async function endOf(app: ChildProcess): Promise<number | null> {
  const exited = once(app, 'exit');
  app.kill('SIGTERM');
  const [code] = await exited;
  return code as number | null;
}

/** Recovers until the newest request has ended, and stops. @returns its state */
async function recoveredState(service: ReturnType<typeof sceneService>, ownerId: string): Promise<string> {
  let state = '';
  await expect
    .poll(async () => {
      await service.recover();
      const [newest] = (await service.approvals.list(ownerId, { state: 'all', limit: 1 })).approvals;
      state = newest?.approval.state ?? '';
      return state;
    })
    .not.toBe('approved');
  await service.stop();
  return state;
}
