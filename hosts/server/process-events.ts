import { errorName, type Log } from '../../core/ports/log.ts';
import { jsonLog } from './log.ts';

let log: Log = jsonLog('info', (line) => void process.stderr.write(line));

/**
 * From now on, what Node would print as text is a line of the log: its warnings, and the error that ends the process. Call
 * it before the modules of the server are loaded, because loading one can warn.
 */
export function logProcessEvents(): void {
  // Node's own listener prints them.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    log.warn('Node warns', { ...errorName(warning), at: placeOf(warning) });
  });
  // Also for a promise that nobody handles.
  process.on('uncaughtException', (error, origin) => {
    log.error('the process ends after an error that nobody handled', {
      origin,
      ...errorName(error),
      at: placeOf(error),
    });
    process.exit(1);
  });
}

/** Sets the log for them. Default: every line goes to stderr. */
export function useLog(configured: Log): void {
  log = configured;
}

/** Where an error was created, without its message, which may quote anything. */
function placeOf({ stack = '' }: Error): string {
  const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line));
  return frames.map((line) => line.trim()).join(', ');
}
