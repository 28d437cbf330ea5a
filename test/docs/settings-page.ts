import * as z from 'zod';
import { mailProviderSettings } from '../../hosts/server/accounts/mail-providers.ts';
import { allCommands } from '../../hosts/server/commands.ts';
import { type SettingName, settings, variableOf } from '../../hosts/server/configuration.ts';
import { usageOf } from '../../hosts/server/help.ts';
import { BRIDGE_ONLY_SETTINGS, DEFAULT_BASE_URL } from '../../hosts/stdio/bridge-settings.ts';
import { code, page, prose, table, wrapped } from './markdown.ts';
import { anchorOf } from './page-links.ts';
import { fieldRows } from './schema-rows.ts';

/** docs/reference/settings.md: the settings and commands of the bundled server. */

interface SettingWords {
  /** What its definition does not say. */
  readonly means?: string;
  /** If the default is not a value, or needs more words. */
  readonly usual?: string;
}

const SETTINGS: Readonly<Record<SettingName, SettingWords>> = {
  dataDir: {
    means: 'Where the database and its secret key are kept.',
    usual:
      '`~/.local/share/countersign`; macOS: `~/Library/Application Support/countersign`; Windows: `%LOCALAPPDATA%\\countersign`. A folder `data` of an earlier version is used if the command runs beside it.',
  },
  databaseUrl: {
    means: 'The database: a SQLite file, or Postgres if the package `pg` is installed.',
    usual: '`countersign.db` in the data folder',
  },
  host: {},
  port: {
    means:
      'The port of the API. The dashboard listens on the next one, the host where assistants sign in on the one after.',
  },
  baseUrl: {
    means: 'Set it behind a proxy, and with TLS.',
    usual: 'from host and port',
  },
  dashboardUrl: {
    means: 'Set it behind a proxy, and with TLS.',
    usual: 'from host and port; on this machine `http://countersign.localhost:8788`',
  },
  mcpUrl: { means: 'Set it behind a proxy, and with TLS.', usual: 'from host and port' },
  tlsCert: {
    means:
      'With `tlsKey`: all three ports speak TLS. A renewed certificate is used without a restart. The three public addresses must then be set.',
    usual: 'plain HTTP',
  },
  tlsKey: { means: 'It belongs to `tlsCert`.' },
  trustedProxies: { means: "The proxies that may report the caller's address in `Forwarded` headers." },
  allowPrivateServers: {
    means: 'Which mail and calendar servers may have a private address.',
    usual: 'all of them while there is one owner, none with more',
  },
  ehloName: {
    means: 'How this machine introduces itself to SMTP servers.',
    usual: "the domain of the account's address",
  },
  allowPrivateTargets: { means: 'Which webhooks and notices may go to a private address.' },
  mailProviders: {
    means:
      'Where owners sign in to their mailboxes instead of giving a password; see [Mail providers](#mail-providers).',
  },
  noticeSmtp: {
    means:
      'The SMTP server that mails notices to owners. Percent-encode `@`, `:` and `/` in user and password.',
    usual: 'notices are not mailed',
  },
  noticeFrom: { means: 'The sender of these notices. It belongs to `noticeSmtp`.' },
  secretKey: {
    means:
      'Encrypts what is stored. The first key encrypts, all decrypt. Servers that share a database need the same.',
    usual:
      'created once, in `countersign.db.key` beside the database; with Postgres in `countersign.key` in the data folder',
  },
  index: {
    means:
      '`on`: searches and conversations ask an index of the mail instead of the mail server; see [Search in milliseconds](../operating.md#search-in-milliseconds). `off`: they ask the mail server. The index is `countersign.db.index` beside the database; with Postgres `countersign.index` in the data folder.',
    usual: '`on`; `off` with Postgres if there is no place for a data folder',
  },
  plan: { means: 'The plan of new owners; see [Limits](limits.md#plans).' },
  limits: { means: 'Single limits of new owners that differ from the plan; see [Limits](limits.md#plans).' },
  log: {
    means: 'The least level that is logged: JSON lines on stderr, without bodies, addresses or secrets.',
  },
};

const BRIDGE: Readonly<Record<(typeof BRIDGE_ONLY_SETTINGS)[number], string>> = {
  COUNTERSIGN_API_KEY: 'The key, `svc_pat_…`. Set this or `COUNTERSIGN_API_KEY_FILE`.',
  COUNTERSIGN_API_KEY_FILE:
    'The path of a file that contains the key and that only you can read (mode 0600).',
};

