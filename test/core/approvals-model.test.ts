import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Approval, ApprovalState } from '../../core/approvals/approval.ts';
import { isTerminal } from '../../core/approvals/approval.ts';
import { MailError } from '../../core/ports/mail.ts';
import { sizeOf } from '../only-long.ts';
import type { TestKey } from '../open-service.ts';
import {
  answerOf,
  approvalOf,
  FRIEND,
  LOST,
  openScene,
  REFUSED,
  type Scene,
  STRANGER,
  sendTo,
  shownOf,
  wordOf,
} from './scene.ts';

/**
 * Any order of calls, decisions and hours, compared with a model of the contract. After every step:
 * nothing is sent twice, nothing is sent without approval, and an ended request stays as it ended.
 */

const HOUR_MS = 3_600_000;
const WAITING_OF_KEY = 3;
const FILED_A_DAY = 6;

/** The request: one recipient, one of two texts. */
interface Asked {
  readonly to: string;
  readonly body: string;
}

interface Request {
  readonly id: string;
  readonly asked: Asked;
  /** As the owner changed it before approving. */
  changed?: Asked;
  readonly filedAtMs: number;
  state: ApprovalState;
  endedAtMs: number;
  /** While it is approved: when that was, and when it is tried again. */
  approvedAtMs?: number;
  retryAtMs?: number;
}

interface Model {
  requests: Request[];
  /** By Idempotency-Key: the request, its time, and the response. */
  claims: Map<string, { asked: Asked; atMs: number; answer: unknown }>;
  /** The mail server refuses the password of the account. */
  isRefused: boolean;
}

interface Real {
  readonly scene: Scene;
  readonly key: TestKey;
  /** Ended requests, as they ended. */
  readonly ended: Map<string, Approval>;
  /** The Message-ID of each request. */
  readonly messageIds: Map<string, string>;
  readonly mailbox: { isRefused: boolean };
}

const same = (one: Asked, two: Asked) => one.to === two.to && one.body === two.body;
/** Equal to what was asked, or to what the owner made of it. */
const alikeTo = (asked: Asked) => (request: Request) =>
  same(request.asked, asked) || (request.changed !== undefined && same(request.changed, asked));
const MINUTE_MS = 60_000;
/** Two thirds of a lease. */
const RETRY_MS = 20_000;
const ENDS: Readonly<Record<string, ApprovalState>> = { [REFUSED]: 'failed', [LOST]: 'outcome_unknown' };

/** The result of a call according to the contract. `existing` is the request that the response names. */
function expected({ requests }: Model, asked: Asked, nowMs: number): string | { existing: string } {
  const alike = requests.filter(alikeTo(asked));
  const waits = (request: Request) => request.state === 'pending' && nowMs < request.filedAtMs + 24 * HOUR_MS;
  const waiting = alike.find(waits);
  if (waiting !== undefined) return { existing: waiting.id };
  const unfinished = unfinishedOf(alike, nowMs);
  if (unfinished !== undefined) return { existing: unfinished.id };
  if (alike.some(({ state, endedAtMs }) => state === 'rejected' && nowMs < endedAtMs + HOUR_MS)) {
    return 'previously_rejected';
  }
  const day = (ms: number) => Math.floor(ms / (24 * HOUR_MS));
  if (requests.filter(({ filedAtMs }) => day(filedAtMs) === day(nowMs)).length >= FILED_A_DAY)
    return 'quota_exceeded';
  if (requests.filter(waits).length >= WAITING_OF_KEY) return 'too_many_pending';
  return 'pending_approval';
}

/** Being tried, or nobody knows how it ended. */
function unfinishedOf(alike: readonly Request[], nowMs: number): Request | undefined {
  return alike.findLast(
    ({ state, endedAtMs }) =>
      state === 'approved' || (state === 'outcome_unknown' && nowMs < endedAtMs + 24 * HOUR_MS),
  );
}

/** An attempt at an approved request: if the server refuses the password, it waits for the next one. */
function attempt(model: Model, request: Request, nowMs: number): void {
  request.approvedAtMs ??= nowMs;
  request.state = model.isRefused ? 'approved' : (ENDS[request.asked.to] ?? 'executed');
  request.endedAtMs = nowMs;
  request.retryAtMs = nowMs + RETRY_MS;
}

