import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Kind, type PlayOrder, type Told, told } from './protocol.ts';

/** The limits of one sample. */
export interface SampleLimits {
  /** Wall-clock time, generous for a busy machine. */
  readonly ms: number;
  /** CPU time, if the system reports it. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

const LIMIT: SampleLimits = { ms: 180_000, cpuMs: 30_000, rssBytes: 1_000_000_000 };

export const LIMITS: Readonly<Record<Kind, SampleLimits>> = {
  mime: LIMIT,
  html: LIMIT,
  ics: LIMIT,
  caldav: LIMIT,
  document: LIMIT,
};

const OLD_SPACE_MB = 512;
const WATCH_MS = 100;

export interface PlayerEnd {
  /** The sample that ended the player; undefined if all were played. */
  readonly index: number | undefined;
  readonly what: string;
}

export interface PlayerOptions {
  /** The bundled `player.ts`. */
  readonly playerFile: string;
  readonly limits: Readonly<Record<Kind, SampleLimits>>;
  /** Ends the player when aborted; the sample being played is then not at fault. */
  readonly until?: number | undefined;
  readonly take: (message: Told) => void;
  readonly tookMemory?: (rssBytes: number) => void;
}

/** Plays samples in a separate process, and kills it if one takes too much time or memory. */
export async function playedBy(options: PlayerOptions, order: PlayOrder): Promise<PlayerEnd> {
  const { playerFile, limits, until = Number.POSITIVE_INFINITY, take, tookMemory } = options;
  const player = fork(playerFile, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [`--max-old-space-size=${OLD_SPACE_MB}`],
  });
  let errors = '';
  player.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-2000);
  });
  let playing: number | undefined;
  let begunMs = performance.now();
  let begunCpuMs = 0;
  let killed: string | undefined;
  const kill = (why: string) => {
    killed ??= why;
    player.kill('SIGKILL');
  };
  const judge = () => {
    const sample = playing === undefined ? undefined : order.samples[playing];
    const rss = rssOf(player.pid);
    tookMemory?.(rss);
    if (Date.now() > until) kill(OVER);
    if (sample === undefined) return;
    const { ms, cpuMs, rssBytes } = limits[sample.kind];
    if (performance.now() - begunMs > ms) kill(`hung for ${ms / 1000} s`);
    else if (cpuMsOf(player.pid) - begunCpuMs > cpuMs) kill(`took ${cpuMs / 1000} s of the processor`);
    else if (rss > rssBytes) kill(`took ${Math.round(rss / 1e6)} MB of memory`);
  };
  const watch = setInterval(judge, WATCH_MS);
  player.on('message', (given) => {
    const message = told.parse(given);
    if (message.kind === 'played') judge();
    take(message);
    if (message.kind !== 'plays' || killed !== undefined) return;
    playing = message.index;
    begunMs = performance.now();
    begunCpuMs = cpuMsOf(player.pid);
  });
  player.send(order);
  const [code, signal] = (await once(player, 'close')) as [number | null, string | null];
  clearInterval(watch);
  if (killed === OVER || (killed === undefined && code === 0)) return { index: undefined, what: '' };
  if (playing === undefined) throw new Error(`The player did not begin: ${errors}`);
  return { index: playing, what: killed ?? `crashed with ${signal ?? code}: ${errors}` };
}

const OVER = 'the time is over';

/** Resident memory of a process as reported by Linux; 0 elsewhere. */
function rssOf(pid: number | undefined): number {
  return 4096 * Number(proc(pid, 'statm').split(' ')[1] ?? 0);
}

/** CPU time of a process as reported by Linux; 0 elsewhere. */
function cpuMsOf(pid: number | undefined): number {
  // The second field, a name in parentheses, may contain spaces. The 14th and 15th count hundredths of a second.
  const fields = proc(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  return 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
}

/** Empty if the process has ended or the system has no such file. */
function proc(pid: number | undefined, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return '';
    throw error;
  }
}
