import { type Approval, isTerminal } from '../approvals/approval.ts';
import type { Pending, Success } from '../call/outcome.ts';
import { ServiceError, ServiceStoppedError } from '../contract/errors.ts';
import type { Ports } from '../ports/ports.ts';

/** A call that waits until an approval has ended. */
export interface ApprovalWait {
  readonly approvalId: string;
  /** The credential that waits. */
  readonly credentialId: string;
  /** What the call read before it waits. */
  readonly first: Pending;
  readonly waitS: number;
  /** Reads the approval again. */
  read(now: Date): Promise<Success | Pending>;
  /** Aborted when the caller has disconnected. */
  readonly gone: AbortSignal | undefined;
  /** Called at once and then every few seconds. */
  readonly onWaiting: ((waitedS: number, waitS: number) => void) | undefined;
}

export interface ApprovalWaits {
  /**
   * Waits until the approval has ended, at most `waitS` seconds. An end in this process is noticed at once, one in another
   * process within 2 s. Meanwhile, a store that cannot be reached is tried again. Beyond 10 waits per credential or 100 per
   * process, and after `stop`, it does not wait.
   * @returns the newest state
   * @throws what the last `read` throws
   */
  ofCall(wait: ApprovalWait): Promise<Success | Pending>;
  /**
   * The same for the app itself: not limited in number, nor in time.
   * @throws what `read` throws, the reason of `signal`, and ServiceStoppedError after `stop`
   */
  ofApp(
    approvalId: string,
    read: () => Promise<Approval>,
    signal: AbortSignal | undefined,
  ): Promise<Approval>;
  /** Ends all waits and allows no more. Resolves when they have ended. */
  stop(): Promise<void>;
}

/** As many as requests of a key can wait on a paid plan. */
export const WAITS_PER_CREDENTIAL = 10;
/** A listener of the bundled server accepts 320 connections: two thirds of them stay free. */
const WAITS_PER_PROCESS = 100;
/** How late an end in another process is noticed. The owner needs longer to switch windows. */
const POLL_MS = 2000;
const PROGRESS_MS = 5000;

export function createApprovalWaits({ clock, storage }: Pick<Ports, 'clock' | 'storage'>): ApprovalWaits {
  const alarms = new Set<Alarm>();
  let isStopped = false;
  const unobserve = storage.onApprovalChange((approvalId) => {
    for (const alarm of alarms) if (alarm.approvalId === approvalId) alarm.ring();
  });

  function isFull(credentialId: string): boolean {
    const calls = [...alarms].filter((one) => one.credentialId !== null);
    if (calls.length >= WAITS_PER_PROCESS) return true;
    return calls.filter((one) => one.credentialId === credentialId).length >= WAITS_PER_CREDENTIAL;
  }

  /** Waits with an alarm that rings on a change of the approval and on the signal. */
  async function withAlarm<T>(
    waiting: Pick<Alarm, 'approvalId' | 'credentialId'>,
    signal: AbortSignal | undefined,
    wait: (alarm: Alarm) => Promise<T>,
  ): Promise<T> {
    const alarm = createAlarm(waiting);
    alarms.add(alarm);
    const stopPolling = clock.every(POLL_MS, alarm.ring);
    signal?.addEventListener('abort', alarm.ring);
    try {
      return await wait(alarm);
    } finally {
      stopPolling();
      signal?.removeEventListener('abort', alarm.ring);
      alarms.delete(alarm);
      alarm.ended();
    }
  }

  async function untilEnded(wait: ApprovalWait, alarm: Alarm): Promise<Success | Pending> {
    // Reads before it rests: the approval may have ended before the alarm was set.
    for (;;) {
      if (alarm.isOver || wait.gone?.aborted === true) return wait.read(clock.now());
      const read = await unlessAway(wait.read(clock.now()));
      if (read !== undefined && read.status !== 'pending_approval') return read;
      await alarm.rings();
    }
  }

  return {
    async ofCall(wait) {
      if (isStopped || isFull(wait.credentialId)) return wait.first;
      const began = clock.now().getTime();
      const report = () => {
        const waitedS = Math.round((clock.now().getTime() - began) / 1000);
        wait.onWaiting?.(Math.max(0, waitedS), wait.waitS);
      };
      return withAlarm(wait, wait.gone, async (alarm) => {
        const stops = [clock.after(wait.waitS * 1000, alarm.end), clock.every(PROGRESS_MS, report)];
        try {
          report();
          return await untilEnded(wait, alarm);
        } finally {
          for (const stop of stops) stop();
        }
      });
    },
    ofApp: (approvalId, read, signal) =>
      withAlarm({ approvalId, credentialId: null }, signal, async (alarm) => {
        for (;;) {
          signal?.throwIfAborted();
          if (isStopped) throw new ServiceStoppedError();
          const approval = await unlessAway(read());
          if (approval !== undefined && isTerminal(approval.state)) return approval;
          await alarm.rings();
        }
      }),
    async stop() {
      isStopped = true;
      unobserve();
      for (const alarm of alarms) alarm.end();
      await Promise.all([...alarms].map(({ whenEnded }) => whenEnded));
    },
  };
}

/** @returns undefined if the store cannot be reached now */
async function unlessAway<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'temporarily_unavailable') return undefined;
    throw error;
  }
}

/** Wakes one wait. A ring that comes while nobody rests is kept. */
interface Alarm {
  readonly approvalId: string;
  /** Null: the app itself waits. */
  readonly credentialId: string | null;
  readonly isOver: boolean;
  ring(): void;
  /** Rings for the last time. */
  end(): void;
  rings(): Promise<void>;
  readonly whenEnded: Promise<void>;
  ended(): void;
}

function createAlarm({ approvalId, credentialId }: Pick<Alarm, 'approvalId' | 'credentialId'>): Alarm {
  let isOver = false;
  let isRung = false;
  let wake = (): void => {};
  let ended = (): void => {};
  const whenEnded = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const ring = (): void => {
    isRung = true;
    wake();
  };
  return {
    approvalId,
    credentialId,
    get isOver() {
      return isOver;
    },
    ring,
    end() {
      isOver = true;
      ring();
    },
    async rings() {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      isRung = false;
    },
    whenEnded,
    ended,
  };
}
