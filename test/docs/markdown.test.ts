import { describe, expect, it } from 'vitest';
import { bytesText, durationText, prose, table, wrapped } from './markdown.ts';

describe('a text of a definition', () => {
  it.each([
    ['Poll no faster than poll_after_s.', 'Poll no faster than `poll_after_s`.'],
    [
      'A path like to[0]. Paths such as messages[].from.',
      'A path like `to[0]`. Paths such as `messages[].from`.',
    ],
    ['status "pending_approval" (HTTP 202): wait', 'status `pending_approval` (HTTP 202): wait'],
    ['Like ada@example.org or <b>.', 'Like `ada@example.org` or `<b>`.'],
    ['a|b and *stars* and `code`, too', '`a|b` and `*stars*` and `code`, too'],
    ['numbers by name: callsPerMinute', 'numbers by name: `callsPerMinute`'],
    ['Plain words: OpenID, CalDAV and 25 MB.', 'Plain words: OpenID, CalDAV and 25 MB.'],
  ])('%s', (text, shown) => {
    expect(prose(text)).toBe(shown);
  });
});

describe('a table', () => {
  it('has a row on a line, with its pipes escaped', () => {
    expect(
      table(
        ['name', 'means'],
        [
          ['`a|b`', 'x'],
          ['long name', ''],
        ],
      ),
    ).toBe(
      ['| name      | means |', '| --------- | --- |', '| `a\\|b`    | x |', '| long name | |'].join('\n'),
    );
  });
});

describe('a paragraph', () => {
  it('is broken at 80 columns, and never before what would begin a list', () => {
    const text = `${'word '.repeat(15)}then - dash 1. one # hash > quote end`;
    const lines = wrapped(text).split('\n');
    expect(lines.join(' ')).toBe(text);
    expect(lines.filter((line) => /^([-+*#>|]|\d+\.)/.test(line))).toEqual([]);
    expect(lines).toHaveLength(2);
  });
});

describe('a paragraph with code', () => {
  it('keeps each piece of code on one line', () => {
    const lines = wrapped(`${'word '.repeat(14)}then \`POST /v1/tools/{name}\`, and a lone \` too`).split(
      '\n',
    );
    expect(lines[1]).toBe('`POST /v1/tools/{name}`, and a lone ` too');
  });
});

describe('numbers', () => {
  it.each([
    [86_400_000, '24 hours'],
    [30 * 86_400_000, '30 days'],
    [60_600_000, '16 hours 50 minutes'],
    [3_600_000, '1 hour'],
    [1500, '1 second 500 ms'],
    [0, '0 ms'],
  ])('%i ms: %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it.each([
    [262_144, '256 KB (262,144 bytes)'],
    [26_214_400, '25 MB (26,214,400 bytes)'],
    [1000, '1,000 bytes'],
  ])('%i bytes: %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text);
  });
});
