import { bridgeProcess } from '../stdio/process-bridge.ts';
import { COMMON_OPTIONS, type Command, noPositionals, readArguments } from './command.ts';

export const mcp: Command = {
  name: 'mcp',
  usage: '',
  summary: 'connects an MCP client on stdin and stdout to a running server',
  details:
    'The address of the server is COUNTERSIGN_BASE_URL. The key is COUNTERSIGN_API_KEY, or in the file ' +
    'COUNTERSIGN_API_KEY_FILE.',
  async run(args) {
    noPositionals(readArguments(args, COMMON_OPTIONS).positionals);
    await bridgeProcess();
  },
};
