import { describe, expect, it } from 'vitest';
import { jsonLog } from '../../../hosts/server/log.ts';

describe('the log', () => {
  it('writes one JSON object per line, from its level upwards', () => {
    const lines: string[] = [];
    const log = jsonLog('warn', (line) => lines.push(line));
    log.info('left out');
    log.warn('two\nlines', { code: 'busy', count: 2 });
    log.error('plain');
    expect(lines.map((line) => line.endsWith('\n') && !line.slice(0, -1).includes('\n'))).toEqual([
      true,
      true,
    ]);
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
        level: 'warn',
        message: 'two\nlines',
        code: 'busy',
        count: 2,
      },
      { time: expect.any(String) as unknown, level: 'error', message: 'plain' },
    ]);
  });
});
