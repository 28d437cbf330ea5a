import type { ParseArgsConfig } from 'node:util';
import type { Terminal } from './terminal.ts';

/** One command of the command line; its name is the first words of its usage. */
export interface Command {
  /** `owner`, or `owner add`. */
  readonly name: string;
  /** What follows the name. */
  readonly usage: string;
  readonly does: string;
  /** @param args what follows the name @throws UsageError, or an Error whose text is the one line that people see */
  run(args: string[], terminal: Terminal): Promise<void>;
}

/** The command was called in a way that it does not understand. */
export class UsageError extends Error {}

/** Options that every command takes. */
export const COMMON = { json: { type: 'boolean' } } as const satisfies ParseArgsConfig['options'];

export function required(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new UsageError(`${name} is missing`);
  return value;
}

/** The one positional argument of a command. */
export function onlyOne(positionals: readonly string[], name: string): string {
  const [value, ...others] = positionals;
  if (others.length > 0) throw new UsageError(`there is too much behind ${name}`);
  return required(value, name);
}

export function none(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError('there is an argument too many');
}
