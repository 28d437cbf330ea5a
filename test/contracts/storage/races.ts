import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { USUAL_ROLES } from '../../folder-roles.ts';
import type { AnyApproval } from '../any-approval.ts';
import type { Store } from '../storage.ts';
import { connect } from './message-handles.ts';
import type { Job, RacerJob } from './race-jobs.ts';
import {
  addKey,
  addOwner,
  addOwnerAndKey,
  ask,
  erasing,
  execute,
  type Key,
  LAPSED_MS,
  NOON,
  ROOMY,
  run,
  SIGNER,
  start,
  webhookStates,
} from './scene.ts';
import { aSession, begin, PASSWORD_HASH } from './session-scene.ts';

/**
 * Races between processes on one store. For each race both open the store, wait for the signal, and then start at once.
 */

interface Racer {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<string, undefined> & AsyncIterable<string>;
}

export function racePromises(store: Store, racer: string): void {
  describe('two processes', () => {
    const started: ChildProcess[] = [];
    afterAll(() => {
      for (const child of started) child.kill('SIGKILL');
    });
    /** The two that raced last, unless they failed: a process takes longer to start than to race. */
    let waiting: readonly Racer[] | undefined;

    const startRacer = (): Racer => {
      const child = spawn(process.execPath, [racer], { stdio: ['pipe', 'pipe', 'inherit'] });
      started.push(child);
      // A racer that ended early does not read it. Its answer is missing then.
      child.stdin.on('error', () => undefined);
      return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
    };

    const getReady = async ({ child, lines }: Racer, job: Job): Promise<void> => {
      const sent: RacerJob = { ...job, location: store().location };
      child.stdin?.write(`${JSON.stringify(sent)}\n`);
      expect((await lines.next()).value, `the racer ${racer} must call \`race\``).toBe('ready');
    };

    /** Returns what each of the two has won. */
    const race = async (job: Omit<Job, 'side'>): Promise<readonly [string[], string[]]> => {
      const racers = waiting ?? [startRacer(), startRacer()];
      waiting = undefined;
      await Promise.all(racers.map((one, side) => getReady(one, { ...job, side })));
      for (const { child } of racers) child.stdin?.write('go\n');
      const [one, other] = await Promise.all(
        racers.map(async ({ lines }): Promise<string[]> => {
          const line = await lines.next();
          if (line.done === true) throw new Error(`the racer ${racer} ended without an answer`);
          return z.array(z.string()).parse(JSON.parse(line.value));
        }),
      );
      if (one === undefined || other === undefined) throw new Error('two racers give two answers');
      waiting = racers;
      return [one, other];
    };

    /** Expects that each one was won, by one of the two. */
    const expectShared = ([one, other]: readonly [string[], string[]], all: readonly string[]): void => {
      expect([...one, ...other].toSorted()).toEqual([...all].toSorted());
    };

    const job = (name: Job['name'], key: Key, times: number, approvalIds: readonly string[] = []) => ({
      name,
      key,
      times,
      approvalIds,
    });

    const several = async (make: (n: number) => Promise<{ id: string }>): Promise<string[]> => {
      const ids: string[] = [];
      for (let n = 0; n < 30; n++) ids.push((await make(n)).id);
      return ids;
    };

    it('agree on the folder that one of them created', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      const ids: string[] = [];
      for (let n = 0; n < 30; n++) {
        const account = { ownerId, label: 'l', email: `${n}@x.org`, signature: '', now: NOON };
        const added = { ...account, seal: () => 's', folderRoles: USUAL_ROLES };
        ids.push(String((await storage.addAccount(added)).accountId));
      }
      expectShared(await race(job('pinFolder', key, ids.length)), ids);
    });

    it('decide each approval once', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const ids = await several(() => ask(storage, key));
      const [approved, rejected] = await race(job('decide', key, 1, ids));
      expectShared([approved, rejected], ids);
      for (const [state, won] of [
        ['approved', approved],
        ['rejected', rejected],
      ] as const) {
        for (const id of won) {
          const approval = await storage.approval(key.ownerId, id);
          if (approval === undefined) throw new Error('the decided approval is missing');
          expect(approval.state).toBe(state);
          expect(await webhookStates(storage, approval)).toEqual([state]);
        }
      }
    });

    it('start and settle each run once', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const ids = await several(() => run(storage, key));
      expectShared(await race(job('start', key, 1, ids)), ids);
      expectShared(await race(job('settle', key, 1, ids)), ids);
      for (const id of ids) {
        const approval = await storage.approval(key.ownerId, id);
        if (approval === undefined) throw new Error('the settled approval is missing');
        expect(await webhookStates(storage, approval)).toEqual([approval.state]);
      }
    });

    it('run the same request once', async () => {
      const key = await addOwnerAndKey(store().storage);
      const hashes = Array.from({ length: 30 }, (_, n) => `same ${n}`);
      expectShared(await race(job('same', key, hashes.length)), hashes);
    });

    it('file a failed request again once, whether its program or its owner does', async () => {
      const key = await addOwnerAndKey(store().storage);
      const hashes = Array.from({ length: 30 }, (_, n) => `again ${n}`);
      const sides = await race(job('tryAgain', key, hashes.length));
      expect(sides.flat().toSorted()).toEqual(hashes.toSorted());
    });

    it('file and run together no more than the caps allow', async () => {
      const { storage } = store();
      const limits = { ...ROOMY, waitingPerKey: 7, directSendsPer10Min: 9 };
      const key = await addKey(storage, await addOwner(storage, { limits }));
      expect((await race(job('ask', key, 20))).flat()).toHaveLength(7);
      const other = await addKey(storage, key.ownerId);
      expect((await race(job('run', other, 20))).flat()).toHaveLength(9);
    });

    it('win each claim once, and no two with the same fence', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const names = Array.from({ length: 60 }, (_, n) => `k${n}`);
      expectShared(await race(job('claim', key, names.length)), names);
      const fences = (await race(job('claimLapsed', await addOwnerAndKey(storage), 60))).flat().map(Number);
      expect(fences.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, n) => n + 1));
    });

    it('take over each lapsed run once, and no two with the same fence', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const lapsed = () => run(storage, key, { leaseMs: LAPSED_MS });
      const ids = await several(async () => {
        const approval = await lapsed();
        await start(storage, approval);
        return approval;
      });
      ids.push(...(await several(() => execute(storage, key, {}, { followUp: true, leaseMs: LAPSED_MS }))));
      expectShared(await race(job('reclaim', key, ids.length)), ids);
      const again = await lapsed();
      await start(storage, again);
      const taken = (await race(job('reclaimLapsed', key, 30))).flat();
      const fences = Array.from({ length: 60 }, (_, n) => `${again.id} ${n + 2}`);
      expect(taken.toSorted()).toEqual(fences.toSorted());
    });

    it('make together no more calls than the limits allow', async () => {
      const { storage } = store();
      const held = await addKey(storage, await addOwner(storage, { limits: {} }));
      expect((await race(job('admit', held, 20))).flat()).toHaveLength(2);
      const key = await addKey(storage, await addOwner(storage, { limits: {} }));
      expect((await race(job('call', key, 60))).flat()).toHaveLength(60);
    });

    it('have together no more tries at a password than one alone', async () => {
      const { storage } = store();
      expect((await race(job('tryPassword', await addOwnerAndKey(storage), 20))).flat()).toHaveLength(3);
      await storage.erase(erasing({ passwordTriesBefore: new Date('2100-01-01') }));
      const anywhere = job('tryPasswordFromAnywhere', await addOwnerAndKey(storage), 20);
      expect((await race(anywhere)).flat()).toHaveLength(10);
    });

    it('use each nonce once', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      await storage.setPassword(key.ownerId, PASSWORD_HASH, SIGNER);
      await begin(storage, aSession(key.ownerId, 's'));
      const nonces = Array.from({ length: 60 }, (_, n) => `n${n}`);
      expectShared(await race(job('takeProof', key, nonces.length)), nonces);
    });

    it('never use a session after one of them has ended it', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      await storage.setPassword(key.ownerId, PASSWORD_HASH, SIGNER);
      const ids = Array.from({ length: 30 }, (_, n) => `s${n}`);
      for (const id of ids) await begin(storage, aSession(key.ownerId, id));
      const [ended, wrong] = await race(job('useOrEnd', key, ids.length));
      expect([ended, wrong]).toEqual([ids.map((id) => `${id} ended`), []]);
      expect(await storage.sessions(key.ownerId, SIGNER, NOON)).toEqual([]);
    });

    it('leave no session of the old password after one of them has changed it', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      await storage.setPassword(key.ownerId, PASSWORD_HASH, SIGNER);
      await race(job('signInOrChange', key, 30));
      expect(await storage.sessions(key.ownerId, SIGNER, NOON)).toEqual([]);
    });

    it('never add two accounts with one id', async () => {
      const key = await addOwnerAndKey(store().storage);
      const ids = (await race(job('addAccount', key, 20))).flat().map(Number);
      expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    });

    it('give a message that both show one handle, and each copy of it its own', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      await connect(storage, key.ownerId);
      const [one, other] = await race(job('showMessages', key, 40));
      for (const [n, line] of one.entries()) {
        const [[message, copy], [same, another]] = [line.split(' '), (other[n] ?? '').split(' ')];
        expect(same).toBe(message);
        expect(new Set([message, copy, another]).size).toBe(3);
      }
      expect(other).toHaveLength(40);
    });

    it('keep what one of them reported before it was killed, and store nothing by halves', async () => {
      const key = await addOwnerAndKey(store().storage);
      const churning = startRacer();
      const { child, lines } = churning;
      await getReady(churning, { ...job('churn', key, 1), side: 0 });
      child.stdin?.write('go\n');
      const acknowledged = new Map<string, string>();
      for await (const line of lines) {
        const [id, state] = line.split(' ');
        if (id !== undefined && state !== undefined) acknowledged.set(id, state);
        if (acknowledged.size === 40) child.kill('SIGKILL');
      }
      const storage = await store().reopen();
      const query = {
        ownerId: key.ownerId,
        credentialId: undefined,
        state: 'all',
        after: undefined,
      } as const;
      const { approvals } = await storage.approvals({ ...query, limit: 10_000 });
      const order = ['pending', 'approved', 'executed', 'outcome_unknown'];
      for (const [id, state] of acknowledged) {
        const stored = approvals.find((approval) => approval.id === id)?.state ?? 'nothing';
        // It may have moved on since its report, but not back.
        expect(order.indexOf(stored)).toBeGreaterThanOrEqual(order.indexOf(state));
      }
      for (const approval of approvals) {
        const { state, authorization }: AnyApproval = approval;
        const events = authorization?.by === 'owner' ? ['approved'] : [];
        if (state === 'executed' || state === 'outcome_unknown') events.push(state);
        expect(await webhookStates(storage, approval)).toEqual(events);
        expect(await storage.plan(key.ownerId, approval.id)).toBe(`sealed plan of ${approval.id}`);
      }
    });
  });
}
