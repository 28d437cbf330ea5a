import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { NoticeMailServer } from '../../adapters/notices/owner-notices.ts';
import { AddressError, type PostgresAddress, readAddress } from '../../adapters/postgres/address.ts';
import { isPostgresAddress } from '../../adapters/postgres/address-faults.ts';
import { readBasePath } from '../../core/contract/base-path.ts';
import { isDeliverable } from '../../core/contract/schema.ts';
import type { LimitOverrides, Limits } from '../../core/keys/limits.ts';
import type { Plan } from '../../core/keys/permissions.ts';
import type { MailProvider } from '../../core/ports/mail-provider.ts';
import { percentDecoded } from '../../core/text/percent-decoded.ts';
import { BRIDGE_ONLY_SETTINGS } from '../stdio/bridge-settings.ts';
import { mailProviderSettings } from './accounts/mail-providers.ts';
import { DATABASE_FILE, dataFolder, INDEX_FILE, KEY_FILE } from './data-folder.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';

export type DatabaseSetting =
  /** `name`: for messages. */
  | { readonly kind: 'file'; readonly name: string; readonly file: string }
  /** `name`: for messages, without user and password. */
  | { readonly kind: 'postgres'; readonly name: string; readonly connectionString: string };

/** The secret keys, or the absolute path of the file that keeps them. */
export type SecretKeySetting =
  | { readonly kind: 'set'; readonly keys: readonly Uint8Array[] }
  | { readonly kind: 'file'; readonly file: string };

/** The validated settings of the process. */
export interface Configuration {
  readonly database: DatabaseSetting;
  readonly host: string;
  /** 0: any free port. The dashboard uses the next port, the sign-in host the one after. */
  readonly port: number;
  /** Undefined: derived from host and port. */
  readonly baseUrl: string | undefined;
  readonly dashboardUrl: string | undefined;
  readonly mcpUrl: string | undefined;
  /** Absolute paths. Undefined: plain HTTP. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly trustedProxies: readonly string[];
  /** Private hosts, addresses and networks that account servers may use. Undefined: all, as long as there is one owner. */
  readonly allowPrivateServers: 'all' | 'none' | readonly string[] | undefined;
  /** How this machine introduces itself to SMTP servers. Undefined: by the domain of the account's address. */
  readonly ehloName: string | undefined;
  /** Hosts that webhooks may go to although their address is private. */
  readonly allowPrivateTargets: readonly string[];
  /** Where owners sign in to their mailboxes. */
  readonly mailProviders: readonly MailProvider[];
  /** The SMTP server that mails notices. Undefined: none are mailed. */
  readonly noticeMail: NoticeMailServer | undefined;
  readonly secretKeys: SecretKeySetting;
  /** Of the index beside the mailboxes: an absolute path. Undefined: there is none. */
  readonly indexFile: string | undefined;
  readonly plan: Plan;
  readonly limits: LimitOverrides;
  readonly log: LogLevel;
}

/** An invalid setting, which stops the start. The message names it and says how to fix it. */
class ConfigurationError extends Error {}

const FILE = 'countersign.config.json';
const PREFIX = 'COUNTERSIGN_';
const OF_THE_BRIDGE: ReadonlySet<string> = new Set(BRIDGE_ONLY_SETTINGS);

const count = z.exactOptional(z.int().min(0));
const limits = z.strictObject({
  callsPerMinute: count,
  callsPerDay: count,
  filedPerDay: count,
  waitingPerKey: count,
  waitingPerOwner: count,
  messagesPerBulk: count,
  concurrentCalls: count,
  webhookEndpoints: count,
  directSendsPerDay: count,
  directSendsPer10Min: count,
} satisfies Record<keyof Limits, unknown>);

/** Excludes names of only digits and dots: those are ambiguous forms of an address. */
const HOST_NAME =
  /^(?=.{1,253}$)(?![\d.]+$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

/** Scheme, host, port and path. */
const address = z
  .string()
  .refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
    return url.href === `${url.origin}${url.pathname}` && readBasePath(url.pathname) !== undefined;
  })
  .transform((text) => new URL(text).href.replace(/\/$/, ''));

