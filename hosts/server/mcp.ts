import { parseArgs } from 'node:util';
import { bridgeProcess } from '../stdio/process-bridge.ts';
import { COMMON_OPTIONS, type Command, noPositionals } from './command.ts';

export const mcp: Command = {
  name: 'mcp',
  usage: '',
  summary:
    'connects a local MCP client (on stdin and stdout) to a running server, with the key in COUNTERSIGN_API_KEY',
  async run(args) {
    noPositionals(parseArgs({ args, options: COMMON_OPTIONS, allowPositionals: true }).positionals);
    await bridgeProcess();
  },
};
