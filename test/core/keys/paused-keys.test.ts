import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { Approval, ApprovalState } from '../../../core/approvals/approval.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import {
  addKey,
  addOwnerAndKey,
  approve,
  ask,
  at,
  DONE,
  filing,
  type Key,
  reclaim,
  SIGNER,
  settle,
  start,
} from '../../contracts/storage/scene.ts';

/**
 * Any order of requests, decisions, pauses and starts, compared with a model: what was approved before a
 * pause and has not started never starts, whether or not the key is resumed; what the owner approves later does.
 */

interface Modelled {
  readonly by: 'owner' | 'policy';
  state: ApprovalState;
  isStarted: boolean;
}

interface Model {
  isPaused: boolean;
  readonly requests: Modelled[];
}

interface Real {
  readonly storage: Storage;
  readonly key: Key;
  readonly ids: string[];
}

type Step = fc.AsyncCommand<Model, Real>;

async function approvalAt({ storage, key, ids }: Real, index: number): Promise<Approval> {
  const approval = await storage.approval(key.ownerId, ids[index] ?? '');
  if (approval === undefined) throw new Error('the approval is missing');
  return approval;
}

class File implements Step {
  readonly by: Modelled['by'];
  constructor(by: Modelled['by']) {
    this.by = by;
  }
  check = () => true;
  async run({ isPaused, requests }: Model, { storage, key, ids }: Real): Promise<void> {
    const call = {
      holds: this.by === 'owner' ? ['h'] : [],
      sends: false,
      repeatable: false,
      targeted: false,
    };
    const filed = await storage.file(filing(key, { call }));
    if (isPaused) {
      expect(filed).toMatchObject({
        kind: 'refuse',
        error: { code: 'not_permitted', details: { group: 'mail:send', reason: 'paused' } },
      });
      return;
    }
    if (filed.kind !== 'ask' && filed.kind !== 'run') throw new Error(`it was not filed: ${filed.kind}`);
    ids.push(filed.approval.id);
    requests.push({ by: this.by, state: filed.kind === 'ask' ? 'pending' : 'approved', isStarted: false });
  }
  toString = () => `file(${this.by})`;
}

/** A step on one of the requests. */
abstract class OnRequest implements Step {
  readonly pick: number;
  constructor(pick: number) {
    this.pick = pick;
  }
  check = ({ requests }: Readonly<Model>) => requests.length > 0;
  async run(model: Model, real: Real): Promise<void> {
    const index = this.pick % model.requests.length;
    const request = model.requests[index];
    if (request === undefined) throw new Error('the request is missing');
    await this.on(request, await approvalAt(real, index), real);
    for (const [at, { state }] of model.requests.entries()) {
      expect((await approvalAt(real, at)).state).toBe(state);
    }
  }
  abstract on(request: Modelled, approval: Approval, real: Real): Promise<void>;
  toString = () => `${this.constructor.name}(${this.pick})`;
}

class Approve extends OnRequest {
  async on(request: Modelled, approval: Approval, { storage }: Real): Promise<void> {
    expect((await approve(storage, approval)).won).toBe(request.state === 'pending');
    if (request.state === 'pending') request.state = 'approved';
  }
}

class Start extends OnRequest {
  async on(request: Modelled, approval: Approval, { storage }: Real): Promise<void> {
    const mayStart = request.state === 'approved' && !request.isStarted;
    expect(await start(storage, approval)).toBe(mayStart);
    if (mayStart) request.isStarted = true;
  }
}

class Settle extends OnRequest {
  async on(request: Modelled, approval: Approval, { storage }: Real): Promise<void> {
    await settle(storage, approval, DONE);
    if (request.state === 'approved' && request.isStarted) request.state = 'executed';
  }
}

class Pause implements Step {
  check = () => true;
  async run(model: Model, { storage, key }: Real): Promise<void> {
    expect((await storage.pause({ ...key, signer: SIGNER, now: at(1) }))?.pausedAt).toEqual(at(1));
    if (model.isPaused) return;
    model.isPaused = true;
    for (const request of model.requests) {
      if (request.state === 'approved' && !request.isStarted) request.state = 'failed';
    }
  }
  toString = () => 'pause';
}

class Resume implements Step {
  check = () => true;
  async run(model: Model, { storage, key }: Real): Promise<void> {
    expect((await storage.resume({ ...key, signer: SIGNER, now: at(2) }))?.pausedAt).toBeNull();
    model.isPaused = false;
  }
  toString = () => 'resume';
}

describe('a key that is paused and resumed', () => {
  it('starts only what was approved after the last pause, in any order of the verbs', async () => {
    const storage = sqliteStorage({ file: ':memory:' });
    const picks = fc.nat(20);
    const steps = [
      fc.constantFrom('owner' as const, 'policy' as const).map((by) => new File(by)),
      picks.map((pick) => new Approve(pick)),
      picks.map((pick) => new Start(pick)),
      picks.map((pick) => new Settle(pick)),
      fc.constant(new Pause()),
      fc.constant(new Resume()),
    ];
    await fc.assert(
      fc.asyncProperty(fc.commands(steps, { size: '+1' }), async (commands) => {
        const key = await addOwnerAndKey(storage);
        await fc.asyncModelRun(
          () => ({ model: { isPaused: false, requests: [] }, real: { storage, key, ids: [] } }),
          commands,
        );
      }),
      { numRuns: 60 },
    );
    await storage.close();
  });

  it('ends what has not started, and says so to the owner and to its webhooks', async () => {
    const storage = sqliteStorage({ file: ':memory:' });
    const key = await addOwnerAndKey(storage);
    const other = await addKey(storage, key.ownerId);
    const [waiting, approved] = [await ask(storage, key), await ask(storage, key)];
    const elsewhere = (await approve(storage, await ask(storage, other))).approval;
    await approve(storage, approved);
    await storage.pause({ ...key, signer: SIGNER, now: at(5) });
    expect(await storage.approval(key.ownerId, waiting.id)).toEqual(waiting);
    expect(await storage.approval(key.ownerId, elsewhere.id)).toEqual(elsewhere);
    expect(await storage.approval(key.ownerId, approved.id)).toMatchObject({
      state: 'failed',
      error: 'credential_paused',
      startedAt: null,
      endedAt: at(5),
    });
    const states = (await storage.events({ ownerId: key.ownerId, afterId: 0, limit: 100 })).flatMap(
      (event) =>
        event.type === 'approval.decided' && event.data.approval_id === approved.id ? [event.data.state] : [],
    );
    expect(states).toEqual(['approved', 'failed']);
    expect(await reclaim(storage, { now: at(10) })).toEqual({ runs: [], followUps: [] });
    await storage.close();
  });
});
