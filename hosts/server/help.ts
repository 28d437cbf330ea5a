import type { Command } from './command.ts';

const COLUMNS = 80;

/** One line per command. @param problem  what was wrong with the command line, above them */
export function listOf(commands: readonly Command[], problem?: string): string {
  const names = commands.map(({ name }) => name);
  const width = names.reduce((most, name) => Math.max(most, name.length), 0);
  const lines = commands.map(({ name, summary }) => {
    const [first = '', ...more] = wrapped(summary, COLUMNS - width - 4);
    return [
      `  ${name.padEnd(width)}  ${first}`,
      ...more.map((line) => `${' '.repeat(width + 4)}${line}`),
    ].join('\n');
  });
  return [
    ...(problem === undefined ? [] : [problem, '']),
    'Commands:',
    ...lines,
    '',
    `More about one: countersign ${names[0] ?? 'COMMAND'} --help`,
    'With --json, a command prints one JSON object on one line.',
    'Exit code: 0 done, 1 failed, 2 wrong usage.',
  ].join('\n');
}

/** How to use one command. */
export function usageOf({ name, usage, summary, details }: Command): string {
  const uses = usage.split('\n').map((one) => {
    const start = `  countersign ${name} `;
    const [first = '', ...more] = wrapped(`${one} [--json]`.trim(), COLUMNS - start.length);
    return [`${start}${first}`, ...more.map((line) => `${' '.repeat(start.length)}${line}`)].join('\n');
  });
  const text = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  const about = [text, ...(details === undefined ? [] : [details])].flatMap((one) => wrapped(one, COLUMNS));
  return ['Usage:', ...uses, '', ...about].join('\n');
}

/** Breaks a text between words, but not inside brackets. */
function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const piece of text.match(/(?<!\S)\[[^\]]*\](?=\s|$)|\S+/g) ?? []) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + piece.length > columns) lines.push(piece);
    else lines[lines.length - 1] = `${line} ${piece}`;
  }
  return lines;
}
