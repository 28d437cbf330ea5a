import { randomUUID } from 'node:crypto';
import type { TriesRows } from '../../../core/owners/password-storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import { shown } from './message-handles.ts';
import {
  admit,
  approve,
  ask,
  call,
  DONE,
  filing,
  HELD,
  type Key,
  LAPSED_MS,
  LEASE_MS,
  LOST,
  NOON,
  reclaim,
  reject,
  run,
  SIGNER,
  settle,
  start,
} from './scene.ts';
import { aSession, begin } from './session-scene.ts';

export interface Job {
  readonly name: keyof typeof JOBS;
  readonly key: Key;
  readonly approvalIds: readonly string[];
  readonly times: number;
  /** 0 or 1: the two racers do the job in different ways. */
  readonly side: number;
}

/** What a racer is sent. */
export interface RacerJob extends Job {
  /** The store. */
  readonly location: string;
}

type Run = (storage: Storage, job: Job, tell: (line: string) => void) => Promise<readonly string[]>;

async function each(
  job: Job,
  storage: Storage,
  act: (one: Awaited<ReturnType<typeof found>>) => Promise<boolean>,
) {
  const done: string[] = [];
  for (const id of job.approvalIds) {
    if (await act(await found(storage, job.key, id))) done.push(id);
  }
  return done;
}

async function found(storage: Storage, { ownerId }: Key, id: string) {
  const approval = await storage.approval(ownerId, id);
  if (approval === undefined) throw new Error('the approval of the race is missing');
  return approval;
}

async function often(times: number, act: (n: number) => Promise<string | undefined>): Promise<string[]> {
  const done: string[] = [];
  for (let n = 0; n < times; n++) {
    const result = await act(n);
    if (result !== undefined) done.push(result);
  }
  return done;
}

async function tryPassword(storage: Storage, { ownerId }: Key, rows: TriesRows): Promise<string | undefined> {
  const attempt = { signer: SIGNER, email: `${ownerId}@example.org`, rows, deviceHash: null, now: NOON };
  return (await storage.takePasswordTry(attempt)).kind === 'check' ? 'checked' : undefined;
}