/** Named as in the file. Each description says what the value must be. */
export const settings = z.strictObject({
  dataDir: z.string().min(1).optional().describe('must be a folder, like /var/lib/countersign'),
  databaseUrl: z
    .string()
    .refine((text) => isFileUrl(text) || isPostgresAddress(text))
    .optional()
    .describe(
      'must be a file on this machine, like file:/var/lib/countersign/countersign.db (a percent sign is written %25), or a Postgres database, like postgres://user:password@host/name or socket://user:password@/var/run/postgresql?db=name',
    ),
  host: z.string().min(1).default('127.0.0.1').describe('must be the address to listen on, like 127.0.0.1'),
  port: z.int().min(0).max(65_533).default(8787).describe('must be a number from 0 (any free port) to 65533'),
  baseUrl: address
    .optional()
    .describe(
      'must be the public address of the API, like https://api.example.org or https://example.org/api',
    ),
  dashboardUrl: address
    .optional()
    .describe(
      'must be the public address of the dashboard, like https://approve.example.org, with or without a path',
    ),
  mcpUrl: address
    .optional()
    .describe(
      'must be the public address where assistants sign in, like https://mcp.example.org or https://example.org/assistant',
    ),
  tlsCert: z
    .string()
    .min(1)
    .optional()
    .describe(
      'must be the file of a certificate with its chain, in PEM, like /etc/countersign/fullchain.pem',
    ),
  tlsKey: z
    .string()
    .min(1)
    .optional()
    .describe("must be the file of the certificate's private key, in PEM, like /etc/countersign/privkey.pem"),
  trustedProxies: z
    .array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]))
    .default([])
    .describe('must be addresses or networks, like 127.0.0.1,10.0.0.0/8'),
  allowPrivateServers: z
    .union([
      z.enum(['all', 'none']),
      z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.string().regex(HOST_NAME)])).min(1),
    ])
    .optional()
    .describe(
      'must be all, none, or host names, addresses or networks of mail and calendar servers, like mail.lan,192.168.1.0/24',
    ),
  allowPrivateTargets: z
    .array(z.union([z.ipv4(), z.ipv6(), z.string().regex(HOST_NAME)]))
    .default([])
    .describe('must be the hosts of webhook receivers at private addresses, like hooks.lan,192.168.1.7'),
  ehloName: z
    .string()
    .regex(HOST_NAME)
    .optional()
    .describe('must be the name of this machine that SMTP servers see, like mail.example.org'),
  mailProviders: mailProviderSettings
    .prefault({})
    .describe(
      'must be providers by id, like {"google":{"clientId":"…","clientSecret":"…"}}, as docs/self-hosting.md describes',
    ),
  noticeSmtp: z
    .string()
    .refine((text) => smtpServerOf(text) !== undefined)
    .optional()
    .describe(
      'must be the SMTP server for notices, like smtp://user:password@mail.example.org:587 or smtps://mail.example.org',
    ),
  noticeFrom: z
    .string()
    .refine(isDeliverable)
    .optional()
    .describe('must be the address that notices come from, like countersign@example.org'),
  secretKey: z
    .array(z.base64().refine((text) => Buffer.from(text, 'base64').length === 32))
    .min(1)
    .optional()
    .describe('must be 32 random bytes in base64 (openssl rand -base64 32), or several separated by commas'),
  index: z.enum(['on', 'off']).optional().describe('must be on or off'),
  plan: z.enum(['free', 'paid']).default('paid').describe('must be free or paid'),
  limits: limits
    .default({})
    .describe(
      `must be numbers by name, like {"callsPerMinute":120}; names: ${Object.keys(limits.shape).join(', ')}`,
    ),
  log: z
    .enum(LOG_LEVELS)
    .default('info')
    .describe(`must be one of ${LOG_LEVELS.join(', ')}`),
});

/** Plain text goes only to this machine. Undefined: not the address of an SMTP server. */
function smtpServerOf(text: string): Omit<NoticeMailServer, 'from'> | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || !/^\/?$/.test(url.pathname)) return undefined;
  if (url.hostname === '' || url.search !== '' || url.hash !== '') return undefined;
  const isTls = url.protocol === 'smtps:';
  const usual = isTls ? 465 : 587;
  const user = percentDecoded(url.username);
  const pass = percentDecoded(url.password);
  if ((user === '') !== (pass === '')) return undefined;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? usual : Number(url.port),
    security: isTls ? 'tls' : 'starttls',
    ...(user === '' ? {} : { user, pass }),
  };
}

