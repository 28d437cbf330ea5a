import type { Clock } from '../core/ports/clock.ts';

/** The real time, and a clock whose repeated tasks run only when they are called. */
export function roundsByHand(): { readonly clock: Clock; readonly rounds: readonly (() => void)[] } {
  const rounds: (() => void)[] = [];
  const clock: Clock = {
    now: () => new Date(),
    every: (_ms, round) => {
      rounds.push(round);
      return () => undefined;
    },
    after: () => () => undefined,
  };
  return { clock, rounds };
}
