import type { Log } from '../../core/ports/log.ts';
import type { WorkObserver } from '../../core/ports/work-observer.ts';

/** Notices when the event loop was blocked, and logs for how long and during what. */
export interface LoopWatch extends WorkObserver {
  stop(): void;
}

/** Everybody waits while the loop is blocked; this is where a person begins to notice. */
const THRESHOLD_MS = 250;
/** A timer that does nothing but compare two clocks costs a few microseconds each time. */
const EVERY_MS = 100;
/** What a block uses of the processor at least; between two looks a process that was suspended used less. */
const CPU_LEAST_MS = 125;
/** And of the time that the timer is late, even on a machine that is busy with other things. */
const CPU_LEAST_SHARE = 0.05;
const NAMES_MAX = 10;

/** One look at the two clocks, in milliseconds. */
export interface Instant {
  readonly nowMs: number;
  /** What all threads of the process have used. */
  readonly cpuMs: number;
}

/** For how long the loop was blocked between two looks; undefined where it was not, or the process did not run. */
export function blockedMs(before: Instant, after: Instant): number | undefined {
  const lateMs = after.nowMs - before.nowMs - EVERY_MS;
  const usedMs = after.cpuMs - before.cpuMs;
  const wasAtWork = usedMs >= Math.max(CPU_LEAST_MS, CPU_LEAST_SHARE * lateMs);
  return lateMs >= THRESHOLD_MS && wasAtWork ? Math.round(lateMs) : undefined;
}

/**
 * Watches the event loop of this process by a timer that comes late when something else runs. Work that waits without
 * using the processor, such as a write to a disk that hangs, looks like a suspended process and is not reported.
 */
export function watchLoop(log: Pick<Log, 'warn'>): LoopWatch {
  const running = new Map<string, number>();
  /** What ran since the last look, whether or not it has ended by now: work that blocks often ends before the timer. */
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
  if (names.size === 0) return 'nothing that is known';
  const all = [...names].sort();
  const more = all.length > NAMES_MAX ? ` and ${all.length - NAMES_MAX} more` : '';
  return all.slice(0, NAMES_MAX).join(', ') + more;
}
