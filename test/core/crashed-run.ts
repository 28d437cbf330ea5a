import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { inlineReader } from '../../adapters/reader/inline-reader.ts';
import type { SandboxMail } from '../../adapters/sandbox/mail.ts';
import type { Start } from '../../core/ports/mail.ts';
import type { Mail } from '../../core/ports/ports.ts';
import { createService } from '../../core/service/create-service.ts';
import type { AnyApproval } from '../contracts/any-approval.ts';
import { silentLog, type TestKey, testClock } from '../open-service.ts';
import { approvalOf, digestOf, openScene, type Scene, type SceneOptions, stateOf } from './scene.ts';

/** Runs that crash between their start and their settlement, and the process that takes over. */

const LEASE_MS = 60;

/** When the process is killed: at the n-th change of a message (from 1), before or after the change. */
export interface Crash {
  readonly at: number;
  readonly when: 'before' | 'after';
}

export interface CrashedRun {
  readonly scene: Scene;
  readonly key: TestKey;
  /** Approves the request, and ends the process at the crash. */
  runs(tool: string, args: object): Promise<string>;
  /** Another process recovers. @returns the approval as it ends */
  recovered(id: string): Promise<AnyApproval>;
}

export async function openCrashing(
  crash: Crash,
  { samples }: Pick<SceneOptions, 'samples'>,
): Promise<CrashedRun> {
  const secretKeys = [randomBytes(32)];
  let dead = (): void => {};
  const died = new Promise<void>((resolve) => {
    dead = resolve;
  });
  let changes = 0;

  /** The change, or the end of the process: from then on the mailbox returns nothing. */
  async function orCrash<T>(start: Start, change: () => Promise<T>): Promise<T> {
    changes += 1;
    if (changes < crash.at) return change();
    if (crash.when === 'before') await start();
    else await change();
    dead();
    return new Promise<never>(() => {});
  }

  const crashing = (mail: SandboxMail): Mail => ({
    ...mail,
    move: (call, place, to, start) => orCrash(start, () => mail.move(call, place, to, start)),
    label: (call, place, label, start) => orCrash(start, () => mail.label(call, place, label, start)),
    setFlag: (call, place, flag, on, start) =>
      orCrash(start, () => mail.setFlag(call, place, flag, on, start)),
  });

  const scene = await openScene({
    ...(samples === undefined ? {} : { samples }),
    secretKeys,
    leaseMs: LEASE_MS,
    mailAs: crashing,
    // A dead process renews nothing.
    clock: { ...testClock(), every: () => () => {} },
  });
  const key = await scene.addKey('full', { 'mail:organize': 'approval' });

  return {
    scene,
    key,
    async runs(tool, args) {
      const { id } = approvalOf(await key.call(tool, args));
      const digest = await digestOf(scene.service, scene.ownerId, id);
      void scene.service.approvals.approve(scene.ownerId, id, digest);
      await died;
      expect(await stateOf(scene, id)).toBe('approved');
      return id;
    },
    async recovered(id) {
      const other = createService({
        storage: scene.storage,
        mail: scene.mail,
        reader: inlineReader(),
        clock: testClock(),
        random: (bytes) => randomBytes(bytes),
        log: silentLog,
        secretKeys,
        baseUrl: scene.service.baseUrl,
        dashboardUrl: scene.service.dashboardUrl,
        leaseMs: LEASE_MS,
      });
      await expect
        .poll(async () => {
          await other.recover();
          return stateOf(scene, id);
        })
        .not.toBe('approved');
      const approval = await scene.storage.approval(scene.ownerId, id);
      if (approval === undefined) throw new Error('the approval is gone');
      return approval;
    },
  };
}
