import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { imapMail } from '../../adapters/imap/mail.ts';
import { postgresStorage } from '../../adapters/postgres/storage.ts';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import { sandboxMail } from '../../adapters/sandbox/mail.ts';
import { sqliteStorage } from '../../adapters/sqlite/storage.ts';
import type { Mail } from '../../core/ports/ports.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createService } from '../../hosts/embedded/countersign.ts';
import { nodeHandler } from '../../hosts/node/node-handler.ts';
import { settingsOf } from '../lab/bench/mail-settings.ts';
import { seedInbox } from '../lab/bench/maildir.ts';
import { NO_LIMITS } from '../lab/bench/no-limits.ts';
import { startDovecot } from '../servers/dovecot.ts';
import { addressOf } from '../servers/mail-users.ts';
import { missingServers, titled, titledWithout } from '../servers/missing-servers.ts';
import { missingPostgres, startPostgres } from '../servers/postgres.ts';
import { COSTS, type Cost, type Counts, countedCosts, countFromNowOn } from './counted-costs.ts';
import { DOVECOT, type Ledger, POSTGRES, SQLITE } from './ledger.ts';

/** A request over HTTP. The nth time, it is about the nth message. */
interface Call {
  readonly name: string;
  readonly status: number;
  request(nth: number, ids: readonly string[]): { method?: string; path: string; body?: object };
}

const CALLS: readonly Call[] = [
  { name: 'me', status: 200, request: () => ({ path: '/v1/me' }) },
  { name: 'list', status: 200, request: () => ({ path: '/v1/messages?limit=5' }) },
  { name: 'unread', status: 200, request: () => ({ path: '/v1/messages?unread=true&limit=5' }) },
  { name: 'search', status: 200, request: () => ({ path: '/v1/messages?q=the&folder=inbox&limit=5' }) },
  { name: 'read', status: 200, request: (_nth, [id]) => ({ path: `/v1/messages/${id}` }) },
  { name: 'thread', status: 200, request: (_nth, [id]) => ({ path: `/v1/threads/${id}` }) },
  { name: 'approvals', status: 200, request: () => ({ path: '/v1/approvals' }) },
  {
    name: 'mark read',
    status: 200,
    request: (nth, ids) => ({ method: 'POST', path: `/v1/messages/${ids[nth]}/mark-read`, body: {} }),
  },
  {
    name: 'send, to be approved',
    status: 202,
    request: (nth) => ({
      method: 'POST',
      path: '/v1/messages',
      body: { to: [`bob-${nth}@example.org`], subject: `Lunch ${nth}`, body: 'Shall we meet at noon?' },
    }),
  },
  {
    name: 'archive',
    status: 200,
    request: (nth, ids) => ({ method: 'POST', path: `/v1/messages/${ids[nth + 2]}/archive`, body: {} }),
  },
];

const HOST = '127.0.0.1:1';

countFromNowOn();

/** Serves a mailbox over HTTP, makes each call twice, and counts the second. */
async function costsOf(storage: Storage, mail: Mail, email: string, settings: object) {
  const service = createService({
    storage,
    mail: { ...mail, verify: async () => undefined },
    reader: inlineReader(),
    secretKeys: [new Uint8Array(32).fill(7)],
    baseUrl: `http://${HOST}`,
    dashboardUrl: 'http://127.0.0.1:2',
    limits: NO_LIMITS,
  });
  const { ownerId } = await service.owners.create({ email, plan: 'paid' });
  await service.accounts.connect({ ownerId, email, settings });
  const modes = { 'mail:manage': 'direct', 'mail:organize': 'direct' } as const;
  const { apiKey } = await service.keys.create({ ownerId, name: 'ledger', preset: 'full', modes });
  const server = createServer({ requireHostHeader: false }, nodeHandler(service, { doors: ['rest'] }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  /** By node:http, because `fetch` would count too. */
  const send = ({ method = 'GET', path, body }: ReturnType<Call['request']>) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const json = {
        Host: HOST,
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
      };
      const sent = request({ host: '127.0.0.1', port, method, path, headers: json }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }),
        );
      });
      sent.on('error', reject);
      sent.end(body && JSON.stringify(body));
    });

  try {
    const { text } = await send({ path: '/v1/messages?limit=10' });
    const ids = [...text.matchAll(/"id":"([^"]+)"/g)].map(([, id = '']) => id);
    const counted: Record<string, Counts> = {};
    for (const call of CALLS) {
      const make = async (nth: number) => {
        const answered = await send(call.request(nth, ids));
        if (answered.status !== call.status)
          throw new Error(`${call.name} answers ${answered.status}: ${answered.text}`);
      };
      await make(0);
      counted[call.name] = await countedCosts(() => make(1));
    }
    return counted;
  } finally {
    server.close();
    await service.stop();
  }
}

