import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type PlayOrder, type Told, told } from './protocol.ts';

/** Longer than anything may take: three attachments of which each is given up after ten seconds, on a busy machine. */
const HANG_MS = 120_000;

export interface SoakOptions {
  readonly count: number;
  readonly seed: number;
  /** The bundled `player.ts`, and `worker.ts` of the extraction. */
  readonly playerFile: string;
  readonly workerFile: string;
  /** The folder of the repository's documents. */
  readonly documents: string;
  /** Told now and then. */
  readonly progress?: (played: number, faults: number) => void;
}

export interface SoakReport {
  readonly seeds: number;
  /** How many of each kind were played. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly answers: number;
  readonly largestAnswerBytes: number;
  readonly slowestMs: number;
  /** What became of the attachments that were read. */
  readonly attachments: Readonly<Record<string, number>>;
  /** Each with the number of its message: `fuzzed(seeds, seed, number)` makes it again. */
  readonly faults: readonly { readonly number: number; readonly what: string }[];
}

/** Plays all of them, and goes on behind one over which the player crashed or hung. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { count, seed, playerFile, workerFile, documents, progress = () => undefined } = options;
  const report = {
    seeds: 0,
    kinds: {} as Record<string, number>,
    answers: 0,
    largestAnswerBytes: 0,
    slowestMs: 0,
    attachments: {} as Record<string, number>,
    faults: [] as { number: number; what: string }[],
  };
  const take = (message: Told, tookMs: number) => {
    if (message.kind === 'ready') report.seeds = message.seeds;
    if (message.kind !== 'played') return;
    add(report.kinds, message.what);
    report.answers += message.answers;
    report.largestAnswerBytes = Math.max(report.largestAnswerBytes, message.bytes);
    report.slowestMs = Math.max(report.slowestMs, tookMs);
    for (const read of message.read) add(report.attachments, read);
    for (const what of message.wrong) report.faults.push({ number: message.number, what });
    if ((message.number + 1) % 1000 === 0) progress(message.number + 1, report.faults.length);
  };
  for (let from = 0; from < count; ) {
    const end = await playedUntil(playerFile, { seed, from, until: count, workerFile, documents }, take);
    if (end === undefined) break;
    report.faults.push(end);
    from = end.number + 1;
  }
  return report;
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** @returns the message that ended the player, and how; undefined when all were played */
async function playedUntil(
  playerFile: string,
  order: PlayOrder,
  take: (message: Told, tookMs: number) => void,
): Promise<{ number: number; what: string } | undefined> {
  const player = fork(playerFile, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] });
  let errors = '';
  player.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-2000);
  });
  let playing: number | undefined;
  let begunMs = performance.now();
  let hung = false;
  const watch = () =>
    setTimeout(() => {
      hung = true;
      player.kill('SIGKILL');
    }, HANG_MS);
  let watchdog = watch();
  player.on('message', (given) => {
    const message = told.parse(given);
    clearTimeout(watchdog);
    watchdog = watch();
    take(message, performance.now() - begunMs);
    begunMs = performance.now();
    if (message.kind === 'plays') playing = message.number;
  });
  player.send(order);
  const [code, signal] = (await once(player, 'close')) as [number | null, string | null];
  clearTimeout(watchdog);
  if (playing === undefined) throw new Error(`The player did not begin: ${errors}`);
  if (hung) return { number: playing, what: `hung for ${HANG_MS / 1000} s` };
  if (code !== 0) return { number: playing, what: `crashed with ${signal ?? code}: ${errors}` };
  return undefined;
}

/** The closing line. */
export function soakLine({ seed }: { seed: number }, report: SoakReport): string {
  const counted = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  const played = Object.values(report.kinds).reduce((sum, count) => sum + count, 0);
  return [
    `soak with seed ${seed}: ${played} fuzzed messages (${counted(report.kinds)}) of ${report.seeds} real ones`,
    `${report.answers} answers, the largest of ${report.largestAnswerBytes} bytes, the slowest message ${Math.round(report.slowestMs)} ms`,
    `attachments read: ${counted(report.attachments)}`,
    `${report.faults.length} faults`,
  ].join('; ');
}