export type SettingName = keyof typeof settings.shape;

/**
 * Reads the settings from the environment (`COUNTERSIGN_DATABASE_URL` …) and from `countersign.config.json` in `folder`
 * (`databaseUrl` …). The environment takes precedence.
 * @throws ConfigurationError; what `dataFolder` throws, if the data folder is needed
 */
export function readConfiguration(env: NodeJS.ProcessEnv, folder: string): Configuration {
  const inEnvironment = fromEnvironment(env);
  const parsed = settings.safeParse({ ...fromFile(join(folder, FILE)), ...inEnvironment });
  if (!parsed.success) throw refusal(parsed.error, inEnvironment);
  const { dataDir, databaseUrl, secretKey, tlsCert, tlsKey, noticeSmtp, noticeFrom, index, ...others } =
    parsed.data;
  const { baseUrl, dashboardUrl, mcpUrl, allowPrivateServers, ehloName } = others;
  // A program in a container may have no home, and needs none if the settings name everything.
  const inData = (file: string) => join(dataFolder(dataDir, env, folder), file);
  const database = databaseOf(databaseUrl, folder, inData, sourceOf('databaseUrl', inEnvironment));
  return {
    ...others,
    noticeMail: noticeMailOf(noticeSmtp, noticeFrom),
    database,
    secretKeys: keysOf(secretKey, () =>
      database.kind === 'file' ? `${database.file}.key` : inData(KEY_FILE),
    ),
    indexFile: indexFileOf(index, database, inData),
    baseUrl,
    dashboardUrl,
    mcpUrl,
    allowPrivateServers,
    ehloName,
    tls: tlsOf(tlsCert, tlsKey, { baseUrl, dashboardUrl, mcpUrl }, folder),
  };
}

/** Beside the database if that is a file. Who has no place for data and asks for no index gets none. */
function indexFileOf(
  setting: 'on' | 'off' | undefined,
  database: DatabaseSetting,
  inData: (file: string) => string,
): string | undefined {
  if (setting === 'off') return undefined;
  if (database.kind === 'file') return `${database.file}.index`;
  try {
    return inData(INDEX_FILE);
  } catch (error) {
    if (setting === 'on') throw error;
    return undefined;
  }
}

/** @param file  of the keys, if none are set */
function keysOf(texts: readonly string[] | undefined, file: () => string): SecretKeySetting {
  return texts === undefined
    ? { kind: 'file', file: file() }
    : { kind: 'set', keys: texts.map((key) => Buffer.from(key, 'base64')) };
}

function noticeMailOf(smtp: string | undefined, from: string | undefined): NoticeMailServer | undefined {
  if (smtp === undefined && from === undefined) return undefined;
  const server = smtp === undefined ? undefined : smtpServerOf(smtp);
  if (server !== undefined && from !== undefined) return { ...server, from };
  throw new ConfigurationError('noticeSmtp and noticeFrom belong together: set both, or none.');
}

function fromFile(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return {};
    throw new ConfigurationError(`${FILE} cannot be read. Make it readable, or remove it.`, { cause });
  }
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch (cause) {
    throw new ConfigurationError(`${FILE} is not a JSON object. Correct it, or remove it.`, { cause });
  }
}

/** Treats empty variables as unset. */
function fromEnvironment(env: NodeJS.ProcessEnv): Record<string, unknown> {
  const given = Object.entries(env).filter(
    ([name, text]) => name.startsWith(PREFIX) && text !== '' && !OF_THE_BRIDGE.has(name),
  );
  return Object.fromEntries(
    given.map(([variable, text = '']) => {
      const name = NAMES.find((one) => variableOf(one) === variable);
      if (name === undefined) {
        const known = NAMES.map(variableOf).join(', ');
        throw new ConfigurationError(`${variable}: unknown setting. Remove it. Settings: ${known}.`);
      }
      return [name, fromText(name, text)];
    }),
  );
}

const NAMES = Object.keys(settings.shape) as SettingName[];

