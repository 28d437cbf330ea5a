import { nthSample } from './fuzzed.ts';
import { LIMITS, playedBy, type SampleLimits } from './one-player.ts';
import { GROWS, KINDS, type Kind, type SampleName, type Told } from './protocol.ts';

/** The paths of the soak's own files. */
export interface SoakFiles {
  /** The bundled `player.ts`, and `worker.ts` of the extraction. */
  readonly playerFile: string;
  readonly workerFile: string;
  /** The folder of the repository's documents. */
  readonly documents: string;
}

export interface SoakOptions extends SoakFiles {
  readonly kinds?: readonly Kind[];
  /** Samples to play; with `until`, as many as there is time for. */
  readonly count?: number;
  readonly seed: number;
  /** End time, in milliseconds since 1970. */
  readonly until?: number;
  readonly limits?: Readonly<Record<Kind, SampleLimits>>;
  /** Receives progress now and then. */
  readonly progress?: (played: number, faults: number) => void;
  readonly onFault?: (fault: Fault) => void;
}

/** `npm run soak -- --replay KIND SEED` plays it again. */
export interface Fault extends SampleName {
  readonly what: string;
}

export interface SoakReport {
  readonly seeds: number;
  /** How many samples of each kind were played, and how many were compared with a larger one. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly compared: number;
  /** Comparisons that looked like a fault and did not when the sample was played again by itself: the machine was busy. */
  readonly unrepeated: number;
  readonly answers: number;
  readonly largestAnswerBytes: number;
  /** By CPU time. */
  readonly slowest: Readonly<SampleName & { ms: number }> | undefined;
  readonly peakRssBytes: number;
  /** The outcomes of the attachments that were read. */
  readonly attachments: Readonly<Record<string, number>>;
  readonly faults: readonly Fault[];
}

/** Samples per batch of a player. */
const AT_A_TIME = 2000;

/** Plays all samples, and continues after one that made the player crash, hang or grow. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const {
    kinds = KINDS,
    seed,
    until,
    limits = LIMITS,
    progress = () => undefined,
    onFault,
    ...files
  } = options;
  const count = options.count ?? Number.POSITIVE_INFINITY;
  const report = {
    seeds: 0,
    kinds: Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<string, number>,
    compared: 0,
    unrepeated: 0,
    answers: 0,
    largestAnswerBytes: 0,
    slowest: undefined as SoakReport['slowest'],
    peakRssBytes: 0,
    attachments: {} as Record<string, number>,
    faults: [] as Fault[],
  };
  let done = 0;
  const suspects: Fault[] = [];
  const note = (fault: Fault) => {
    report.faults.push(fault);
    onFault?.(fault);
  };
  while (done < count && Date.now() < (until ?? Number.POSITIVE_INFINITY)) {
    const samples = Array.from({ length: Math.min(AT_A_TIME, count - done) }, (_, n) =>
      nthSample(kinds, seed, done + n),
    );
    const take = (message: Told) => {
      if (message.kind === 'ready') report.seeds = message.seeds;
      const sample = message.kind === 'played' ? samples[message.index] : undefined;
      if (message.kind !== 'played' || sample === undefined) return;
      add(report.kinds, sample.kind);
      report.compared += message.compared ? 1 : 0;
      report.answers += message.answers;
      report.largestAnswerBytes = Math.max(report.largestAnswerBytes, message.bytes);
      if (message.ms > (report.slowest?.ms ?? 0)) report.slowest = { ...sample, ms: message.ms };
      for (const read of message.read) add(report.attachments, read);
      for (const what of message.wrong) {
        if (what.startsWith(GROWS)) suspects.push({ ...sample, what });
        else note({ ...sample, what });
      }
      if ((done + message.index + 1) % 1000 === 0) progress(done + message.index + 1, report.faults.length);
    };
    const tookMemory = (bytes: number) => {
      report.peakRssBytes = Math.max(report.peakRssBytes, bytes);
    };
    const end = await playedBy({ ...files, limits, until, take, tookMemory }, { samples, ...files });
    const ended = end.index === undefined ? undefined : samples[end.index];
    if (ended !== undefined) note({ ...ended, what: end.what });
    done += end.index === undefined ? samples.length : end.index + 1;
    for (const suspect of suspects.splice(0)) {
      const again = await faultsOf(files, suspect, { limits });
      if (again.length > 0) note(suspect);
      else report.unrepeated++;
    }
  }
  return report;
}

interface FaultOptions {
  readonly bytes?: { readonly raw?: Buffer; readonly larger?: Buffer };
  readonly limits?: Readonly<Record<Kind, SampleLimits>>;
}

/** Describes the fault of a sample, played with these bytes or its own, and compared with the larger ones if there are any. */
export async function faultsOf(
  files: SoakFiles,
  sample: SampleName,
  { bytes = {}, limits = LIMITS }: FaultOptions = {},
): Promise<string[]> {
  const faults: string[] = [];
  const take = (message: Told) => {
    if (message.kind === 'played') faults.push(...message.wrong);
  };
  const encoded = Object.fromEntries(
    Object.entries(bytes).map(([name, of]) => [name, of.toString('base64')]),
  );
  const end = await playedBy({ ...files, limits, take }, { samples: [{ ...sample, ...encoded }], ...files });
  return end.index === undefined ? faults : [...faults, end.what];
}

/** Removes one part after the other, in ever smaller pieces, as long as the rest still fails. */
export async function reduced(
  raw: Buffer,
  fails: (raw: Buffer) => Promise<boolean>,
  most: { readonly tries: number; readonly until: number },
): Promise<Buffer> {
  let smallest = raw;
  let tries = 0;
  for (let size = Math.ceil(raw.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < smallest.length; ) {
      if (++tries > most.tries || Date.now() > most.until) return smallest;
      const without = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
      if (without.length > 0 && (await fails(without))) smallest = without;
      else at += size;
    }
  }
  return smallest;
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** The closing lines of the output. */
export function soakLines({ seed }: { seed: number }, report: SoakReport): string {
  const counted = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  const { slowest, kinds } = report;
  const played = Object.values(kinds).reduce((sum, count) => sum + count, 0);
  return [
    `soak with seed ${seed}: ${played} samples (${counted(kinds)}), ${report.seeds} real files among their seeds`,
    `${report.answers} answers, the largest of ${report.largestAnswerBytes} bytes`,
    slowest === undefined
      ? 'nothing was played'
      : `the slowest sample: ${slowest.kind} ${slowest.seed}, ${Math.round(slowest.ms)} ms of processor time`,
    `${report.compared} compared with one four times as large, ${report.unrepeated} of which looked slow and were not when played again`,
    `peak memory of a player: ${Math.round(report.peakRssBytes / 1e6)} MB`,
    `attachments read: ${counted(report.attachments)}`,
    `${report.faults.length} faults`,
  ].join('\n');
}