const PROVIDER_FIELDS: Readonly<Record<string, string>> = {
  name: 'Shown on the button and the pages.',
  issuer: 'Where the provider publishes its endpoints (OpenID discovery).',
  endpoints: 'Its endpoints, if it does not publish them.',
  clientId: 'Of the client that you made at the provider.',
  clientSecret: 'Of the same client.',
  tenant: '`common`, `consumers`, `organizations` or the id of a tenant.',
  scopes: 'Scopes besides `openid`, `email` and `offline_access`. The owner must grant all of them.',
  otherScopes: 'Scopes that are asked for and that the owner need not grant.',
  parameters: 'More parameters of the authorization request, by name.',
  device: '`true`: the command line signs in with a device code.',
  imap: 'The IMAP server.',
  smtp: 'The SMTP server.',
  caldav: 'The address of the CalDAV server.',
  domains: 'Addresses of these domains are offered this provider.',
};

export async function settingsPage(): Promise<string> {
  const commands = await allCommands();
  return page(
    '# Settings and commands',
    '## Settings',
    wrapped(
      'Set them in the environment, or under their name in `countersign.config.json` in the folder where the command runs. The environment takes precedence, and an empty variable counts as unset. In the environment, lists are separated by commas and objects are JSON. An unknown or wrong setting stops the start with one line that says what it must be.',
    ),
    table(['variable', 'in the file', 'default'], NAMES.map(settingRow)),
    ...NAMES.flatMap(settingSection),
    '### Mail providers',
    wrapped(
      '`mailProviders` is an object with a field for each provider: `google`, `microsoft`, or an id of your own for any other. Their redirect address is the public address of the dashboard with `/accounts/sign-in/PROVIDER/callback`.',
    ),
    table(['field', 'type', 'meaning'], providerRows()),
    '## Settings of `countersign mcp`',
    wrapped('The bridge reads these from its environment, and nothing else. It opens no database.'),
    table(
      ['variable', 'default', 'meaning'],
      [
        [code(variableOf('baseUrl')), code(DEFAULT_BASE_URL), 'The address of the API.'],
        ...BRIDGE_ONLY_SETTINGS.map((name) => [code(name), 'none', BRIDGE[name]]),
      ],
    ),
    '## Commands',
    wrapped(
      'With `--json`, a command prints one JSON object on one line when it is done. Exit code 0 means done, 1 failed, 2 wrong usage. Errors go to stderr. `--help` after a command shows what stands here.',
    ),
    table(
      ['command', 'does'],
      commands.map(({ name, summary }) => [
        `[${code(name)}](#${anchorOf(`countersign ${name}`)})`,
        prose(summary),
      ]),
    ),
    ...commands.flatMap((command) => [
      `### countersign ${command.name}`,
      `\`\`\`text\n${usageOf(command)}\n\`\`\``,
    ]),
  );
}

const NAMES = Object.keys(settings.shape) as SettingName[];

function settingRow(name: SettingName): readonly string[] {
  return [`[${code(variableOf(name))}](#${anchorOf(variableOf(name))})`, code(name), usualOf(name)];
}

function usualOf(name: SettingName): string {
  const { usual } = SETTINGS[name];
  if (usual !== undefined) return usual;
  const value = settings.shape[name].safeParse(undefined).data;
  return typeof value === 'string' || typeof value === 'number' ? code(String(value)) : 'none';
}

function settingSection(name: SettingName): readonly string[] {
  const { description = '' } = settings.shape[name];
  const { means = '' } = SETTINGS[name];
  const must = description.replace(/^must/, 'Must');
  return [`### ${variableOf(name)}`, wrapped(`${means} ${prose(must)}.`.trim())];
}

function providerRows(): readonly (readonly string[])[] {
  const schema: Readonly<Record<string, unknown>> = z.toJSONSchema(mailProviderSettings, { io: 'input' });
  const inner = fieldRows({ properties: { ID: schema.additionalProperties } });
  return [...fieldRows(schema), ...inner].map(({ path, type, isRequired }) => {
    const [, field, ...within] = path.split('.');
    const means = within.length > 0 || field === undefined ? '' : PROVIDER_FIELDS[field];
    if (means === undefined) throw new Error(`PROVIDER_FIELDS has no words for ${path}`);
    return [code(path), isRequired ? type : `optional ${type}`, means];
  });
}