/** One line for each cost that is not the one written down. */
function differences(ledger: Ledger, counted: Readonly<Record<string, Counts>>, costs: readonly Cost[]) {
  return Object.entries(counted).flatMap(([call, now]) =>
    costs.flatMap((cost) => {
      const before = ledger[call]?.[cost] ?? 0;
      if (before === now[cost]) return [];
      return `${call}: ${cost} ${before} before, ${now[cost]} now`;
    }),
  );
}

const owner = 'owner@example.org';
const fixedSandbox = () => sandboxMail({ now: () => new Date('2026-11-20T12:00:00Z') });

describe('the costs of the main calls', () => {
  it('are those of the ledger on SQLite', async () => {
    const counted = await costsOf(sqliteStorage({ file: ':memory:' }), fixedSandbox(), owner, {});
    const costs = COSTS.filter((cost) => cost !== 'roundTrips' && cost !== 'imapCommands');
    expect(differences(SQLITE, counted, costs)).toEqual([]);
  });

  it.skipIf(missingPostgres().length > 0)(
    titledWithout(missingPostgres(), 'are those of the ledger on Postgres'),
    async () => {
      const postgres = await startPostgres();
      try {
        const connectionString = await postgres.createDatabase();
        const counted = await costsOf(postgresStorage({ connectionString }), fixedSandbox(), owner, {});
        expect(differences(POSTGRES, counted, ['roundTrips', 'rowsWritten'])).toEqual([]);
      } finally {
        await postgres.stop();
      }
    },
  );

  it.skipIf(missingServers().length > 0)(titled('are those of the ledger on Dovecot'), async () => {
    const dovecot = await startDovecot({ tls: false });
    // A connection that was idle for a second is asked first whether it still works, which depends on the machine.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    try {
      const email = addressOf(seedInbox(dovecot, 30));
      const mail = imapMail({ allowPrivateServers: true });
      const settings = settingsOf(email, dovecot.port);
      const counted = await costsOf(sqliteStorage({ file: ':memory:' }), mail, email, settings);
      expect(differences(DOVECOT, counted, ['imapCommands', 'signals', 'abortErrors'])).toEqual([]);
    } finally {
      await dovecot.stop();
    }
  });
});

describe('the ledger', () => {
  it.each<[string, Cost, () => unknown]>([
    ['a formatter', 'formatters', () => new Intl.DateTimeFormat('en', { timeZone: 'UTC' })],
    ['a signal', 'signals', () => new AbortController().signal],
    ['an error of an aborted signal', 'abortErrors', () => new AbortController().abort()],
  ])('names the call that makes %s', async (_what, cost, make) => {
    const counted = await countedCosts(async () => make());
    expect(differences({ me: {} }, { me: counted }, [cost])).toEqual([`me: ${cost} 0 before, 1 now`]);
  });

  it('names a call that costs less than written down', async () => {
    const counted = await countedCosts(async () => undefined);
    expect(differences({ me: { statements: 7 } }, { me: counted }, COSTS)).toEqual([
      'me: statements 7 before, 0 now',
    ]);
  });
});