/** The environment variable of a setting. */
export function variableOf(name: string): string {
  return PREFIX + name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** Separated by commas in the environment, arrays in the file. */
const LISTS: ReadonlySet<string> = new Set([
  'allowPrivateServers',
  'allowPrivateTargets',
  'secretKey',
  'trustedProxies',
] satisfies SettingName[]);

/** Leaves text that cannot be converted as it is; validation then rejects it. */
function fromText(name: SettingName, text: string): unknown {
  if (name === 'allowPrivateServers' && (text === 'all' || text === 'none')) return text;
  if (LISTS.has(name)) return text.split(',').map((part) => part.trim());
  switch (name) {
    case 'port':
      return /^\d+$/.test(text) ? Number(text) : text;
    case 'limits':
    case 'mailProviders':
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
    default:
      return text;
  }
}

/** Never includes a value, because it may be a secret. */
function refusal(error: z.ZodError, inEnvironment: Record<string, unknown>): ConfigurationError {
  const [issue] = error.issues;
  const name = NAMES.find((one) => one === issue?.path[0]);
  if (name !== undefined) {
    const source = sourceOf(name, inEnvironment);
    const form =
      !(name in inEnvironment) && LISTS.has(name)
        ? '. In the file, a list is a JSON array, like ["…", "…"]'
        : '';
    return new ConfigurationError(`${source}: ${settings.shape[name].description}${form}.`, { cause: error });
  }
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : FILE;
  const known = NAMES.join(', ');
  return new ConfigurationError(`${unknown} in ${FILE}: unknown setting. Remove it. Settings: ${known}.`, {
    cause: error,
  });
}

/** Where a setting was made, for messages. */
function sourceOf(name: SettingName, inEnvironment: Record<string, unknown>): string {
  return name in inEnvironment ? variableOf(name) : `${name} in ${FILE}`;
}

/** A certificate names hosts, so the addresses are not derived from what the process listens on. */
function tlsOf(
  tlsCert: string | undefined,
  tlsKey: string | undefined,
  addresses: Pick<Configuration, 'baseUrl' | 'dashboardUrl' | 'mcpUrl'>,
  folder: string,
): Configuration['tls'] {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    const [given, missing] = tlsKey === undefined ? ['tlsCert', 'tlsKey'] : ['tlsKey', 'tlsCert'];
    throw new ConfigurationError(
      `${variableOf(given)}: needs ${variableOf(missing)} as well. Set both, or none.`,
    );
  }
  const [name] = Object.entries(addresses).find(([, url]) => !url?.startsWith('https://')) ?? [];
  if (name !== undefined) {
    throw new ConfigurationError(
      `${variableOf(name)}: must be set to an address with https:// if COUNTERSIGN_TLS_CERT is set, and with its port unless a proxy hides it.`,
    );
  }
  return { certFile: resolve(folder, tlsCert), keyFile: resolve(folder, tlsKey) };
}

/**
 * @param folder  the working folder
 * @param inData  the path of a file in the data folder
 * @param source  of `databaseUrl`, for messages
 */
function databaseOf(
  databaseUrl: string | undefined,
  folder: string,
  inData: (file: string) => string,
  source: string,
): DatabaseSetting {
  if (databaseUrl !== undefined && isPostgresAddress(databaseUrl)) {
    const { name, connectionString } = postgresAt(databaseUrl, source);
    return { kind: 'postgres', name, connectionString };
  }
  const file = databaseUrl === undefined ? inData(DATABASE_FILE) : pathOf(databaseUrl, folder);
  return { kind: 'file', name: file, file };
}

function postgresAt(connectionString: string, source: string): PostgresAddress {
  try {
    return readAddress(connectionString);
  } catch (cause) {
    if (!(cause instanceof AddressError)) throw cause;
    throw new ConfigurationError(`${source}: ${cause.message}`, { cause });
  }
}

/**
 * @param fileUrl  `file:///absolute/path`, or `file:` and a path from `folder`; percent-encoded
 * @throws URIError or TypeError if it cannot be decoded, or names another machine
 */
function pathOf(fileUrl: string, folder: string): string {
  return fileUrl.startsWith('file://')
    ? fileURLToPath(fileUrl)
    : resolve(folder, decodeURIComponent(fileUrl.slice('file:'.length)));
}

function isFileUrl(text: string): boolean {
  if (!/^file:./.test(text)) return false;
  try {
    return !pathOf(text, '/').includes('\0');
  } catch {
    // `pathOf` says why.
    return false;
  }
}