async function messageIdOf(scene: Scene, id: string): Promise<string> {
  const { message } = await shownOf(scene, id);
  if (message === undefined) throw new Error('the request sends nothing');
  return message.says.messageId;
}

async function checkInvariants(model: Model, { scene, ended, messageIds }: Real): Promise<void> {
  const { approvals } = await scene.service.approvals.list(scene.ownerId, { state: 'all', limit: 50 });
  expect(approvals).toHaveLength(model.requests.length);
  const sent = scene.mail.transmitted().map(({ messageId }) => messageId);
  expect(new Set(sent).size).toBe(sent.length);
  const mayBeSent = new Set<string>();
  for (const { approval } of approvals) {
    const before = ended.get(approval.id);
    if (before !== undefined) expect(approval).toEqual(before);
    if (isTerminal(approval.state)) ended.set(approval.id, approval);
    const request = model.requests.find(({ id }) => id === approval.id);
    expect(approval.state).toBe(request?.state);
    const messageId = messageIds.get(approval.id) ?? (await messageIdOf(scene, approval.id));
    messageIds.set(approval.id, messageId);
    if (approval.state === 'executed') expect(sent).toContain(messageId);
    if (approval.state === 'executed' || approval.state === 'outcome_unknown') mayBeSent.add(messageId);
  }
  for (const messageId of sent) expect(mayBeSent).toContain(messageId);
}

type Step = fc.AsyncCommand<Model, Real>;

class Ask implements Step {
  readonly asked: Asked;
  readonly idempotencyKey: string | undefined;
  constructor(asked: Asked, idempotencyKey: string | undefined) {
    this.asked = asked;
    this.idempotencyKey = idempotencyKey;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const { scene, key } = real;
    const { asked, idempotencyKey } = this;
    const nowMs = scene.clock.now().getTime();
    const { outcome, replayed } = await answerOf(
      scene,
      key,
      'send_email',
      sendTo(asked.to, asked.body),
      idempotencyKey,
    );
    const claim = model.claims.get(idempotencyKey ?? '');
    if (claim !== undefined && nowMs < claim.atMs + 24 * HOUR_MS) {
      if (same(claim.asked, asked))
        expect({ outcome, replayed }).toEqual({ outcome: claim.answer, replayed: true });
      else expect(wordOf(outcome)).toBe('idempotency_key_reused');
    } else {
      expect(replayed).toBe(false);
      const wanted = expected(model, asked, nowMs);
      if (typeof wanted === 'object') expect(approvalOf(outcome).id).toBe(wanted.existing);
      else expect(wordOf(outcome)).toBe(wanted);
      if (wanted === 'pending_approval') {
        const { id } = approvalOf(outcome);
        model.requests.push({ id, asked, filedAtMs: nowMs, state: 'pending', endedAtMs: 0 });
      }
      if (idempotencyKey !== undefined && outcome.status !== 'error') {
        model.claims.set(idempotencyKey, { asked, atMs: nowMs, answer: outcome });
      }
    }
    await checkInvariants(model, real);
  }
  toString = () => `ask(${this.asked.to}, ${this.asked.body}, ${this.idempotencyKey})`;
}

type Way =
  | 'approve'
  | 'approve twice at once'
  | 'approve another page'
  | 'change'
  | 'change and approve at once'
  | 'reject'
  | 'reject with a reason'
  | 'try again'
  | 'cancel';

const CHANGED = 'changed';

