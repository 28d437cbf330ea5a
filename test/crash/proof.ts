import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Approval } from '../../core/approvals/approval.ts';
import { workAtOnce } from '../at-once.ts';
import type { AnyApproval } from '../contracts/any-approval.ts';
import { casesOf } from '../only-long.ts';
import { callWith } from '../open-service.ts';
import { bundleForChild } from '../run-typescript.ts';
import { performAct } from './act.ts';
import { runUntilKilled, tracedCalls } from './killed.ts';
import { hasFollowUps, IDEMPOTENCY_KEY, LEASE_MS, readScene, sceneParts, sceneService } from './scene.ts';

/**
 * The crash proof. A process is killed with SIGKILL after its n-th port call, for every n. A new service then
 * recovers. The steps recorded before the kill decide what the test must find afterwards.
 */

/** What the test found after the restart. */
export interface Found {
  readonly transmitted: number;
  readonly inSent: number;
  /** Links of the tracker whose keywords the message contains, if there is one. */
  readonly linked?: number;
  /** Events in the calendar, if the act creates one. */
  readonly events?: number;
}

interface Again {
  readonly status: string;
  readonly executed: boolean | undefined;
}

interface Played extends Found {
  /** Port calls that ended before the kill, in order. */
  readonly calls: readonly string[];
  readonly state: string | undefined;
  readonly error: string | null;
  /** The answer to the same call with the same Idempotency-Key after the restart; direct mode only. */
  readonly again: Again | undefined;
  readonly approvals: number;
}

/** How the proof sets up one kind of mailbox. Each play has a separate mailbox. */
export interface Stage<Box> {
  mailbox(): Promise<Box>;
  /** Fills a folder with a scene. */
  prepare(folder: string, box: Box): Promise<void>;
  look(folder: string, box: Box): Promise<Found>;
  /**
   * Once this call has ended, nobody can know whether the message went out. An earlier start that did nothing
   * is detected and repeated.
   */
  readonly unknownFrom: 'storage.start' | 'calendar.write';
  /** Whether the gate kills after this call: those that decide what is found, where no other stage has the same. */
  inGate(call: string, nth: number): boolean;
}

