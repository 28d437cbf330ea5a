import { parseArgs } from 'node:util';
import { type MailUrl, parseMailUrl } from '../../adapters/imap/settings.ts';
import type { Account, Owner } from '../../core/ports/storage.ts';
import { COMMON, type Command, none, onlyOne, required, UsageError } from './command.ts';
import { confirmedServers } from './confirmed-servers.ts';
import { mailSettings } from './mail-settings.ts';
import { ownerNamed, withService } from './open-service.ts';

const OWNER = { ...COMMON, owner: { type: 'string' } } as const;

const accountAdd: Command = {
  name: 'account add',
  usage: '--owner EMAIL --email ADDRESS [--imap URL --smtp URL | --yes] [--tls-fingerprint SHA256]',
  does:
    'connects a mailbox; its password comes from stdin; nothing is saved unless both servers accept it. ' +
    'Without URLs the servers are looked for, shown, and used after a yes (--yes: at once)',
  async run(args, terminal) {
    const options = {
      ...OWNER,
      email: { type: 'string' },
      imap: { type: 'string' },
      smtp: { type: 'string' },
      'tls-fingerprint': { type: 'string' },
      yes: { type: 'boolean' },
    } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    none(positionals);
    const ownerEmail = required(values.owner, '--owner');
    const email = required(values.email, '--email');
    const { imap, smtp } =
      values.imap === undefined && values.smtp === undefined
        ? await confirmedServers(email, values.yes === true, terminal)
        : {
            imap: serverOf(required(values.imap, '--imap'), 'imap', email),
            smtp: serverOf(required(values.smtp, '--smtp'), 'smtp', email),
          };
    const password = await terminal.secret('Password of the mailbox');
    const settings = mailSettings({ imap, smtp, password, fingerprint: values['tls-fingerprint'] });
    const { accountId } = await withService(terminal, async (service) => {
      const { ownerId } = await ownerNamed(service, ownerEmail);
      return service.accounts.connect({ ownerId, email, settings });
    });
    terminal.print({ account_id: accountId }, `Account ${accountId} (${email}) is connected.`);
  },
};

const accountList: Command = {
  name: 'account list',
  usage: '--owner EMAIL',
  does: "shows an owner's accounts",
  async run(args, terminal) {
    const { values, positionals } = parseArgs({ args, options: OWNER, allowPositionals: true });
    none(positionals);
    const email = required(values.owner, '--owner');
    const { owner, accounts } = await withService(terminal, async (service) => {
      const found = await ownerNamed(service, email);
      return { owner: found, accounts: await service.accounts.list(found.ownerId) };
    });
    terminal.print(
      { accounts: accounts.map((account) => row(account, owner)) },
      accounts.length === 0
        ? `${email} has no accounts.`
        : accounts.map((one) => line(one, owner)).join('\n'),
    );
  },
};

const accountRemove: Command = {
  name: 'account remove',
  usage: 'ACCOUNT_ID --owner EMAIL',
  does: 'forgets a mailbox and its password, and cancels what waits for it',
  async run(args, terminal) {
    const { values, positionals } = parseArgs({ args, options: OWNER, allowPositionals: true });
    const text = onlyOne(positionals, 'ACCOUNT_ID');
    if (!/^\d{1,9}$/.test(text)) throw new UsageError('ACCOUNT_ID is a whole number');
    const accountId = Number(text);
    const email = required(values.owner, '--owner');
    await withService(terminal, async (service) => {
      const { ownerId } = await ownerNamed(service, email);
      const accounts = await service.accounts.list(ownerId);
      if (!accounts.some((one) => one.accountId === accountId)) {
        throw new Error(`${email} has no account ${accountId}.`);
      }
      await service.accounts.remove(ownerId, accountId);
    });
    terminal.print({ account_id: accountId }, `Account ${accountId} is removed.`);
  },
};

export const ACCOUNT_COMMANDS: readonly Command[] = [accountAdd, accountList, accountRemove];

/** A user that is not in the address is the mailbox's own address. */
function serverOf(text: string, protocol: MailUrl['protocol'], email: string) {
  let url: MailUrl;
  try {
    url = parseMailUrl(text);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new UsageError(`--${protocol}: ${cause.message}`, { cause });
  }
  if (url.protocol !== protocol)
    throw new UsageError(`--${protocol}: the address must begin with ${protocol}`);
  const { host, port, security, user = email } = url;
  return { host, port, security, user };
}

function row(account: Account, owner: Owner) {
  return {
    account_id: account.accountId,
    email: account.email,
    label: account.label,
    is_active: account.accountId === owner.activeAccountId,
    is_primary: account.isPrimary,
  };
}

function line(account: Account, owner: Owner): string {
  const active = account.accountId === owner.activeAccountId ? '  active' : '';
  return `${account.accountId}  ${account.email}${active}`;
}