class Decide implements Step {
  readonly way: Way;
  readonly which: number;
  constructor(way: Way, which: number) {
    this.way = way;
    this.which = which;
  }
  check = ({ requests }: Readonly<Model>) => requests.length > 0;
  async run(model: Model, real: Real): Promise<void> {
    const { scene, key } = real;
    const { approvals } = scene.service;
    const request = model.requests[this.which % model.requests.length];
    if (request === undefined) throw new Error('there is no request to decide');
    const nowMs = scene.clock.now().getTime();
    const { id } = request;
    const { digest = '' } = (await scene.storage.approval(scene.ownerId, id)) ?? {};
    const inTime = request.state === 'pending' && nowMs < request.filedAtMs + 24 * HOUR_MS;
    const end = (state: ApprovalState) => {
      request.state = state;
      request.endedAtMs = nowMs;
    };
    switch (this.way) {
      case 'approve': {
        expect((await approvals.approve(scene.ownerId, id, digest))?.won).toBe(inTime);
        if (inTime) attempt(model, request, nowMs);
        break;
      }
      case 'approve twice at once': {
        const both = await Promise.all([0, 1].map(() => approvals.approve(scene.ownerId, id, digest)));
        expect(both.filter((decided) => decided?.won)).toHaveLength(inTime ? 1 : 0);
        if (inTime) attempt(model, request, nowMs);
        break;
      }
      case 'approve another page':
        expect((await approvals.approve(scene.ownerId, id, 'f'.repeat(64)))?.won).toBe(false);
        break;
      case 'change': {
        // Sent to nobody new. The owner confirms it only if it now equals another request.
        const draft = { to: [request.asked.to], subject: 'Subject', text: CHANGED };
        const changed = { ...request.asked, body: CHANGED };
        const first = await approvals.approveChanged(scene.ownerId, id, digest, draft);
        const confirms = first?.preview?.confirms;
        if (confirms !== undefined) expect(model.requests.filter(alikeTo(changed))).not.toEqual([]);
        const decided =
          confirms === undefined
            ? first
            : await approvals.approveChanged(scene.ownerId, id, digest, draft, {
                isRiskConfirmed: false,
                confirms,
              });
        expect(decided?.won).toBe(inTime);
        if (inTime) {
          request.changed = changed;
          real.messageIds.delete(id);
          attempt(model, request, nowMs);
        }
        break;
      }
      case 'change and approve at once': {
        const draft = { to: [request.asked.to], subject: 'Subject', text: CHANGED };
        const both = await Promise.all([
          approvals.approveChanged(scene.ownerId, id, digest, draft),
          approvals.approve(scene.ownerId, id, digest),
        ]);
        expect(both.filter((decided) => decided?.won)).toHaveLength(inTime ? 1 : 0);
        if (inTime) {
          if (both[0]?.won) request.changed = { ...request.asked, body: CHANGED };
          real.messageIds.delete(id);
          attempt(model, request, nowMs);
        }
        break;
      }
      case 'reject':
        expect((await approvals.reject(scene.ownerId, id))?.won).toBe(inTime);
        if (inTime) end('rejected');
        break;
      case 'reject with a reason': {
        const reason = { reason: 'reword', note: 'Friendlier' } as const;
        expect((await approvals.reject(scene.ownerId, id, reason))?.won).toBe(inTime);
        if (inTime) end('rejected');
        const read = approvalOf(await key.call('get_approval', { approval_id: id }));
        if (inTime) expect(read.rejection).toEqual(reason);
        break;
      }
      case 'try again': {
        const again = await approvals.tryAgain(scene.ownerId, id);
        if (request.state !== 'failed') {
          expect(again).toBeUndefined();
          break;
        }
        const asked = request.changed ?? request.asked;
        const alike = model.requests.filter(alikeTo(asked));
        const waits = alike.find(
          ({ state, filedAtMs }) => state === 'pending' && nowMs < filedAtMs + 24 * HOUR_MS,
        );
        const existing = waits ?? unfinishedOf(alike, nowMs);
        if (existing !== undefined) expect(again?.id).toBe(existing.id);
        else {
          if (again === undefined) throw new Error('nothing was filed');
          expect(model.requests.map((one) => one.id)).not.toContain(again.id);
          model.requests.push({ id: again.id, asked, filedAtMs: nowMs, state: 'pending', endedAtMs: 0 });
        }
        break;
      }
      case 'cancel': {
        const outcome = await key.call('cancel_approval', { approval_id: id });
        if (request.state === 'pending') end(inTime ? 'cancelled' : 'expired');
        expect(approvalOf(outcome).state).toBe(request.state);
      }
    }
    await checkInvariants(model, real);
  }
  toString = () => `${this.way}(${this.which})`;
}

