import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCli, type Cli, printedBy } from '../hosts/server/cli-process.ts';
import { type Dovecot, startDovecot } from '../servers/dovecot.ts';
import { addressOf, PASSWORD as MAILBOX_PASSWORD } from '../servers/mail-users.ts';
import { type Postfix, startPostfix } from '../servers/postfix.ts';
import type { Owner } from './owner-pages.ts';

/** A mail provider with one private certificate, and `countersign serve` beside it, with its own database. */
export interface SelfHosted {
  readonly dovecot: Dovecot;
  readonly postfix: Postfix;
  readonly server: Awaited<ReturnType<Cli['serve']>>;
  /** `owner add` */
  addOwner(email: string): Promise<Owner>;
  /** `account add`, with STARTTLS for IMAP and TLS for SMTP. @returns the mailbox's user */
  addAccount(owner: Owner): Promise<string>;
  /** `key add`, with the Full preset. @returns the key */
  addKey(owner: Owner): Promise<string>;
  stop(): Promise<void>;
}

/** @param settings  of countersign.config.json @param env  of the server alone */
export async function selfHosted(
  settings: Readonly<Record<string, unknown>> = {},
  env: Record<string, string> = {},
): Promise<SelfHosted> {
  const dovecot = await startDovecot();
  const postfix = await startPostfix(dovecot, { certificate: dovecot.certificate });
  const cli = await buildCli();
  const all = { allowPrivateServers: 'all', ...settings };
  writeFileSync(join(cli.folder, 'countersign.config.json'), JSON.stringify(all));
  const server = await cli.serve(['serve', '--json'], env);
  return {
    dovecot,
    postfix,
    server,
    async addOwner(email) {
      const password = 'correct horse battery staple';
      printedBy(await cli.run(['owner', 'add', email, '--json'], password));
      return { email, password };
    },
    async addAccount(owner) {
      const user = dovecot.addUser();
      const named = encodeURIComponent(addressOf(user));
      const added = await cli.run(
        [
          ...['account', 'add', '--owner', owner.email, '--email', addressOf(user)],
          ...['--imap', `imap://${named}@localhost:${dovecot.port}`],
          ...['--smtp', `smtps://${named}@localhost:${postfix.tlsPort}`],
          ...['--tls-fingerprint', dovecot.certificate.fingerprint, '--json'],
        ],
        MAILBOX_PASSWORD,
      );
      printedBy(added);
      return user;
    },
    async addKey(owner) {
      const options = ['--owner', owner.email, '--name', 'Agent', '--preset', 'full', '--json'];
      const { api_key } = printedBy(await cli.run(['key', 'add', ...options]));
      if (api_key === undefined) throw new Error('key add printed no key');
      return api_key;
    },
    async stop() {
      const { code, stderr } = await server.stop('SIGTERM');
      cli.remove();
      await postfix.stop();
      await dovecot.stop();
      if (code !== 0) throw new Error(`the server ended with ${code}: ${stderr}`);
    },
  };
}
