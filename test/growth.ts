/** Tells linear work from quadratic work within one run. */

/** For a text four times as long, linear work takes four times as long, and quadratic work sixteen times. */
const LINEAR = 8;
/** Shorter times are too small to compare, and harmless. */
const MEASURABLE_MS = 25;
/** On a busy machine a measurement may be long, and several in a row. Quadratic work is long each time. */
const ATTEMPTS = 10;

/**
 * Compares two steps, each to a text four times as long: the first can be long because garbage is collected from its
 * longer text and not from its shorter one, but then the second is not.
 *
 * @param measurableMs  more for long texts, whose garbage takes its own time
 * @returns why the work is not linear in the length of the repeated text; undefined if it is
 */
export function superlinear(
  work: (text: string) => void,
  shape: (length: number) => string,
  length: number,
  measurableMs = MEASURABLE_MS,
): string | undefined {
  for (let attempt = 1; ; attempt++) {
    const large = cpuMs(() => work(shape(4 * length)));
    if (large < measurableMs) return undefined;
    const small = Math.max(
      cpuMs(() => work(shape(length))),
      0.5,
    );
    if (large < LINEAR * small) return undefined;
    const larger = cpuMs(() => work(shape(16 * length)));
    if (larger < LINEAR * large) return undefined;
    if (attempt === ATTEMPTS)
      return `${[small, large, larger].map((ms) => `${ms.toFixed(1)} ms`).join(', then ')}, each for four times the text before`;
  }
}

/** @returns why `work` takes more than `factor` times as long as `usual`; undefined if it does not */
export function costlier(work: () => void, usual: () => void, factor: number): string | undefined {
  for (let attempt = 1; ; attempt++) {
    const [taken, compared] = [cpuMs(work), Math.max(cpuMs(usual), 1)];
    if (taken < factor * compared) return undefined;
    if (attempt === ATTEMPTS) return `${taken.toFixed(1)} ms, usually ${compared.toFixed(1)} ms`;
  }
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Builds texts of one part, then one or two repeated parts, then an end that matches nothing. */
export function shapes(parts: readonly string[]): { name: string; shape: (length: number) => string }[] {
  const starts = parts.flatMap((start) => parts.map((part) => [start, part] as const));
  const pairs = parts.flatMap((one) => parts.map((other) => ['', one + other] as const));
  return [...starts, ...pairs].map(([start, part]) => ({
    name: JSON.stringify([start, part]),
    shape: (length) => `${start}${part.repeat(length / part.length)}\n!`,
  }));
}
