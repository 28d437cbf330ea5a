import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { bundleForChild, runChild } from '../run-typescript.ts';

/**
 * The crash proof. A process is killed with SIGKILL after its n-th port call, for every n, and a new one is
 * started. The steps recorded before the kill decide what the test must find afterwards.
 */

const report = z.object({
  approvals: z.array(z.object({ state: z.string(), error: z.string().nullable() })),
  again: z
    .object({ status: z.string(), executed: z.boolean().optional(), code: z.string().optional() })
    .optional(),
});

/** What the test found after the restart. */
export interface Found {
  readonly transmitted: number;
  readonly inSent: number;
  /** Events in the calendar, if the act creates one. */
  readonly events?: number;
}

interface Played extends Found {
  /** Port calls that ended before the kill, in order. */
  readonly calls: readonly string[];
  readonly killed: boolean;
  readonly state: string | undefined;
  readonly error: string | null;
  /** The answer to the same call with the same Idempotency-Key after the restart; direct mode only. */
  readonly again: z.infer<typeof report>['again'];
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
}

/** Plays one scene: the act until the kill, then the restart. */
async function play<Box>(bundle: string, stage: Stage<Box>, killAfter: number): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), 'cs-crash-'));
  try {
    const box = await stage.mailbox();
    await stage.prepare(folder, box);
    const act = await runChild(bundle, [folder, 'act', String(killAfter)]);
    const killed = act.signal === 'SIGKILL';
    if (!killed && act.code !== 0) throw new Error(`the actor failed: ${act.stderr}`);
    const trace = join(folder, 'trace');
    const calls = existsSync(trace) ? readFileSync(trace, 'utf8').split('\n').slice(0, -1) : [];
    const recovered = await runChild(bundle, [folder, 'recover']);
    if (recovered.code !== 0) throw new Error(`the restart failed: ${recovered.stderr}`);
    const { approvals, again } = report.parse(JSON.parse(recovered.stdout));
    const [newest] = approvals;
    const found = await stage.look(folder, box);
    return {
      ...found,
      calls,
      killed,
      state: newest?.state,
      error: newest?.error ?? null,
      again,
      approvals: approvals.length,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks the promise after a crash: DESIGN's machine, given the steps recorded before the kill. */
function judge(mode: 'approve' | 'direct', played: Played, unknownFrom: string): void {
  const did = (call: string) => played.calls.includes(call);
  const nth = `after ${played.calls.length} calls, the last ${played.calls.at(-1)}`;
  expect(played.transmitted, `never twice, ${nth}`).toBeLessThanOrEqual(1);
  expect(played.inSent, `never twice in Sent, ${nth}`).toBeLessThanOrEqual(1);
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

/** Plays every n from 1 until the process runs to the end, several at a time. */
async function playAll<Box>(stage: Stage<Box>): Promise<Played[]> {
  const bundle = await bundleForChild(join(import.meta.dirname, 'actor.ts'));
  const whole = await play(bundle, stage, 0);
  if (whole.killed) throw new Error('the actor was killed by something else');
  const played: Played[] = [whole];
  const AT_ONCE = 3;
  for (let n = 1; n <= whole.calls.length; n += AT_ONCE) {
    const batch = Array.from(
      { length: Math.min(AT_ONCE, whole.calls.length - n + 1) },
      (_, index) => n + index,
    );
    played.push(...(await Promise.all(batch.map((killAfter) => play(bundle, stage, killAfter)))));
  }
  return played;
}

/** Declares the proof for one kind of mailbox and mode. */
export function crashProof<Box>(name: string, mode: 'approve' | 'direct', stage: Stage<Box>): void {
  describe(`${name}, ${mode}: killed after every port call`, () => {
    it('never sends twice, and reports an unknown outcome as unknown', { timeout: 300_000 }, async () => {
      const played = await playAll(stage);
      const whole = played[0]?.calls ?? [];
      // The proof is empty unless it kills after the calls that matter.
      expect(whole).toEqual(
        expect.arrayContaining(['storage.start', stage.unknownFrom, 'mail.transmit', 'storage.settle']),
      );
      expect(played.slice(1).every((one) => one.killed)).toBe(true);
      for (const one of played) judge(mode, one, stage.unknownFrom);
    });
  });
}
