import { bridgeProcess } from '../stdio/process-bridge.ts';
import { COMMON_OPTIONS, type Command, noPositionals, readArguments } from './command.ts';

export const mcp: Command = {
  name: 'mcp',
  usage: '',
  summary:
    'connects a local MCP client (on stdin and stdout) to a running server, with the key in COUNTERSIGN_API_KEY',
  async run(args) {
    noPositionals(readArguments(args, COMMON_OPTIONS).positionals);
    await bridgeProcess();
  },
};