class Wait implements Step {
  readonly minutes: number;
  constructor(minutes: number) {
    this.minutes = minutes;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    real.scene.clock.shift(this.minutes * 60_000);
    await checkInvariants(model, real);
  }
  toString = () => `wait(${this.minutes} min)`;
}

/** The owner changes the password at the mail server, or tells Countersign the new one. */
class Password implements Step {
  readonly isRefused: boolean;
  constructor(isRefused: boolean) {
    this.isRefused = isRefused;
  }
  check = ({ isRefused }: Readonly<Model>) => isRefused !== this.isRefused;
  async run(model: Model, real: Real): Promise<void> {
    model.isRefused = this.isRefused;
    real.mailbox.isRefused = this.isRefused;
    await checkInvariants(model, real);
  }
  toString = () => (this.isRefused ? 'password changed' : 'password updated');
}

/**
 * A round of background work: expires overdue requests, and tries those again that a refused password held up, for 15
 * minutes. It repeats nothing else.
 */
class Sweep implements Step {
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    await real.scene.service.recover();
    const nowMs = real.scene.clock.now().getTime();
    for (const request of model.requests) {
      if (request.state === 'pending' && nowMs >= request.filedAtMs + 24 * HOUR_MS) request.state = 'expired';
      const { approvedAtMs = 0, retryAtMs = 0 } = request;
      if (request.state !== 'approved' || nowMs < retryAtMs) continue;
      if (nowMs < approvedAtMs + 15 * MINUTE_MS) attempt(model, request, nowMs);
      else Object.assign(request, { state: 'failed', endedAtMs: nowMs });
    }
    await checkInvariants(model, real);
  }
  toString = () => 'sweep';
}

const asked = fc.record({
  to: fc.constantFrom(FRIEND, STRANGER, REFUSED, LOST),
  body: fc.constantFrom('one', CHANGED),
});
const ways: readonly Way[] = [
  'approve',
  'approve twice at once',
  'approve another page',
  'change',
  'change and approve at once',
  'reject',
  'reject with a reason',
  'try again',
  'cancel',
];
const ask = fc
  .tuple(asked, fc.constantFrom(undefined, undefined, 'k1', 'k2'))
  .map(([what, key]) => new Ask(what, key));
const decide = fc.tuple(fc.constantFrom(...ways), fc.nat(9)).map(([way, which]) => new Decide(way, which));
const pass = fc.oneof(
  fc.constantFrom(2, 2, 30, 61, 12 * 60, 24 * 60 + 1).map((minutes) => new Wait(minutes)),
  fc.constant(new Sweep()),
  fc.boolean().map((isRefused) => new Password(isRefused)),
);
// Their frequency here is their probability: calls are more frequent than hours.
const steps = fc.commands([ask, ask, ask, decide, decide, pass, pass], { maxCommands: 50, size: 'max' });

describe('requests in any order', () => {
  const scenes: Scene[] = [];
  afterAll(async () => {
    for (const scene of scenes) await scene.service.stop();
  });

  it('behave as the contract says after every step', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (commands) => {
        await fc.asyncModelRun(async () => {
          const limits = {
            callsPerMinute: 1e6,
            callsPerDay: 1e6,
            waitingPerKey: WAITING_OF_KEY,
            filedPerDay: FILED_A_DAY,
          };
          const mailbox = { isRefused: false };
          const scene = await openScene({
            ...{ limits, samples: () => [] },
            mailAs: (mail) => ({
              ...mail,
              async transmit(...args) {
                if (mailbox.isRefused) throw new MailError('auth', 'the password is refused');
                return mail.transmit(...args);
              },
            }),
          });
          scenes.push(scene);
          const key = await scene.addKey('full');
          return {
            model: { requests: [], claims: new Map(), isRefused: false },
            real: { scene, key, ended: new Map(), messageIds: new Map(), mailbox },
          };
        }, commands);
      }),
      { numRuns: sizeOf('properties: samples', 30, 10) },
    );
  });
});
