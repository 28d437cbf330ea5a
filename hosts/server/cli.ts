#!/usr/bin/env node
import { ServiceError } from '../../core/contract/errors.ts';
import { ACCOUNT_COMMANDS } from './account.ts';
import { type Command, UsageError } from './command.ts';
import { doctor } from './doctor.ts';
import { KEY_COMMANDS } from './key.ts';
import { mcp } from './mcp.ts';
import { OWNER_COMMANDS } from './owner.ts';
import { serve } from './serve.ts';
import { processTerminal } from './terminal.ts';
import { versionCommand } from './version.ts';
import { WEBHOOK_COMMANDS } from './webhook.ts';

const COMMANDS: readonly Command[] = [
  serve,
  ...OWNER_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ...KEY_COMMANDS,
  ...WEBHOOK_COMMANDS,
  mcp,
  doctor,
  versionCommand,
];

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

async function main(typed: readonly string[]): Promise<number> {
  const args = typed[0] === '--version' ? [versionCommand.name, ...typed.slice(1)] : typed;
  const command = COMMANDS.find(({ name }) => name === args.slice(0, name.split(' ').length).join(' '));
  if (args.includes('--help') || args.length === 0) {
    console.log(command === undefined ? help() : usageOf(command));
    return args.length === 0 ? WRONG_USAGE : DONE;
  }
  if (command === undefined) {
    console.error(`Unknown command. ${help()}`);
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
    console.error(`${lineOf(error)}\n${usageOf(command)}`);
    return WRONG_USAGE;
  }
}

function help(): string {
  const lines = COMMANDS.map(
    ({ name, usage, summary }) => `  countersign ${name} ${usage}\n      ${summary}`,
  );
  return `Commands (all accept --json):\n${lines.join('\n')}`;
}

function usageOf({ name, usage, summary }: Command): string {
  return `Usage: countersign ${name} ${usage} [--json]\n  ${summary}`;
}

function isParseError(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

/** The one line that tells the user what is wrong. */
function lineOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const wrong = error instanceof ServiceError ? argumentErrors(error) : '';
  return (wrong === '' ? error.message : wrong).replaceAll('\n', ' ');
}

function argumentErrors({ details }: ServiceError): string {
  if (!Array.isArray(details?.errors)) return '';
  return details.errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
}

// Exit explicitly: a server that failed during its start may still be listening.
process.exit(await main(process.argv.slice(2)));
