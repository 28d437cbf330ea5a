import { version } from '../../package.json';
import { COMMON_OPTIONS, type Command, noPositionals, readArguments } from './command.ts';

export const versionCommand: Command = {
  name: 'version',
  usage: '',
  summary: 'prints the version',
  async run(args, terminal) {
    noPositionals(readArguments(args, COMMON_OPTIONS).positionals);
    terminal.print({ version }, version);
  },
};
