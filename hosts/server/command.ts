import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Terminal } from './terminal.ts';

/** One command of the command line. */
export interface Command {
  /** `owner`, or `owner add`. */
  readonly name: string;
  /** The arguments after the name, for the help text. One line for each way to use it. */
  readonly usage: string;
  /** What the command does, for the list of commands: a few words after its name. */
  readonly summary: string;
  /** The rest that its own help says, in sentences. */
  readonly details?: string;
  /** @param args  the arguments after the name @throws UsageError, or an Error whose message is the line that the user sees */
  run(args: string[], terminal: Terminal): Promise<void>;
}

/** The command line is wrong. */
export class UsageError extends Error {}

/** Options of every command. */
export const COMMON_OPTIONS = { json: { type: 'boolean' } } as const satisfies ParseArgsConfig['options'];

/** Options of commands for one owner. */
export const OWNER_OPTIONS = {
  ...COMMON_OPTIONS,
  owner: { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

/**
 * The options and the other arguments of a command.
 * @throws UsageError if an option that takes one value is given twice; TypeError of `parseArgs` for an unknown one
 */
export function readArguments<T extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: T) {
  const { values, positionals, tokens } = parseArgs({ args, options, allowPositionals: true, tokens: true });
  const given = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option' || options[token.name]?.multiple === true) continue;
    if (given.has(token.name)) throw new UsageError(`${token.rawName} is given twice`);
    given.add(token.name);
  }
  return { values, positionals };
}

export function required(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new UsageError(`${name} is missing`);
  return value;
}

/** The only positional argument of a command. */
export function onlyPositional(positionals: readonly string[], name: string): string {
  const [value, ...others] = positionals;
  if (others.length > 0) throw new UsageError(`there are too many arguments after ${name}`);
  return required(value, name);
}

export function noPositionals(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError('there are too many arguments');
}
