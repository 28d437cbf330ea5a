import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { everyVerbScene, VERBS } from '../../contracts/storage/every-verb.ts';
import { addOwnerAndKey, approve, ask, start, webhookStates } from '../../contracts/storage/scene.ts';
import { casesOf } from '../../only-long.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { missingOwnPostgres, type OwnPostgres, startOwnPostgres } from '../../servers/postgres.ts';
import { until } from '../../until.ts';
import { interceptStatements } from './intercepted.ts';

/** Verbs that write nothing, here or anywhere. */
const READING = new Set(
  'healthy alteredAccess alteredDecisions approval approvals openApprovals plan askedPlan gists knownRecipients knownDomains reads readSources relocatedAmong events eventStream eventsAfter activity credentials owner owners ownerByEmail session sessions accounts accountHealth accountsToCheck trackers tracker event inboxesToWatch waitingTrackers summariesDue endpoints ownersWithDeliveries deliveries ownersWithoutCheckpoint checkpoints numberedActivity accessChanges noticeSettings noticeChannels ownersToNotify isSetupOpen credentialUse isRepeat secondStep ownerByPasskeyHandle'.split(
    ' ',
  ),
);
/**
 * In this scene they change nothing: the account is active already, the key is not paused, the keys are signed, and there
 * is an owner.
 */
const IDLE = new Set(['activateAccount', 'enableEndpoint', 'openSetup', 'redeliver', 'resume']);

/** Verbs that the gate always has; of the others it takes some. */
const DECIDING = new Set(
  'admit claim file decide cancel start settle finish reclaim erase addCredential'.split(' '),
);

const missing = missingOwnPostgres();

describe.skipIf(missing.length > 0)(titledWithout(missing, 'a connection to Postgres that is lost'), () => {
  let postgres: OwnPostgres;
  let url: string;
  let other: pg.Client;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    url = await postgres.createDatabase();
    other = new pg.Client({ connectionString: url });
    await other.connect();
  });
  afterAll(async () => {
    await other?.end();
    await postgres?.stop();
  });

  let found: string[] | undefined;
  async function tables(): Promise<string[]> {
    if (found !== undefined) return found;
    const { rows } = await other.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'countersign' AND tablename NOT IN ('schema_version', 'event_streams')",
    );
    found = rows.map(({ name }) => `countersign.${name}`);
    return found;
  }

  /** Reads everything that is stored. */
  async function stored(): Promise<string> {
    const dumps = (await tables()).map((name) => `(SELECT json_agg(t ORDER BY t::text) FROM ${name} t)`);
    // Named, so that Postgres plans it once.
    const dump = await other.query<{ all: unknown }>({
      name: 'stored',
      text: `SELECT json_build_array(${dumps.join(', ')}) AS all`,
    });
    return JSON.stringify(dump.rows[0]?.all);
  }

  async function forget(): Promise<void> {
    // No foreign key is checked: at the end there are no rows.
    await other.query(`BEGIN; SET LOCAL session_replication_role = replica;
      ${(await tables()).map((name) => `DELETE FROM ${name};`).join(' ')} COMMIT`);
  }

  /**
   * Ends the server's side of the connection right before the n-th statement. @returns whether there was one
   */
  function killBefore(n: number): () => boolean {
    let asked = 0;
    let killing: Promise<unknown> | undefined;
    const restore = interceptStatements((client, _statement, ask) => {
      if (client === other) return ask();
      asked += 1;
      if (asked < n) return ask();
      const pid: unknown = Reflect.get(client, 'processID');
      killing ??= other.query('SELECT pg_terminate_backend($1, 10000)', [pid]);
      // Later statements keep their place.
      return killing.then(ask);
    });
    return () => {
      restore();
      return asked >= n;
    };
  }

  const verbs = casesOf(
    'lost connection: verbs',
    Object.entries(VERBS),
    ([name], index) => DECIDING.has(name) || index % 16 === 0,
  );
  it.each(verbs)(
    'fails %s before any of its statements, and leaves nothing half done',
    async (name, verb) => {
      const storage = postgresStorage({ connectionString: url });
      onTestFinished(async () => {
        await storage.close();
        await forget();
      });
      const made = await everyVerbScene(storage);
      const before = await stored();
      let killed = 0;
      for (;;) {
        const end = killBefore(killed + 1);
        const answer = verb(storage, made);
        const settled = await answer.then(
          () => 'answered',
          (error: unknown) => error,
        );
        if (!end()) {
          expect(settled).toBe('answered');
          break;
        }
        killed += 1;
        expect(settled, `killed before statement ${killed}`).toMatchObject({
          code: 'temporarily_unavailable',
        });
        expect(settled).toHaveProperty('cause', expect.any(Error));
        expect(await stored(), `killed before statement ${killed}`).toBe(before);
      }
      // A write has a start, a lock or a statement, and a commit.
      expect(killed).toBeGreaterThanOrEqual(READING.has(name) ? 1 : 3);
      const isChanged = (await stored()) !== before;
      expect(isChanged).toBe(!READING.has(name) && !IDLE.has(name));
    },
  );

  it('works again once the server is back, which has kept what was stored', async () => {
    const storage = postgresStorage({ connectionString: url });
    const key = await addOwnerAndKey(storage);
    const waiting = await ask(storage, key);
    const { approval } = await approve(storage, waiting);
    other.on('error', () => undefined);
    await postgres.crash();
    // A backend ends a moment after the server.
    const answers = () =>
      storage.healthy().then(
        () => true,
        () => false,
      );
    await until(async () => !(await answers()));
    await expect(storage.healthy()).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    await expect(storage.approval(key.ownerId, approval.id)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    });
    await postgres.restart();
    await until(answers);
    expect(await storage.approval(key.ownerId, approval.id)).toEqual(approval);
    expect(await webhookStates(storage, approval)).toEqual(['approved']);
    expect(await start(storage, approval)).toBe(true);
    await storage.close();
  });
});
