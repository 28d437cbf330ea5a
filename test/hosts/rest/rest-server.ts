import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { type SandboxMail, sandboxMail } from '../../../adapters/sandbox/mail.ts';
import type { SampleMessage } from '../../../adapters/sandbox/sample-message.ts';
import type { LimitOverrides } from '../../../core/keys/limits.ts';
import type { Modes, Preset } from '../../../core/keys/permissions.ts';
import type { Log } from '../../../core/ports/log.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { Service } from '../../../core/service/service.ts';
import { createService, type EmbeddedOptions } from '../../../hosts/embedded/countersign.ts';
import { recordHeads } from '../../../hosts/http/arriving-head.ts';
import { isMcpPath } from '../../../hosts/http/request-head.ts';
import { nodeHandler } from '../../../hosts/node/node-handler.ts';
import { sqliteOnClock } from '../../store-clock.ts';
import { watchedAnswers } from './watched-answers.ts';

export interface RestServer {
  readonly port: number;
  readonly service: Service;
  readonly storage: Storage;
  readonly mail: SandboxMail;
  /** An owner with one account and a Full key. */
  readonly ownerId: string;
  readonly apiKey: string;
  key(options?: { preset?: Preset; modes?: Partial<Modes>; ownerId?: string }): Promise<string>;
  stop(): Promise<void>;
}

export interface RestServerOptions {
  readonly limits?: LimitOverrides;
  readonly baseUrl?: string;
  readonly log?: Log;
  /** The owner's account, where the mailbox is not the sandbox. */
  readonly account?: { readonly email: string; readonly settings: unknown };
  /** What else the service is given: a plan, a clock, other ports. */
  readonly given?: Partial<EmbeddedOptions>;
  /** The mail of the sandbox; unless `given` has another mailbox. */
  readonly samples?: (owner: string) => readonly SampleMessage[];
  /** What the service is given instead of the sandbox itself: for faults that it does not make. */
  readonly mailAs?: (mail: SandboxMail) => Mail;
  /** False: its server passes on nothing of a broken head but the broken packet, as the server of an app does. */
  readonly recordsHeads?: boolean;
  /** What stands between the door and the service. */
  readonly between?: (service: Service) => Service;
}

const OWNER_EMAIL = 'owner@example.org';

/** The API's host on node:http, both doors, in front of the real service on SQLite, unless told otherwise, and the sandbox. Believes 127.0.0.1 as a proxy. */
export async function restServer(options: RestServerOptions = {}): Promise<RestServer> {
  const server = createServer({ requireHostHeader: false });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const storage = options.given?.storage ?? sqliteOnClock(':memory:', Date.now);
  const mail = sandboxMail(options.samples === undefined ? {} : { samples: options.samples });
  const service = createService({
    storage,
    mail: options.mailAs?.(mail) ?? mail,
    reader: inlineReader(),
    secretKeys: [randomBytes(32)],
    baseUrl: options.baseUrl ?? `http://127.0.0.1:${port}`,
    dashboardUrl: 'http://127.0.0.1:1',
    limits: { callsPerMinute: 100_000, callsPerDay: 100_000, ...options.limits },
    ...options.given,
  });
  const behind = options.between?.(service) ?? service;
  const handler = nodeHandler(behind, {
    doors: ['rest', 'mcp'],
    trustedProxies: ['127.0.0.1'],
    ...(options.log && { log: options.log }),
  });
  const answers = watchedAnswers();
  server.on('request', (req, res) => {
    if (!isMcpPath(req.url ?? '')) answers.watch(req, res);
    handler(req, res);
  });
  server.on('clientError', handler.clientError);
  if (options.recordsHeads !== false) recordHeads(server);

  const { ownerId } = await service.owners.create({ email: OWNER_EMAIL });
  await service.accounts.connect({ ownerId, email: OWNER_EMAIL, settings: {}, ...options.account });
  const key: RestServer['key'] = async ({ preset = 'full', modes = {}, ownerId: owner = ownerId } = {}) =>
    (await service.keys.create({ ownerId: owner, name: 'test', preset, modes })).apiKey;

  return {
    port,
    service,
    storage,
    mail,
    ownerId,
    apiKey: await key(),
    key,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await service.stop();
      answers.verify();
    },
  };
}

/** For one test alone. */
export async function ownRestServer(options: RestServerOptions = {}): Promise<RestServer> {
  const server = await restServer(options);
  onTestFinished(() => server.stop());
  return server;
}
