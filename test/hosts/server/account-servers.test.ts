import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trustedServers } from '../../../hosts/server/accounts/trusted-servers.ts';
import { makeCertificate } from '../../servers/certificate.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { addressOf, PASSWORD } from '../../servers/mail-users.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { freePorts } from '../../servers/ports.ts';
import { type Postfix, startPostfix } from '../../servers/postfix.ts';
import { buildCli, type Cli, printedBy } from './cli-process.ts';

const OWNER = 'grace@example.org';
const SELF_SIGNED = 'its certificate is not verified, because it is self-signed.';

/** `3F:13:61…`, as openssl shows it. */
const shown = (fingerprint: string) => fingerprint.toUpperCase().replaceAll(/(?<=..)..(?=(?:..)*$)/g, ':$&');

describe.skipIf(missingServers().length > 0)(
  titled('connecting to servers with their own certificates'),
  () => {
    let dovecot: Dovecot;
    let postfix: Postfix;
    let cli: Cli;
    let email: string;
    let add: string[];

    beforeAll(async () => {
      cli = await buildCli();
      dovecot = await startDovecot();
      postfix = await startPostfix(dovecot);
      email = addressOf(dovecot.addUser());
      add = [
        ...['account', 'add', '--owner', OWNER, '--email', email],
        ...['--imap', `imap://localhost:${dovecot.port}`, '--smtp', `smtps://localhost:${postfix.tlsPort}`],
      ];
      await cli.run(['owner', 'add', OWNER], 'correct horse battery staple');
    });
    afterAll(async () => {
      await postfix?.stop();
      await dovecot?.stop();
      cli?.remove();
    });

    const accounts = async () =>
      printedBy(await cli.run(['account', 'list', '--owner', OWNER, '--json'])).accounts;

    it('names the options to add if nobody can confirm them, and those connect it', async () => {
      const refused = await cli.run([...add, '--json'], PASSWORD);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr.trim().split('\n')).toHaveLength(1);
      expect(refused.stderr).toContain(`IMAP (localhost:${dovecot.port}): ${SELF_SIGNED}`);
      expect(refused.stderr).toContain(`SMTP (localhost:${postfix.tlsPort}): ${SELF_SIGNED}`);
      expect(refused.stderr).toContain('No password was sent.');
      expect(await accounts()).toEqual([]);

      const [, named = ''] =
        /trust them with countersign account add … (--tls-fingerprint imap=.*)\n/.exec(refused.stderr) ?? [];
      expect(named.split(' ')).toEqual([
        ...['--tls-fingerprint', `imap=${shown(dovecot.certificate.fingerprint)}`],
        ...['--tls-fingerprint', `smtp=${shown(postfix.certificate.fingerprint)}`],
      ]);
      const added = await cli.run([...add, ...named.split(' '), '--json'], PASSWORD);
      expect(printedBy(added)).toEqual({ account_id: 1 });
      await cli.run(['account', 'remove', '1', '--owner', OWNER]);
    });

    it('refuses a certificate that is pinned for another server', async () => {
      const all = ['--tls-fingerprint', dovecot.certificate.fingerprint];
      const { code, stderr } = await cli.run([...add, ...all, '--json'], PASSWORD);
      expect(code).toBe(1);
      expect(stderr).not.toContain('IMAP');
      expect(stderr).toContain(
        `SMTP (localhost:${postfix.tlsPort}): its certificate is not verified, because it is not the one that you trusted`,
      );
    });

    it('asks in a terminal for each one, and for no password until all are trusted', async () => {
      const refused = await cli.typed(add, [
        ['Trust it? [y/N]', 'y'],
        ['Trust it? [y/N]', 'n'],
      ]);
      expect(refused.code).toBe(1);
      expect(refused.stdout).toContain('Nothing was changed, and no password was sent.');
      expect(refused.stdout).not.toContain('Mailbox password');
      expect(await accounts()).toEqual([]);
    });

    it('connects in a terminal once each one is trusted', async () => {
      const added = await cli.typed(add, [
        ['Trust it? [y/N]', 'y'],
        ['Trust it? [y/N]', 'y'],
        ['Mailbox password: ', PASSWORD],
      ]);
      expect(added.stdout).toContain(`IMAP  localhost:${dovecot.port}`);
      expect(added.stdout).toContain(`SHA-256 ${shown(dovecot.certificate.fingerprint)}`);
      expect(added.stdout).toContain(`SHA-256 ${shown(postfix.certificate.fingerprint)}`);
      expect(added.stdout).toContain(`(${email}) is connected.`);
      expect(added.code).toBe(0);
    });

    it('says what is wrong with servers that cannot be used, before it asks for a password', async () => {
      const [closed = 0] = await freePorts(1);
      const wrong = [
        '--imap',
        `imaps://localhost:${closed}`,
        '--smtp',
        `smtp://localhost:${postfix.tlsPort}`,
      ];
      const { stdout } = await cli.typed([...add.slice(0, 6), ...wrong], []);
      expect(stdout).toContain(`IMAP (localhost:${closed}): Nothing listens on the port of the IMAP server.`);
      expect(stdout).toContain('The port of the SMTP server speaks TLS: use TLS (smtps).');
      expect(stdout).not.toContain('Mailbox password');
    });

    it('of a connected account are changed, with new certificates, and only what is named', async () => {
      const [{ account_id: id = 0 } = {}] = (await accounts()) ?? [];
      const command = (word: string, ...options: string[]) =>
        cli.run(['account', word, String(id), '--owner', OWNER, ...options, '--json'], PASSWORD);
      const { fingerprint } = await makeCertificate(dovecot.folder);
      await dovecot.restart();

      const option = `--tls-fingerprint imap=${shown(fingerprint)}`;
      const refused = await command('password');
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain('because it is not the one that you trusted');
      expect(refused.stderr).toContain(`countersign account servers ${id} --owner ${OWNER} ${option}\n`);

      expect(printedBy(await command('servers', ...option.split(' ')))).toEqual({ account_id: id });
      expect(printedBy(await command('password'))).toEqual({ account_id: id });
      // The pin belongs to the server that it was for.
      const moved = await command('servers', '--imap', `imaps://localhost:${dovecot.tlsPort}`);
      expect(moved.stderr).toContain(`IMAP (localhost:${dovecot.tlsPort}): ${SELF_SIGNED}`);
    });

    it('of a provider that is known are never trusted', async () => {
      const asked: string[] = [];
      const terminal = {
        ...{ env: {}, folder: '', isWatched: false },
        ...{ print: () => undefined, log: () => undefined, tell: () => undefined, secret: async () => '' },
        async confirm(question: string) {
          asked.push(question);
          return true;
        },
      };
      const server = (host: string, port: number) => ({ host, port, user: email, security: 'tls' }) as const;
      const servers = {
        imap: server('imap.gmail.com', dovecot.tlsPort),
        smtp: server('localhost', postfix.tlsPort),
        ...{ caldav: undefined, fingerprint: undefined },
      };
      const reach = { allowPrivateServers: true, addressesOf: async () => ['127.0.0.1'] };
      await expect(trustedServers(servers, reach, terminal, '')).rejects.toThrow(
        'Countersign knows this provider, whose certificates always are: somebody may be in between.',
      );
      expect(asked).toEqual([]);
    });
  },
);
