import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Kind, type PlayOrder, type Told, told } from './protocol.ts';

/** What one sample may take. */
export interface SampleLimits {
  readonly ms: number;
  readonly rssBytes: number;
}

/** Documents are given up after ten seconds each, and a sample may have three. A busy machine takes its time. */
export const LIMITS: Readonly<Record<Kind, SampleLimits>> = {
  mime: { ms: 60_000, rssBytes: 1_000_000_000 },
  html: { ms: 60_000, rssBytes: 1_000_000_000 },
  ics: { ms: 60_000, rssBytes: 1_000_000_000 },
  caldav: { ms: 60_000, rssBytes: 1_000_000_000 },
  document: { ms: 90_000, rssBytes: 1_000_000_000 },
};

const OLD_SPACE_MB = 512;
const WATCH_MS = 100;

export interface PlayerEnd {
  /** The sample that ended the player; undefined when all were played. */
  readonly index: number | undefined;
  readonly what: string;
}

export interface PlayerOptions {
  /** The bundled `player.ts`. */
  readonly playerFile: string;
  readonly limits: Readonly<Record<Kind, SampleLimits>>;
  /** Ends the player when it is over; what was being played is then no fault. */
  readonly until?: number | undefined;
  readonly take: (message: Told) => void;
  readonly tookMemory?: (rssBytes: number) => void;
}

/** Plays samples in a process of its own, and ends it when one takes too long or too much memory. */
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
  let killed: string | undefined;
  const kill = (why: string) => {
    killed ??= why;
    player.kill('SIGKILL');
  };
  const watch = setInterval(() => {
    const { ms, rssBytes } = limits[order.samples[playing ?? 0]?.kind ?? 'mime'];
    const rss = rssOf(player.pid);
    tookMemory?.(rss);
    if (Date.now() > until) kill(OVER);
    else if (performance.now() - begunMs > ms) kill(`hung for ${ms / 1000} s`);
    else if (rss > rssBytes) kill(`took ${Math.round(rss / 1e6)} MB of memory`);
  }, WATCH_MS);
  player.on('message', (given) => {
    const message = told.parse(given);
    take(message);
    begunMs = performance.now();
    if (message.kind === 'plays') playing = message.index;
  });
  player.send(order);
  const [code, signal] = (await once(player, 'close')) as [number | null, string | null];
  clearInterval(watch);
  if (killed === OVER || (killed === undefined && code === 0)) return { index: undefined, what: '' };
  if (playing === undefined) throw new Error(`The player did not begin: ${errors}`);
  return { index: playing, what: killed ?? `crashed with ${signal ?? code}: ${errors}` };
}

const OVER = 'the time is over';

/** Resident memory of a process, as Linux says it; 0 elsewhere. */
function rssOf(pid: number | undefined): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return pages * 4096;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return 0;
    throw error;
  }
}
