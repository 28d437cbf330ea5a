import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { LimitOverrides, Limits } from '../../core/limits.ts';
import type { Plan } from '../../core/permissions.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';

export type DatabaseSetting =
  /** `name`: how messages call it. */
  | { readonly kind: 'file'; readonly name: string; readonly file: string }
  /** `name` is without user and password. */
  | { readonly kind: 'postgres'; readonly name: string; readonly connectionString: string };

/** What the process is started with, checked. */
export interface Configuration {
  readonly database: DatabaseSetting;
  /** Absolute path: where the secret key is kept when none is given. */
  readonly secretKeyFile: string;
  readonly host: string;
  /** 0: any free port. The dashboard listens on the next one. */
  readonly port: number;
  /** Undefined: made from host and port. */
  readonly baseUrl: string | undefined;
  readonly dashboardUrl: string | undefined;
  readonly trustedProxies: readonly string[];
  /** Host names, addresses and networks where account servers may be though they are private. Undefined: all, while there is one owner. */
  readonly allowPrivateServers: 'all' | 'none' | readonly string[] | undefined;
  /** Undefined: kept in `secretKeyFile`. */
  readonly secretKeys: readonly Uint8Array[] | undefined;
  readonly plan: Plan;
  readonly limits: LimitOverrides;
  readonly log: LogLevel;
}

/** A setting that stops the start; the message names it and says what to do. */
class ConfigurationError extends Error {}

const FILE = 'countersign.config.json';
const PREFIX = 'COUNTERSIGN_';

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

/** Not of digits and dots alone, which is an address in a form that is easily misread. */
const HOST_NAME =
  /^(?=.{1,253}$)(?![\d.]+$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

const POSTGRES = /^postgres(ql)?:\/\//;

/** Scheme, host and port alone. */
const address = z
  .string()
  .refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  })
  .transform((text) => new URL(text).origin);

/** By their names in the file. The description says how to set a setting right. */
const settings = z.strictObject({
  databaseUrl: z
    .string()
    .refine((text) => /^file:./.test(text) || (POSTGRES.test(text) && URL.canParse(text)))
    .default('file:./data/countersign.db')
    .describe(
      'give a file, like file:./data/countersign.db, or a Postgres database, like postgres://user:password@host/name',
    ),
  host: z.string().min(1).default('127.0.0.1').describe('give the address to listen on, like 127.0.0.1'),
  port: z.int().min(0).max(65_534).default(8787).describe('give a number from 0 (any free port) to 65534'),
  baseUrl: address
    .optional()
    .describe('give the public address of the API, like https://api.example.org, without a path'),
  dashboardUrl: address
    .optional()
    .describe('give the public address of the dashboard, like https://approve.example.org, without a path'),
  trustedProxies: z
    .array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]))
    .default([])
    .describe('give addresses or networks, like 127.0.0.1,10.0.0.0/8'),
  allowPrivateServers: z
    .union([
      z.enum(['all', 'none']),
      z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.string().regex(HOST_NAME)])).min(1),
    ])
    .optional()
    .describe(
      'give all, none, or host names, addresses or networks of mail and calendar servers, like mail.lan,192.168.1.0/24',
    ),
  secretKey: z
    .array(z.base64().refine((text) => Buffer.from(text, 'base64').length === 32))
    .min(1)
    .optional()
    .describe('give 32 random bytes in base64 (openssl rand -base64 32), or several separated by commas'),
  plan: z.enum(['free', 'paid']).default('paid').describe('give free or paid'),
  limits: limits
    .default({})
    .describe(
      `give numbers by name, like {"callsPerMinute":120}; names: ${Object.keys(limits.shape).join(', ')}`,
    ),
  log: z
    .enum(LOG_LEVELS)
    .default('info')
    .describe(`give one of ${LOG_LEVELS.join(', ')}`),
});

type SettingName = keyof typeof settings.shape;

/**
 * Reads the settings from the environment (`COUNTERSIGN_DATABASE_URL` …) and `countersign.config.json`
 * (`databaseUrl` …) in `folder`; the environment counts more.
 * @throws ConfigurationError
 */
export function readConfiguration(env: NodeJS.ProcessEnv, folder: string): Configuration {
  const inEnvironment = fromEnvironment(env);
  const parsed = settings.safeParse({ ...fromFile(join(folder, FILE)), ...inEnvironment });
  if (!parsed.success) throw refusal(parsed.error, inEnvironment);
  const { databaseUrl, secretKey, baseUrl, dashboardUrl, allowPrivateServers, ...others } = parsed.data;
  return {
    ...others,
    ...databaseOf(databaseUrl, folder),
    baseUrl,
    dashboardUrl,
    allowPrivateServers,
    secretKeys: secretKey?.map((key) => Buffer.from(key, 'base64')),
  };
}

function fromFile(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return {};
    throw new ConfigurationError(`${FILE} cannot be read; make it readable, or remove it.`, { cause });
  }
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch (cause) {
    throw new ConfigurationError(`${FILE} is not a JSON object; correct it, or remove it.`, { cause });
  }
}

/** Variables that are set to nothing are not set. */
function fromEnvironment(env: NodeJS.ProcessEnv): Record<string, unknown> {
  const given = Object.entries(env).filter(([name, text]) => name.startsWith(PREFIX) && text !== '');
  return Object.fromEntries(
    given.map(([variable, text = '']) => {
      const name = NAMES.find((one) => variableOf(one) === variable);
      if (name === undefined) {
        const known = NAMES.map(variableOf).join(', ');
        throw new ConfigurationError(`${variable}: there is no such setting; remove it. Settings: ${known}.`);
      }
      return [name, fromText(name, text)];
    }),
  );
}

const NAMES = Object.keys(settings.shape) as SettingName[];

function variableOf(name: string): string {
  return PREFIX + name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** What cannot be made of a text stays as it is, and is refused with the others. */
function fromText(name: SettingName, text: string): unknown {
  switch (name) {
    case 'port':
      return /^\d+$/.test(text) ? Number(text) : text;
    case 'allowPrivateServers':
      return text === 'all' || text === 'none' ? text : text.split(',').map((part) => part.trim());
    case 'trustedProxies':
    case 'secretKey':
      return text.split(',').map((part) => part.trim());
    case 'limits':
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
    default:
      return text;
  }
}

/** Never repeats a value: it may be a secret. */
function refusal(error: z.ZodError, inEnvironment: Record<string, unknown>): ConfigurationError {
  const [issue] = error.issues;
  const name = NAMES.find((one) => one === issue?.path[0]);
  if (name !== undefined) {
    const source = name in inEnvironment ? variableOf(name) : `${name} in ${FILE}`;
    return new ConfigurationError(`${source}: ${settings.shape[name].description}.`, { cause: error });
  }
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : FILE;
  const known = NAMES.join(', ');
  return new ConfigurationError(
    `${unknown} in ${FILE}: there is no such setting; remove it. Settings: ${known}.`,
    { cause: error },
  );
}

function databaseOf(databaseUrl: string, folder: string): Pick<Configuration, 'database' | 'secretKeyFile'> {
  if (POSTGRES.test(databaseUrl)) {
    const { host, pathname } = new URL(databaseUrl);
    return {
      database: { kind: 'postgres', name: `postgres://${host}${pathname}`, connectionString: databaseUrl },
      secretKeyFile: resolve(folder, 'data', 'countersign.key'),
    };
  }
  const file = databaseUrl.startsWith('file://')
    ? fileURLToPath(databaseUrl)
    : resolve(folder, databaseUrl.slice('file:'.length));
  return { database: { kind: 'file', name: file, file }, secretKeyFile: `${file}.key` };
}