/** Plays one scene: the act, to its end or until the kill, then the restart. */
async function play<Box>(stage: Stage<Box>, perform: (folder: string) => Promise<void>): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), 'cs-crash-'));
  try {
    const box = await stage.mailbox();
    await stage.prepare(folder, box);
    await perform(folder);
    const calls = tracedCalls(folder);
    const { approvals, again } = await recover(folder);
    const newest: AnyApproval | undefined = approvals[0];
    const found = await stage.look(folder, box);
    return {
      ...found,
      calls,
      state: newest?.state,
      error: newest?.error ?? null,
      again,
      approvals: approvals.length,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Starts again and recovers until nothing is open. This process takes the place of a new one: all that it
 * has of the killed process is the folder.
 */
async function recover(
  folder: string,
): Promise<{ approvals: readonly Approval[]; again: Again | undefined }> {
  const { act, ownerId, apiKey, mail } = readScene(folder);
  const service = sceneService(sceneParts(folder, mail));
  try {
    const all = async (): Promise<readonly Approval[]> =>
      (await service.approvals.list(ownerId, { state: 'all', limit: 50 })).approvals.map(
        ({ approval }) => approval,
      );
    do {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await service.recover();
    } while ((await all()).some(({ state }) => state === 'approved') || (await hasFollowUps(folder)));
    const approvals = await all();
    if (act.mode !== 'direct') return { approvals, again: undefined };
    const repeat = () => callWith(service, apiKey, act.tool, act.args, IDEMPOTENCY_KEY);
    let again = await repeat();
    // The claim of the killed process ends with its lease.
    while (again.status === 'error' && again.code === 'idempotency_in_progress') {
      await new Promise((resolve) => setTimeout(resolve, LEASE_MS / 10));
      again = await repeat();
    }
    const executed = 'executed' in again ? again.executed : undefined;
    return { approvals, again: { status: again.status, executed } };
  } finally {
    await service.stop();
  }
}

/** Checks the promise after a crash: the approval machine, given the steps recorded before the kill. */
function judge(mode: 'approve' | 'direct', played: Played, unknownFrom: string): void {
  const did = (call: string) => played.calls.includes(call);
  const nth = `after ${played.calls.length} calls, the last ${played.calls.at(-1)}`;
  expect(played.transmitted, `never twice, ${nth}`).toBeLessThanOrEqual(1);
  expect(played.inSent, `never twice in Sent, ${nth}`).toBeLessThanOrEqual(1);
  // No link without a copy, and no copy without a link.
  if (played.linked !== undefined) expect(played.linked, `links, ${nth}`).toBe(played.inSent);
  if (played.events !== undefined) {
    const isMade = did('calendar.write') || played.state === 'executed' || played.transmitted > 0;
    expect(played.events, `an event, ${nth}`).toBe(isMade ? 1 : 0);
  }
  if (did('storage.settle')) {
    expect([played.state, played.transmitted, played.inSent], nth).toEqual(['executed', 1, 1]);
  } else if (did(unknownFrom)) {
    expect(played.state, nth).toBe('outcome_unknown');
  } else if (did('storage.start')) {
    expect([played.state, played.transmitted, played.inSent], nth).toEqual(['executed', 1, 1]);
  } else if (mode === 'approve') {
    const decided = did('storage.decide');
    expect([played.state, played.transmitted, played.inSent], nth).toEqual(
      decided ? ['executed', 1, 1] : ['pending', 0, 0],
    );
  } else if (did('storage.file')) {
    // The failed run has freed its key. The same call is a new one, and runs.
    expect([played.again?.status, played.again?.executed], nth).toEqual(['ok', true]);
    expect([played.state, played.error], nth).toEqual(['failed', 'interrupted']);
  } else {
    expect([played.state, played.again?.status, played.again?.executed], nth).toEqual([
      undefined,
      'ok',
      true,
    ]);
  }
  if (mode === 'direct' && !did('storage.start')) {
    expect([played.transmitted, played.inSent], nth).toEqual([1, 1]);
  }
  if (mode !== 'direct' || !did('storage.start')) return;
  // After the start, the key cannot be reused: the same call returns the recorded outcome and sends nothing.
  const known = did('storage.settle') || !did(unknownFrom);
  expect([played.again?.status, played.again?.executed], nth).toEqual(['ok', known]);
  expect(played.approvals, nth).toBe(1);
}

const AT_ONCE = 4;

/** Plays the act to its end, which needs no other process, and with a kill after each n. Several at a time. */
async function playAll<Box>(stage: Stage<Box>): Promise<Played[]> {
  const bundle = await bundleForChild(join(import.meta.dirname, 'actor.ts'), 'bundle');
  const whole = await play(stage, (folder) => performAct(folder, 0));
  const all = whole.calls.map((call, index) => ({ call, nth: index + 1 }));
  const kills = casesOf('crash: kills', all, ({ call, nth }) => stage.inGate(call, nth));
  const killed = await workAtOnce(AT_ONCE, kills, ({ nth }) =>
    play(stage, (folder) => runUntilKilled(bundle, [folder, String(nth)])),
  );
  return [whole, ...killed];
}

/** Declares the proof for one kind of mailbox and mode. */
export function crashProof<Box>(name: string, mode: 'approve' | 'direct', stage: Stage<Box>): void {
  describe(`${name}, ${mode}: killed after every port call`, () => {
    it('never sends twice, and reports an unknown outcome as unknown', async () => {
      const played = await playAll(stage);
      const whole = played[0]?.calls ?? [];
      // The proof is empty unless it kills after the calls that matter.
      expect(whole).toEqual(
        expect.arrayContaining(['storage.start', stage.unknownFrom, 'mail.transmit', 'storage.settle']),
      );
      if (played[0]?.linked !== undefined) expect(whole).toContain('storage.linkToTracker');
      expect(played.length).toBeGreaterThan(1);
      for (const one of played) judge(mode, one, stage.unknownFrom);
    });
  });
}
