import type { Log, LogFields } from '../../core/ports/log.ts';

export const LOG_LEVELS = ['info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Writes one JSON object per line: time, level, message and fields. Drops levels below `least`. */
export function jsonLog(least: LogLevel, write: (line: string) => void): Log {
  const at = (level: LogLevel) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return () => undefined;
    return (message: string, fields: LogFields = {}) =>
      write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`);
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}
