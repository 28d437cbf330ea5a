#!/usr/bin/env node
import { ServiceError } from '../../core/contract/errors.ts';
import { MailError } from '../../core/ports/mail.ts';
import { UsageError } from './command.ts';
import { allCommands, COMMANDS } from './commands.ts';
import { listOf, usageOf } from './help.ts';
import { logProcessEvents } from './process-events.ts';
import { processTerminal } from './terminal.ts';

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

async function main(typed: readonly string[]): Promise<number> {
  const args = typed[0] === '--version' ? ['version', ...typed.slice(1)] : typed;
  const [word = ''] = args;
  if (word === 'serve') logProcessEvents();
  const commands = Object.hasOwn(COMMANDS, word) ? await COMMANDS[word]?.() : undefined;
  const command = commands?.find(({ name }) => name === args.slice(0, name.split(' ').length).join(' '));
  if (command !== undefined && args.includes('--help')) {
    console.log(usageOf(command));
    return DONE;
  }
  if (command === undefined) {
    const isGroup = args.length === 1 || (args.length === 2 && commands !== undefined);
    if (args.length === 0 || (isGroup && args.at(-1) === '--help')) {
      console.log(listOf(commands ?? (await allCommands())));
      return args.length === 0 ? WRONG_USAGE : DONE;
    }
    console.error(listOf(commands ?? (await allCommands()), 'Unknown command.'));
    return WRONG_USAGE;
  }
  const rest = args.slice(command.name.split(' ').length);
  try {
    await command.run(rest, processTerminal(rest.includes('--json')));
    return DONE;
  } catch (error) {
    if (!(error instanceof UsageError) && !isParseError(error)) {
      console.error(lineOf(error));
      return FAILED;
    }
    console.error(`${firstSentence(lineOf(error))}\n\n${usageOf(command)}`);
    return WRONG_USAGE;
  }
}

function isParseError(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

/** Node adds advice about arguments that begin with a dash. */
function firstSentence(line: string): string {
  return line.replace(/\. To specify a positional argument.*/, '');
}

/** The one line that tells the user what is wrong. */
function lineOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof MailError) return error.forOwner;
  const wrong = error instanceof ServiceError ? argumentErrors(error) : '';
  return (wrong === '' ? error.message : wrong).replaceAll('\n', ' ');
}

function argumentErrors({ details }: ServiceError): string {
  if (!Array.isArray(details?.errors)) return '';
  return details.errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
}

// Exit explicitly: a server that failed during its start may still be listening.
process.exit(await main(process.argv.slice(2)));
