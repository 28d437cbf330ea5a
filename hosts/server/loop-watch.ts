import type { Log } from '../../core/ports/log.ts';
import type { WorkObserver } from '../../core/ports/work-observer.ts';

/** Notices when the event loop was blocked, and logs for how long and what ran. */
export interface LoopWatch extends WorkObserver {
  stop(): void;
}

/** Nothing is answered while the loop is blocked; people start to notice at about this delay. */
const THRESHOLD_MS = 250;
/** Comparing two clocks takes a few microseconds each time. */
const EVERY_MS = 100;
/** The least CPU time that counts as a block. A suspended process uses less between two checks. */
const CPU_LEAST_MS = 125;
/** The least share of the delay spent on the CPU, low enough for a machine that is busy with other work. */
const CPU_LEAST_SHARE = 0.05;
const NAMES_MAX = 10;

/** A reading of the two clocks, in milliseconds. */
export interface Instant {
  readonly nowMs: number;
  /** CPU time of all threads of the process. */
  readonly cpuMs: number;
}

/** How long the loop was blocked between two readings; undefined if it was not, or if the process was suspended. */
export function blockedMs(before: Instant, after: Instant): number | undefined {
  const lateMs = after.nowMs - before.nowMs - EVERY_MS;
  const usedMs = after.cpuMs - before.cpuMs;
  const wasRunning = usedMs >= Math.max(CPU_LEAST_MS, CPU_LEAST_SHARE * lateMs);
  return lateMs >= THRESHOLD_MS && wasRunning ? Math.round(lateMs) : undefined;
}

/**
 * Watches the event loop of this process with a timer that fires late if something else runs. Work that blocks without
 * using the CPU, such as a write to a hanging disk, looks like a suspended process and is not reported.
 */
export function watchLoop(log: Pick<Log, 'warn'>): LoopWatch {
  const running = new Map<string, number>();
  /** Everything that ran since the last reading, finished or not: work that blocks often ends before the timer fires. */
  let recent = new Set<string>();
  let before = instant();

  const timer = setInterval(() => {
    const after = instant();
    const blocked = blockedMs(before, after);
    before = after;
    if (blocked !== undefined)
      log.warn('the event loop was blocked', { blocked_ms: blocked, during: words(recent) });
    if (recent.size > running.size) recent = new Set(running.keys());
  }, EVERY_MS).unref();

  return {
    began(name) {
      recent.add(name);
      running.set(name, (running.get(name) ?? 0) + 1);
      return () => {
        const left = (running.get(name) ?? 1) - 1;
        if (left > 0) running.set(name, left);
        else running.delete(name);
      };
    },
    stop: () => clearInterval(timer),
  };
}

function instant(): Instant {
  const { user, system } = process.cpuUsage();
  return { nowMs: performance.now(), cpuMs: (user + system) / 1000 };
}

function words(names: ReadonlySet<string>): string {
  if (names.size === 0) return 'unknown work';
  const all = [...names].sort();
  const more = all.length > NAMES_MAX ? ` and ${all.length - NAMES_MAX} more` : '';
  return all.slice(0, NAMES_MAX).join(', ') + more;
}
