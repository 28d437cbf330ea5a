/** Parts of the pages of docs/reference, in the Markdown of GitHub. */

const COLUMNS = 80;
/** A wider cell does not widen its column in the source. */
const PADDED_CHARS = 44;

export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

export function codes(texts: Iterable<string>): string {
  return [...texts].map(code).join(', ');
}

/** Names, addresses and forms: `to[0]`, `pending_approval`, `details.errors`, `callsPerDay`, `--json`. */
const NAME = /[_@<>[\]{}|\\*`]|\w\.\w|:\/\/|^--\w|^\/\w|^[a-z]{2,}[A-Z]/;

/** Escapes a text of a definition. Names in it become code. */
export function prose(text: string): string {
  return text
    .split(/(\s+)/)
    .map((word) => {
      const [, before = '', name = '', after = ''] = /^(["'(]*)(.*?)(["').,:;?!]*)$/s.exec(word) ?? [];
      if (!NAME.test(name) || /^`[^`]+`$/.test(name)) return word;
      const isQuoted = before.endsWith('"') && after.startsWith('"');
      return isQuoted
        ? `${before.slice(0, -1)}${code(name)}${after.slice(1)}`
        : `${before}${code(name)}${after}`;
    })
    .join('');
}

/** Paragraphs, lists, tables and headings with an empty line between them. */
export function page(...parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}

const STARTS_BLOCK = /^(?:[-+*=]+|#+|>.*|\|.*|\d+[.)])$/;

/** Breaks a paragraph into lines of 80 columns. A line never begins with what would start a list or a heading. */
export function wrapped(text: string, indent = ''): string {
  const lines: string[] = [];
  for (const word of text.match(/(?:`[^`]*`|\S)+/g) ?? []) {
    const line = lines.at(-1);
    const isFull = line !== undefined && indent.length + line.length + 1 + word.length > COLUMNS;
    if (line === undefined || (isFull && !STARTS_BLOCK.test(word))) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.join(`\n${indent}`);
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${wrapped(item, '  ')}`).join('\n');
}

export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = [headings, ...rows].map((cells) => cells.map((cell) => cell.replace(/\|/g, '\\|').trim()));
  const widths = headings.map((_, column) =>
    escaped.reduce((most, cells) => Math.max(most, Math.min(cells[column]?.length ?? 0, PADDED_CHARS)), 3),
  );
  const line = (cells: readonly string[]) => {
    const padded = cells.map((cell, column) =>
      column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0),
    );
    return `| ${padded.join(' | ')} |`.replace(/ {2,}\|$/, ' |');
  };
  const [first = [], ...others] = escaped;
  const rule = headings.map((_, column) =>
    '-'.repeat(column === headings.length - 1 ? 3 : (widths[column] ?? 3)),
  );
  return [line(first), line(rule), ...others.map(line)].join('\n');
}

/** Such as `16 hours 50 minutes`. A day is 24 hours, days are days. */
export function durationText(ms: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1000],
  ] as const;
  const parts: string[] = [];
  let left = ms;
  for (const [unit, unitMs] of ms === 86_400_000 ? units.slice(1) : units) {
    const count = Math.floor(left / unitMs);
    left -= count * unitMs;
    if (count > 0) parts.push(`${numberText(count)} ${unit}${count === 1 ? '' : 's'}`);
  }
  if (left > 0 || parts.length === 0) parts.push(`${left} ms`);
  return parts.join(' ');
}

export function bytesText(bytes: number): string {
  const exact = `${numberText(bytes)} bytes`;
  if (bytes % (1024 * 1024) === 0) return `${bytes / (1024 * 1024)} MB (${exact})`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KB (${exact})` : exact;
}

export function numberText(value: number): string {
  return value.toLocaleString('en-US');
}
