import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedLines } from '../../../core/ical/changed-lines.ts';

describe('the lines that a change changes', () => {
  it('are taken out, or put in; all others are left out', () => {
    expect(changedLines('A:1\r\nB:2\r\nC:3\r\n', 'A:1\r\nB:4\r\nC:3\r\nD:5\r\n')).toBe('-B:2\n+B:4\n+D:5');
    expect(changedLines('A:1\r\n', 'A:1\r\n')).toBe('');
  });

  it('are whole lines: folds and line ends do not matter', () => {
    expect(changedLines('A:one two\r\nB:1\r\n', 'A:one\r\n  two\r\nB:1\n')).toBe('');
    expect(changedLines('A:one\r\n  two\r\n', 'A:one\r\n\t three\r\n')).toBe('-A:one two\n+A:one three');
  });

  it('are all there: with them, the one document becomes the other', () => {
    const lines = fc.array(fc.constantFrom('A', 'B', 'C', 'BEGIN:VEVENT', 'END:VEVENT'), { maxLength: 40 });
    const counted = (all: readonly string[]) => all.toSorted();
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const ics = (all: readonly string[]) => all.map((line) => `${line}\r\n`).join('');
        const changed = changedLines(ics(before), ics(after)).split('\n');
        const marked = (mark: string) =>
          changed.filter((line) => line.startsWith(mark)).map((line) => line.slice(1));
        expect(counted([...before, ...marked('+')])).toEqual(counted([...after, ...marked('-')]));
        if (before.join() !== after.join()) expect(changed.join('')).not.toBe('');
      }),
    );
  });

  it('are all lines of both documents if too many differ', () => {
    const many = (name: string) =>
      Array.from({ length: 5000 }, (_, index) => `${name}${index}:x\r\n`).join('');
    const changed = changedLines(many('A'), many('B')).split('\n');
    expect([changed.length, changed[0], changed.at(-1)]).toEqual([10_000, '-A0:x', '+B4999:x']);
  });
});
