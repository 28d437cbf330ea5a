import { ServiceError } from '../../core/contract/errors.ts';
import { MailError } from '../../core/ports/mail.ts';
import { UsageError } from './command.ts';
import { allCommands, COMMANDS } from './commands.ts';
import { listOf, usageOf } from './help.ts';
import { type Surroundings, terminalIn } from './terminal.ts';

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

/**
 * Runs the command that the words name, and tells the user what is wrong.
 * @param typed  the words after the program's name
 * @returns the exit code
 */
export async function runCommand(typed: readonly string[], around: Surroundings): Promise<number> {
  const args = typed[0] === '--version' ? ['version', ...typed.slice(1)] : typed;
  const [word = ''] = args;
  const show = (text: string) => around.stdout.write(`${text}\n`);
  const tell = (text: string) => around.stderr.write(`${text}\n`);
  const commands = Object.hasOwn(COMMANDS, word) ? await COMMANDS[word]?.() : undefined;
  const command = commands?.find(({ name }) => name === args.slice(0, name.split(' ').length).join(' '));
  if (command !== undefined && args.includes('--help')) {
    show(usageOf(command));
    return DONE;
  }
  if (command === undefined) {
    const isGroup = args.length === 1 || (args.length === 2 && commands !== undefined);
    if (args.length === 0 || (isGroup && args.at(-1) === '--help')) {
      show(listOf(commands ?? (await allCommands())));
      return args.length === 0 ? WRONG_USAGE : DONE;
    }
    tell(listOf(commands ?? (await allCommands()), 'Unknown command.'));
    return WRONG_USAGE;
  }
  const rest = args.slice(command.name.split(' ').length);
  try {
    await command.run(rest, terminalIn(around, rest.includes('--json')));
    return DONE;
  } catch (error) {
    if (!(error instanceof UsageError) && !isParseError(error)) {
      tell(lineOf(error));
      return FAILED;
    }
    tell(`${firstSentence(lineOf(error))}\n\n${usageOf(command)}`);
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
