import type { LimitOverrides } from '../../../core/keys/limits.ts';

/** Limits that no benchmark reaches. */
export const NO_LIMITS: LimitOverrides = {
  callsPerMinute: 1_000_000_000,
  callsPerDay: 1_000_000_000,
  concurrentCalls: 100,
  filedPerDay: 1_000_000,
  waitingPerKey: 1000,
  waitingPerOwner: 1000,
};