/** The jobs of a racer. Each returns what it has won. */
export const JOBS = {
  decide: (storage, job) =>
    each(
      job,
      storage,
      async (one) => (await (job.side === 0 ? approve(storage, one) : reject(storage, one))).won,
    ),

  start: (storage, job) => each(job, storage, (one) => start(storage, { ...one, fence: 1 })),

  settle: (storage, job) =>
    each(job, storage, async (one) => {
      const end = job.side === 0 ? DONE : LOST;
      const first = { ...one, fence: 1 };
      const { state } = await settle(storage, first, end, { recipients: [`${job.side}@x.org`] });
      return state === (job.side === 0 ? 'executed' : 'outcome_unknown');
    }),

  ask: (storage, { key, times }) =>
    often(times, async () => {
      const filed = await storage.file(filing(key, { call: HELD }));
      return filed.kind === 'ask' ? filed.approval.id : undefined;
    }),

  run: (storage, { key, times }) =>
    often(times, async () => {
      const filed = await storage.file(filing(key));
      return filed.kind === 'run' ? filed.approval.id : undefined;
    }),

  same: (storage, { key, times }) =>
    often(times, async (n) => {
      const filed = await storage.file(filing(key, { requestHash: `same ${n}` }));
      return filed.kind === 'run' ? `same ${n}` : undefined;
    }),

  /** One side is the program's retry, the other the owner who tries the failed request again. */
  tryAgain: (storage, { key, times, side }) =>
    often(times, async (n) => {
      const isOwners = side === 1;
      const filed = await storage.file(filing(key, { requestHash: `again ${n}`, isOwners }));
      return filed.kind === 'run' || filed.kind === 'ask' ? `again ${n}` : undefined;
    }),

  claim: (storage, { key, times }) =>
    often(times, async (n) => {
      const request = { ...key, key: `k${n}`, fingerprint: 'f', leaseMs: LEASE_MS, now: NOON };
      const { kind } = await storage.claim(request);
      return kind === 'won' ? request.key : undefined;
    }),

  claimLapsed: (storage, { key, times }) =>
    often(times, async () => {
      const request = { ...key, key: 'k', fingerprint: 'f', leaseMs: LAPSED_MS, now: NOON };
      const claimed = await storage.claim(request);
      return claimed.kind === 'won' ? String(claimed.fence) : undefined;
    }),

  reclaim: (storage, { times }) =>
    often(times, async () => {
      const { runs, followUps } = await reclaim(storage, { limit: 1 });
      const [taken] = [...runs, ...followUps];
      return taken?.approval.id;
    }),

  reclaimLapsed: (storage, { times }) =>
    often(times, async () => {
      const { runs } = await reclaim(storage, { limit: 1, leaseMs: LAPSED_MS });
      const [taken] = runs;
      return taken === undefined ? undefined : `${taken.approval.id} ${taken.approval.fence}`;
    }),

  admit: (storage, { key, times }) =>
    often(times, async () => ((await admit(storage, key)).kind === 'admitted' ? 'admitted' : undefined)),

  call: (storage, { key, times }) =>
    often(times, async () => ((await call(storage, key)) === 'admitted' ? 'admitted' : undefined)),

  /** All from one address. */
  tryPassword: (storage, { key, times }) =>
    often(times, () => tryPassword(storage, key, { address: 1, newcomers: 101, repeaters: 201 })),

  /** Each from a separate address. */
  tryPasswordFromAnywhere: (storage, { key, times, side }) =>
    often(times, (n) =>
      tryPassword(storage, key, { address: 1000 * (side + 1) + n, newcomers: 101, repeaters: 201 }),
    ),

  takeProof: (storage, { key: { ownerId }, times }) =>
    often(times, async (n) => {
      const nonce = `n${n}`;
      return (await storage.takeProof({ ownerId, sessionId: 's', nonce })) ? nonce : undefined;
    }),

  /**
   * One uses nonces of sessions, the other ends them. Returns each nonce that was used in an ended session.
   */
  useOrEnd: (storage, { key: { ownerId }, times, side }) =>
    often(times, async (n) => {
      const sessionId = `s${n}`;
      if (side === 0)
        return (await storage.endSession(ownerId, sessionId)) ? `${sessionId} ended` : undefined;
      await storage.takeProof({ ownerId, sessionId, nonce: 'n' });
      return (await storage.session(sessionId, SIGNER, NOON)) === undefined &&
        (await storage.takeProof({ ownerId, sessionId, nonce: 'late' }))
        ? `${sessionId} used after its end`
        : undefined;
    }),

  /** One signs in with the old password, the other changes it. */
  signInOrChange: (storage, { key: { ownerId }, times, side }) =>
    often(times, async (n) => {
      if (side === 0)
        return (await storage.setPassword(ownerId, `changed ${n}`, SIGNER)) ? `changed ${n}` : undefined;
      return (await begin(storage, aSession(ownerId, `raced ${n}`))) ? `raced ${n}` : undefined;
    }),

  addAccount: (storage, { key: { ownerId }, times }) =>
    often(times, async () => {
      const account = {
        ownerId,
        label: 'l',
        email: `${randomUUID()}@x.org`,
        signature: '',
        folderRoles: USUAL_ROLES,
        now: NOON,
      };
      return String((await storage.addAccount({ ...account, seal: () => randomUUID() })).accountId);
    }),

  /** Both show the same messages, and each its own copies of them. Reports each with its handle. */
  showMessages: (storage, { key: { ownerId }, times, side }) =>
    often(times, async (n) => {
      const names = [`message ${n}`, `copy ${n} of ${side}`];
      const messages = names.map((name, at) =>
        shown(name, [2 * n, 2 * n + 1, 1000 + 2 * n + at * (side + 1)]),
      );
      const handles = await storage.messageHandles(
        ownerId,
        side === 0 ? messages : messages.toReversed(),
        NOON,
      );
      return (side === 0 ? handles : handles.toReversed()).join(' ');
    }),

  /** Each reports that it has created the archive folder of each account. */
  pinFolder: (storage, { key: { ownerId }, times, side }) =>
    often(times, async (n) => {
      const change = { type: 'made', role: 'archive', path: `Archive ${side}` } as const;
      const roles = await storage.changeFolderRoles({ ownerId, accountId: n + 1, change });
      return roles?.archive.path === change.path ? String(n + 1) : undefined;
    }),

  /** Goes on until it is killed. Reports each state once it is stored. */
  churn: async (storage, { key }, tell) => {
    for (;;) {
      const direct = await run(storage, key);
      tell(`${direct.id} approved`);
      await start(storage, direct);
      tell(`${(await settle(storage, direct, DONE)).id} executed`);
      const waiting = await ask(storage, key);
      tell(`${waiting.id} pending`);
      const { approval } = await approve(storage, waiting);
      tell(`${approval.id} approved`);
      await start(storage, approval);
      tell(`${(await settle(storage, approval, LOST)).id} outcome_unknown`);
    }
  },
} satisfies Record<string, Run>;
